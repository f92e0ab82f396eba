import { isUtf8 } from 'node:buffer';
import { isRecord } from '../../jsonrpc/json.js';
import { hasSeparator } from '../../jsonrpc/line-ends.js';
import { messageIn, type RpcMessage } from '../../jsonrpc/messages.js';
import { outlineOf } from '../../results/json-outline.js';
import { minBytesToKeep, readBytes } from '../../results/read-bytes.js';

/** Parses the bytes of one message. The one place that decides whether a result becomes objects or stays bytes. */
export function parseMessage(line: Buffer): RpcMessage | undefined {
  try {
    const kept = line.length < minBytesToKeep ? undefined : messageInBytes(line);
    return kept ?? messageIn(JSON.parse(line.toString('utf8')));
  } catch {
    return undefined;
  }
}

function messageInBytes(line: Buffer): RpcMessage | undefined {
  // Decoding would repair invalid UTF-8; passed on as it is, it would break strict clients.
  const outline = isUtf8(line) && !hasSeparator(line) ? outlineOf(line) : undefined;
  // Between tokens JSON allows a carriage return, at which some clients end lines; inside of strings it does not.
  if (outline === undefined || outline.text.trimEnd().includes('\r')) return undefined;
  const value: unknown = JSON.parse(outline.text);
  const message = messageIn(value);
  if (!isRecord(value) || message === undefined || !('result' in message)) return undefined;
  const result = readBytes(line, value, outline.keys);
  return result && { ...message, result };
}
