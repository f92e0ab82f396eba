import type { CallToolResult } from '../contract/types.js';
import { isRecord } from '../jsonrpc/json.js';

type Fields = Readonly<Record<string, unknown>>;

/** The result of a tool call, held as a value or as the bytes it arrived in. Code that forwards it works with either. */
export interface ToolResult {
  readonly isError: boolean;
  /** Under 2026-07-28 the result of a call may be questions. */
  readonly isInputRequired: boolean;
  readonly meta: Fields;
  /** Whether its structured content, if any, is an object. */
  readonly hasObject: boolean;
  /** The kinds of its content blocks, undefined for a block without one; undefined if `content` is not a list. */
  kinds(): readonly (string | undefined)[] | undefined;
  /** The URIs of the resources that it contains or links to. */
  resources(): readonly string[];
  /** The whole result as an object. */
  value(): CallToolResult;
  /** The same with these fields added or replaced. */
  with(fields: Fields): ToolResult;
  /** Its original JSON, if still available, to be written as it is. */
  bytes(): readonly Uint8Array[] | undefined;
  /** For JSON.stringify. */
  toJSON(): CallToolResult;
}

/** A result held as a value. */
export class ValueResult implements ToolResult {
  readonly #value: CallToolResult;

  constructor(value: CallToolResult) {
    this.#value = value;
  }

  get isError(): boolean {
    return this.#value.isError === true;
  }

  get isInputRequired(): boolean {
    return this.#value['resultType'] === 'input_required';
  }

  get meta(): Fields {
    const { _meta: meta } = this.#value;
    return isRecord(meta) ? meta : {};
  }

  get hasObject(): boolean {
    const { structuredContent } = this.#value;
    return structuredContent === undefined || isRecord(structuredContent);
  }

  kinds(): readonly (string | undefined)[] | undefined {
    return this.#blocks()?.map((block) => {
      const kind = isRecord(block) ? block['type'] : undefined;
      return typeof kind === 'string' ? kind : undefined;
    });
  }

  resources(): readonly string[] {
    const uris = this.#blocks()?.map(uriIn) ?? [];
    return uris.filter((uri) => typeof uri === 'string');
  }

  value(): CallToolResult {
    return this.#value;
  }

  with(fields: Fields): ToolResult {
    return new ValueResult({ ...this.#value, ...fields });
  }

  bytes(): undefined {
    return undefined;
  }

  toJSON(): CallToolResult {
    return this.#value;
  }

  // Results are not validated: servers may send anything, whatever the type says.
  #blocks(): readonly unknown[] | undefined {
    const { content } = this.#value;
    return Array.isArray(content) ? content : undefined;
  }
}

function uriIn(block: unknown): unknown {
  if (!isRecord(block)) return undefined;
  if (block['type'] === 'resource_link') return block['uri'];
  return block['type'] === 'resource' && isRecord(block['resource']) ? block['resource']['uri'] : undefined;
}
