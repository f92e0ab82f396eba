import { isRecord, type JsonObject } from '../jsonrpc/json.js';
import { metaKeys } from '../jsonrpc/revisions.js';
import { BytesResult } from './bytes-result.js';
import type { Outline } from './json-outline.js';

/** Smaller results are parsed: that costs next to nothing. */
export const minBytesToKeep = 16_384;

/** Keys that belong to the connection and are not forwarded to the agent. */
const connectionKeys = new Set(['resultType', '_meta']);
const plainKeys = new Set(['content', 'structuredContent', 'isError']);
const linkingKinds = new Set(['resource', 'resource_link']);

/**
 * The result of a JSON-RPC response, kept as bytes. `outline` is the parsed outline of the response: only short ASCII strings
 * of it are read. Undefined if the result needs processing and must be parsed.
 */
export function readBytes(line: Buffer, outline: JsonObject, [outer, inner]: Outline['keys']): BytesResult | undefined {
  const { result } = outline;
  if (!isRecord(result) || !Array.isArray(result['content'])) return undefined;
  const kinds = kindsOf(result['content']);
  const keys = Object.keys(result);
  if (kinds === undefined || result['isError'] === true) return undefined;
  if (!keys.every((key) => plainKeys.has(key) || connectionKeys.has(key))) return undefined;
  // Of duplicate keys we read the last, and a client may read the first.
  if (outer !== Object.keys(outline).length || inner !== keys.length) return undefined;
  const bytes = resultBytes(line, outline);
  const pieces = bytes && (keys.some((key) => connectionKeys.has(key)) ? withoutTail(bytes, result) : [bytes]);
  const { structuredContent } = result;
  return pieces && new BytesResult(pieces, [...kinds], structuredContent === undefined || isRecord(structuredContent));
}

function kindsOf(content: readonly unknown[]): ReadonlySet<string> | undefined {
  const kinds = new Set<string>();
  for (const block of content) {
    const kind = isRecord(block) ? block['type'] : undefined;
    if (typeof kind !== 'string' || linkingKinds.has(kind)) return undefined;
    kinds.add(kind);
  }
  return kinds;
}

/** Servers add the keys of the connection last, where they can be cut off. */
function withoutTail(bytes: Buffer, result: JsonObject): readonly Buffer[] | undefined {
  const { resultType = 'complete', _meta: meta = {} } = result;
  if (resultType !== 'complete' || !isRecord(meta)) return undefined;
  if ('_meta' in result && Object.keys(meta).join() !== metaKeys.serverInfo) return undefined;
  const last = Object.entries(result).filter(([key]) => connectionKeys.has(key));
  const tail = Buffer.from(`,${JSON.stringify(Object.fromEntries(last)).slice(1)}`, 'latin1');
  const end = bytes.length - tail.length;
  if (end < 2 || !bytes.subarray(end).equals(tail)) return undefined;
  return [bytes.subarray(0, end), closing];
}

const closing = Buffer.from('}');

/**
 * The bytes of `result` inside a JSON-RPC response, for the two key orders used in practice:
 * jsonrpc, id, result (most) and result, jsonrpc, id (the TypeScript SDK).
 */
function resultBytes(line: Buffer, message: JsonObject): Buffer | undefined {
  let end = line.length;
  while (line[end - 1] === 0x0d || line[end - 1] === 0x0a) end--;
  const id = JSON.stringify(message['id']);
  switch (Object.keys(message).join(' ')) {
    case 'jsonrpc id result':
      return between(line, end, `{"jsonrpc":"2.0","id":${id},"result":`, '}');
    case 'result jsonrpc id':
      return between(line, end, '{"result":', `,"jsonrpc":"2.0","id":${id}}`);
    default:
      return undefined;
  }
}

function between(line: Buffer, end: number, before: string, after: string): Buffer | undefined {
  const [first, last] = [before.length, end - after.length];
  if (last <= first || line.toString('latin1', 0, first) !== before || line.toString('latin1', last, end) !== after)
    return undefined;
  const bytes = line.subarray(first, last);
  return bytes[0] === 0x7b && bytes.at(-1) === 0x7d ? bytes : undefined;
}
