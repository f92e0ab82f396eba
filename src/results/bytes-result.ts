import type { CallToolResult } from '../contract/types.js';
import type { JsonObject } from '../jsonrpc/json.js';
import type { CallSizes, ToolResult } from './tool-result.js';

const noFields: JsonObject = {};

/**
 * A large result as the bytes it arrived in. It is well-formed, not an error, not `input_required`, has no `_meta` and
 * links to no resources: it needs no processing, so it is not parsed.
 */
export class BytesResult implements ToolResult {
  readonly isError = false;
  readonly isInputRequired = false;
  readonly meta = noFields;
  readonly hasObject: boolean;
  sizes: CallSizes | undefined;
  readonly #pieces: readonly Uint8Array[];
  readonly #kinds: readonly string[];

  constructor(pieces: readonly Uint8Array[], kinds: readonly string[], hasObject: boolean) {
    this.#pieces = pieces;
    this.#kinds = kinds;
    this.hasObject = hasObject;
  }

  everyKind(passes: (kind: string | undefined) => boolean): boolean {
    return this.#kinds.every(passes);
  }

  resources(): readonly string[] {
    return [];
  }

  value(): CallToolResult {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was checked to be a JSON object on arrival
    return JSON.parse(Buffer.concat(this.#pieces).toString('utf8')) as CallToolResult;
  }

  with(fields: JsonObject): ToolResult {
    const before = this.#pieces.slice(0, -1);
    const last = this.#pieces.at(-1) ?? new Uint8Array();
    // None of them can be there already: a result with other fields than these three is not kept as bytes.
    const end = Buffer.from(`,${JSON.stringify(fields).slice(1)}`);
    const changed = new BytesResult([...before, last.subarray(0, -1), end], this.#kinds, this.hasObject);
    changed.sizes = this.sizes;
    return changed;
  }

  bytes(): readonly Uint8Array[] {
    return this.#pieces;
  }

  toJSON(): CallToolResult {
    return this.value();
  }
}
