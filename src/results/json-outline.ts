import { colon, excess, JsonCursor, quote } from '../jsonrpc/json-cursor.js';
import { maxMessageDepth, maxMessageParts } from '../limits.js';

const outlined = {
  levels: 2,
  /** Shorter strings are kept: they may be keys or kinds that are needed. */
  longStrings: 257,
  maxDepth: maxMessageDepth,
  maxParts: maxMessageParts,
};

/** The structure of a JSON text. */
export interface Outline {
  /** The text with its long strings emptied, decoded as Latin-1: all structure is ASCII. */
  readonly text: string;
  /** How often a key is written in the outermost object, and in objects that are values of it. Duplicate keys count. */
  readonly keys: readonly [outer: number, inner: number];
}

/** A text was not read to its end: parsing it would take too long, or it is nested too deeply for clients. */
export class TooComplex extends Error {
  override readonly name = 'TooComplex';
  /** No request waits for this message. */
  readonly isNotice: boolean;

  constructor(message: string, isNotice = false) {
    super(message);
    this.isNotice = isNotice;
  }
}

/**
 * The outline of a JSON text, to be parsed for its structure: a large result is mostly one long string, and decoding that
 * costs more than the rest. The omitted strings are checked, so the text is well-formed if the outline is. Undefined if it
 * is not well-formed. Throws TooComplex.
 */
export function outlineOf(bytes: Buffer): Outline | undefined {
  const cursor = new JsonCursor(outlined);
  cursor.feed(bytes);
  let [outer, inner] = [0, 0];
  let kept = '';
  let from = 0;
  for (let sign = cursor.next(); sign !== 0; sign = cursor.next()) {
    const { at, end, depth } = cursor;
    if (cursor.isBroken) return undefined;
    if (sign === excess) throw tooComplex(depth);
    if (sign === colon && depth === 1) outer++;
    else if (sign === colon && depth === 2) inner++;
    else if (sign === quote && end - at > outlined.longStrings) {
      kept += bytes.toString('latin1', from, at + 1);
      from = end - 1;
    }
  }
  if (cursor.isBroken || cursor.isInString) return undefined;
  return { text: kept + bytes.toString('latin1', from), keys: [outer, inner] };
}

function tooComplex(depth: number): TooComplex {
  const what =
    depth > maxMessageDepth
      ? `is nested more than ${maxMessageDepth} levels deep`
      : `has more than ${maxMessageParts} values`;
  return new TooComplex(`it ${what}`);
}
