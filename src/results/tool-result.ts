import type { CallToolResult } from '../contract/types.js';
import { isRecord, type JsonObject } from '../jsonrpc/json.js';

/** The bytes of a request and of its response. */
export interface CallSizes {
  /** Undefined where the request is written by another library. */
  sent: number | undefined;
  received: number | undefined;
}

/** The result of a tool call, held as a value or as the bytes it arrived in. Code that forwards it works with either. */
export interface ToolResult {
  readonly isError: boolean;
  /** Under 2026-07-28 the result of a call may be questions. */
  readonly isInputRequired: boolean;
  readonly meta: JsonObject;
  /** Whether its structured content, if any, is an object. */
  readonly hasObject: boolean;
  /** Whether `content` is a list and the kind of every block passes; a block may have no kind. */
  everyKind(passes: (kind: string | undefined) => boolean): boolean;
  /** The URIs of the resources that it contains or links to. */
  resources(): readonly string[];
  /** The whole result as an object. */
  value(): CallToolResult;
  /** The same with these fields added or replaced. */
  with(fields: JsonObject): ToolResult;
  /** How large the call was; undefined if that was not measured. */
  sizes?: CallSizes | undefined;
  /** Of an error: the first line of its text, without configured secrets; undefined if it has no text. */
  reason?: string | undefined;
  /** Its original JSON, if still available, to be written as it is. */
  bytes(): readonly Uint8Array[] | undefined;
  /** For JSON.stringify. */
  toJSON(): CallToolResult;
}

/** A result held as a value. */
export class ValueResult implements ToolResult {
  // Not `#held`: initializing a private field shows in the cost of a call.
  private readonly held: CallToolResult;
  sizes: CallSizes | undefined;
  reason: string | undefined;

  constructor(value: CallToolResult) {
    this.held = value;
  }

  get isError(): boolean {
    return this.held.isError === true;
  }

  get isInputRequired(): boolean {
    return this.held['resultType'] === 'input_required';
  }

  get meta(): JsonObject {
    const { _meta: meta } = this.held;
    return isRecord(meta) ? meta : {};
  }

  get hasObject(): boolean {
    const { structuredContent } = this.held;
    return structuredContent === undefined || isRecord(structuredContent);
  }

  everyKind(passes: (kind: string | undefined) => boolean): boolean {
    return this.blocks()?.every((block) => passes(kindOf(block))) ?? false;
  }

  resources(): readonly string[] {
    const uris = this.blocks()?.filter(isResource).map(uriIn) ?? [];
    return uris.filter((uri) => typeof uri === 'string');
  }

  value(): CallToolResult {
    return this.held;
  }

  with(fields: JsonObject): ToolResult {
    const changed = new ValueResult({ ...this.held, ...fields });
    changed.sizes = this.sizes;
    changed.reason = this.reason;
    return changed;
  }

  bytes(): undefined {
    return undefined;
  }

  toJSON(): CallToolResult {
    return this.held;
  }

  // Results are not validated: servers may send anything, whatever the type says.
  private blocks(): readonly unknown[] | undefined {
    const { content } = this.held;
    return Array.isArray(content) ? content : undefined;
  }
}

function kindOf(block: unknown): string | undefined {
  const kind = isRecord(block) ? block['type'] : undefined;
  return typeof kind === 'string' ? kind : undefined;
}

function isResource(block: unknown): boolean {
  const kind = kindOf(block);
  return kind === 'resource_link' || kind === 'resource';
}

function uriIn(block: unknown): unknown {
  if (!isRecord(block)) return undefined;
  if (block['type'] === 'resource_link') return block['uri'];
  return isRecord(block['resource']) ? block['resource']['uri'] : undefined;
}
