import type { CallToolResult } from '../contract/types.js';
import type { ToolResult } from './tool-result.js';

type Fields = Readonly<Record<string, unknown>>;

const nothing: Fields = {};

/**
 * A large result as the bytes it came in. It is well-formed, it is no error, it asks nothing, it has no `_meta` and it
 * links to no resources: nothing has to be done to it, so no object was made of it.
 */
export class BytesResult implements ToolResult {
  readonly isError = false;
  readonly isInputRequired = false;
  readonly meta = nothing;
  readonly hasObject: boolean;
  readonly #pieces: readonly Uint8Array[];
  readonly #kinds: readonly string[];

  constructor(pieces: readonly Uint8Array[], kinds: readonly string[], hasObject: boolean) {
    this.#pieces = pieces;
    this.#kinds = kinds;
    this.hasObject = hasObject;
  }

  kinds(): readonly string[] {
    return this.#kinds;
  }

  resources(): readonly string[] {
    return [];
  }

  value(): CallToolResult {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was checked to be the JSON of an object when it came in
    return JSON.parse(Buffer.concat(this.#pieces).toString('utf8')) as CallToolResult;
  }

  with(fields: Fields): ToolResult {
    const before = this.#pieces.slice(0, -1);
    const last = this.#pieces.at(-1) ?? new Uint8Array();
    // At the end: of two equal keys the last counts, and the server may have repeated one.
    const end = Buffer.from(`,${JSON.stringify(fields).slice(1)}`);
    return new BytesResult([...before, last.subarray(0, -1), end], this.#kinds, this.hasObject);
  }

  bytes(): readonly Uint8Array[] {
    return this.#pieces;
  }

  toJSON(): CallToolResult {
    return this.value();
  }
}
