/** The bytes that a result was read from, to be passed on instead of writing it anew. */
const rawBytes = Symbol('raw bytes');

interface Raw {
  readonly bytes: Buffer;
  readonly source: Readonly<Record<string, unknown>>;
}

/** What may be added to a result on its way to the agent without making its bytes useless. */
const mayBeAdded = new Set(['resultType', '_meta']);

/** Keeps the bytes of a result with it. They go along when it is copied, and are not believed once a copy differs. */
export function keepRaw(result: Record<string, unknown>, bytes: Buffer): void {
  const raw: Raw = { bytes, source: { ...result } };
  Object.defineProperty(result, rawBytes, { value: raw, enumerable: true });
}

/** The JSON of a result, in pieces, made of the bytes it came from; undefined if it has none or is no longer what they say. */
export function rawJson(result: Readonly<Record<PropertyKey, unknown>>): readonly (string | Buffer)[] | undefined {
  const raw = rawOf(result);
  if (raw === undefined) return undefined;
  const { bytes, source } = raw;
  const added: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(result)) {
    if (value === source[key] && Object.hasOwn(source, key)) continue;
    if (Object.hasOwn(source, key) || !mayBeAdded.has(key)) return undefined;
    added[key] = value;
  }
  if (Object.keys(source).some((key) => !Object.hasOwn(result, key))) return undefined;
  if (Object.keys(added).length === 0) return [bytes];
  const rest = bytes.subarray(1);
  return [JSON.stringify(added).slice(0, -1), Object.keys(source).length === 0 ? '' : ',', rest];
}

function rawOf(result: Readonly<Record<PropertyKey, unknown>>): Raw | undefined {
  const value = result[rawBytes];
  return isRaw(value) ? value : undefined;
}

function isRaw(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && 'bytes' in value && 'source' in value;
}

/**
 * The bytes of `result` inside of a JSON-RPC answer, for the two orders of keys that are written in practice:
 * jsonrpc, id, result (most) and result, jsonrpc, id (the TypeScript SDK).
 */
export function resultBytes(line: Buffer, message: Readonly<Record<string, unknown>>): Buffer | undefined {
  const end = line.at(-1) === 0x0d ? line.length - 1 : line.length;
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
  const [first, last] = [Buffer.byteLength(before), end - Buffer.byteLength(after)];
  if (last <= first || line.toString('utf8', 0, first) !== before || line.toString('utf8', last, end) !== after)
    return undefined;
  const bytes = line.subarray(first, last);
  // A key that is repeated does not show; so what is written around these bytes must not depend on it.
  return bytes[0] === 0x7b && bytes.at(-1) === 0x7d ? bytes : undefined;
}
