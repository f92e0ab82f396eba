import { isRecord } from '../jsonrpc/json.js';

export type Pieces = readonly (string | Uint8Array)[];

/** A result that is JSON already: a `ToolResult`, or what a host has sent. */
export interface HeldResult {
  bytes(): Pieces | undefined;
}

/** Undefined for a value. Not by `instanceof`: parts have their own copies of the class. Values parsed from JSON contain no functions. */
export function bytesOf(result: unknown): Pieces | undefined {
  if (!isRecord(result) || typeof result['bytes'] !== 'function') return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only a result held as bytes has functions
  return (result as unknown as HeldResult).bytes();
}

/** The JSON of a result that is held as bytes. */
export function textOf(bytes: Pieces): string {
  return bytes.length === 1 && typeof bytes[0] === 'string'
    ? bytes[0]
    : Buffer.concat(bytes.map((piece) => Buffer.from(piece))).toString('utf8');
}
