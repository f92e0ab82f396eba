import type { CallToolResult } from '../contract/types.js';
import { isRecord } from '../jsonrpc/json.js';

/**
 * A large result as the bytes it came in. It is well-formed, it is no error, and it links to no resources; nothing has
 * to be done to it, so nothing was made of it.
 */
export class PackedResult {
  readonly #pieces: readonly Uint8Array[];
  /** The kinds of its content. */
  readonly kinds: ReadonlySet<string>;
  /** Whether its structured content, if any, is an object. */
  readonly hasObject: boolean;

  constructor(pieces: readonly Uint8Array[], kinds: ReadonlySet<string>, hasObject: boolean) {
    this.#pieces = pieces;
    this.kinds = kinds;
    this.hasObject = hasObject;
  }

  unpack(): CallToolResult {
    const value: unknown = JSON.parse(Buffer.concat(this.#pieces).toString('utf8'));
    return isRecord(value) ? value : {};
  }

  /** The same with something more in it. */
  plus(added: Readonly<Record<string, unknown>>): PackedResult {
    const before = this.#pieces.slice(0, -1);
    const last = this.#pieces.at(-1) ?? new Uint8Array();
    // At the end: of two keys the last counts, and the server may have repeated one.
    const end = Buffer.from(`,${JSON.stringify(added).slice(1)}`);
    return new PackedResult([...before, last.subarray(0, -1), end], this.kinds, this.hasObject);
  }

  /** The JSON of it. */
  json(): readonly Uint8Array[] {
    return this.#pieces;
  }
}

/** A result that may be packed, as an object. */
export function unpacked<T>(result: T | PackedResult): T | CallToolResult {
  return result instanceof PackedResult ? result.unpack() : result;
}
