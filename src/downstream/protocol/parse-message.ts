import { isUtf8 } from 'node:buffer';
import { isRecord } from '../../jsonrpc/json.js';
import { hasSeparator } from '../../jsonrpc/line-ends.js';
import { isRequest, messageIn, type RpcMessage } from '../../jsonrpc/messages.js';
import { maxMessageDepth } from '../../limits.js';
import { type Outline, outlineOf, TooComplex } from '../../results/json-outline.js';
import { minBytesToKeep, readBytes } from '../../results/read-bytes.js';

/** Decides whether a large message is read, by a message in which long texts are empty. */
type IsExpected = (outline: RpcMessage) => boolean;

/**
 * Parses the bytes of one message. The one place that decides whether a result becomes objects or stays bytes. Throws TooComplex
 * if the message was not read.
 */
export function parseMessage(line: Buffer, isExpected: IsExpected = () => true): RpcMessage | undefined {
  try {
    return line.length < minBytesToKeep ? parseSmall(line) : parseLarge(line, isExpected);
  } catch (error) {
    if (error instanceof TooComplex) throw error;
    return undefined;
  }
}

function parseSmall(line: Buffer): RpcMessage | undefined {
  // Every level needs two bytes.
  if (line.length > 2 * maxMessageDepth && outlineOf(line) === undefined) return undefined;
  return messageIn(JSON.parse(line.toString('utf8')));
}

function parseLarge(line: Buffer, isExpected: IsExpected): RpcMessage | undefined {
  const outline = outlineOf(line);
  const value: unknown = outline && JSON.parse(outline.text);
  const message = messageIn(value);
  if (outline === undefined || message === undefined || !isRecord(value)) return undefined;
  if (!isExpected(message)) throw new TooComplex('it is no answer to a call', !isRequest(message));
  const result = 'result' in message && mayStayBytes(line, outline) ? readBytes(line, value, outline.keys) : undefined;
  return result ? { ...message, result } : messageIn(JSON.parse(line.toString('utf8')));
}

function mayStayBytes(line: Buffer, { text }: Outline): boolean {
  // Decoding would repair invalid UTF-8; passed on as it is, it would break strict clients.
  if (!isUtf8(line) || hasSeparator(line)) return false;
  // Between tokens JSON allows what ends a line: over HTTP a line feed, and a carriage return, at which some clients end lines.
  // Passed on, the rest would be a message of its own. Inside of strings JSON does not allow it.
  return !/[\r\n]/.test(text.trimEnd());
}
