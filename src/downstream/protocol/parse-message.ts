import { isUtf8 } from 'node:buffer';
import { isRecord } from '../../jsonrpc/json.js';
import { isRequestId, type RpcMessage } from '../../jsonrpc/messages.js';
import { withoutLongStrings } from '../../results/json-outline.js';
import { minBytesToKeep, readBytes } from '../../results/read-bytes.js';

/** Parses the bytes of one message. The one place that decides whether a result becomes objects or stays bytes. */
export function parseMessage(line: Buffer): RpcMessage | undefined {
  try {
    return (line.length < minBytesToKeep ? undefined : messageInBytes(line)) ?? parsed(line.toString('utf8'));
  } catch {
    return undefined;
  }
}

function messageInBytes(line: Buffer): RpcMessage | undefined {
  // Decoding would repair invalid UTF-8; passed on as it is, it would break strict clients.
  const structure = isUtf8(line) ? withoutLongStrings(line) : undefined;
  const outline = structure === undefined ? undefined : parsed(structure);
  const result = outline && 'result' in outline ? readBytes(line, { ...outline }) : undefined;
  return outline && result && { ...outline, result };
}

function parsed(text: string): RpcMessage | undefined {
  const value: unknown = JSON.parse(text);
  return isMessage(value) ? value : undefined;
}

/** Whether a parsed JSON value is a JSON-RPC message. What is in `params` and `result` is not checked. */
export function isMessage(value: unknown): value is RpcMessage {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') return false;
  const { id, error } = value;
  if (typeof value['method'] === 'string') {
    return (id === undefined || isRequestId(id)) && (value['params'] === undefined || isRecord(value['params']));
  }
  if (!isRequestId(id)) return false;
  // Some servers write both, and null for the one that does not apply.
  if (error === undefined || error === null) return 'result' in value;
  return isRecord(error) && typeof error['code'] === 'number' && typeof error['message'] === 'string';
}
