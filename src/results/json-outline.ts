import { maxMessageDepth, maxMessageParts } from '../limits.js';

const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;
/** Shorter strings are kept: they may be keys or kinds that are needed. */
const longest = 256;

interface Text {
  readonly bytes: Buffer;
  /** The same memory, four bytes at a time; it starts `lead` bytes before `bytes`. */
  readonly words: Int32Array;
  readonly lead: number;
}

/** The structure of a JSON text. */
export interface Outline {
  /** The text with its long strings emptied, decoded as Latin-1: all structure is ASCII. */
  readonly text: string;
  /** How often a key is written in the outermost object, and in objects that are values of it. Duplicate keys count. */
  readonly keys: readonly [outer: number, inner: number];
}

/** Where the outline is: how deep in objects and arrays, and how many colons were seen at each depth so far. */
interface Place {
  depth: number;
  outer: number;
  inner: number;
  parts: number;
}

/** A text was not read to its end: parsing it would take too long, or it is nested too deeply for clients. */
export class TooComplex extends Error {
  override readonly name = 'TooComplex';
  /** Nobody waits for this message. */
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
  const lead = bytes.byteOffset & 3;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset - lead, (lead + bytes.length) >> 2);
  const text = { bytes, words, lead };
  const place = { depth: 0, outer: 0, inner: 0, parts: 0 };
  let kept = '';
  let from = 0;
  for (let open = nextQuote(bytes, 0, place); open < bytes.length; ) {
    const close = endOfString(text, open + 1);
    if (close === undefined) return undefined;
    if (close - open > longest) {
      kept += bytes.toString('latin1', from, open + 1);
      from = close;
    }
    open = nextQuote(bytes, close + 1, place);
  }
  return { text: kept + bytes.toString('latin1', from), keys: [place.outer, place.inner] };
}

function nextQuote(bytes: Buffer, from: number, place: Place): number {
  let at = from;
  for (; at < bytes.length; at++) {
    switch (bytes[at]) {
      case quote:
        return at;
      case 0x3a: // :
        if (place.depth === 1) place.outer++;
        if (place.depth === 2) place.inner++;
        break;
      case 0x7b: // {
      case 0x5b: // [
        place.depth++;
        place.parts++;
        if (place.depth > maxMessageDepth) {
          throw new TooComplex(`it is nested more than ${maxMessageDepth} levels deep`);
        }
        checkParts(place);
        break;
      case 0x2c: // ,
        place.parts++;
        checkParts(place);
        break;
      case 0x7d: // }
      case 0x5d: // ]
        place.depth--;
        break;
      default:
    }
  }
  return at;
}

function checkParts({ parts }: Place): void {
  if (parts > maxMessageParts) throw new TooComplex(`it has more than ${maxMessageParts} values`);
}

/** The position of the closing quote; undefined if it is missing or the string is malformed. */
function endOfString({ bytes, words, lead }: Text, from: number): number | undefined {
  for (let at = from; at < bytes.length; ) {
    if (((lead + at) & 3) === 0) at = (skipPlain(words, (lead + at) >> 2) << 2) - lead;
    const byte = bytes[at] ?? 0;
    if (byte === quote) return at;
    if (byte < firstPrintable) return undefined;
    const length = byte === backslash ? escapeLength(bytes, at) : 1;
    if (length === 0) return undefined;
    at += length;
  }
  return undefined;
}

/** The first word, from the given one on, in which a byte is a quote, a backslash or a control character. */
function skipPlain(words: Int32Array, from: number): number {
  let index = from;
  for (; index < words.length; index++) {
    const word = words[index] ?? 0;
    const quotes = word ^ 0x22222222;
    const slashes = word ^ 0x5c5c5c5c;
    // Each term sets the highest bit of a byte if that byte matches, or is above one that does.
    const found =
      ((word - 0x20202020) & ~word) | ((quotes - 0x01010101) & ~quotes) | ((slashes - 0x01010101) & ~slashes);
    if ((found & 0x80808080) !== 0) break;
  }
  return index;
}

/** The length of the escape at `at`; 0 if it is invalid. */
function escapeLength(bytes: Buffer, at: number): number {
  const kind = bytes[at + 1] ?? 0;
  if (kind === 0x75)
    return isHex(bytes[at + 2]) && isHex(bytes[at + 3]) && isHex(bytes[at + 4]) && isHex(bytes[at + 5]) ? 6 : 0;
  return '"\\/bfnrt'.includes(String.fromCharCode(kind)) ? 2 : 0;
}

function isHex(byte = 0): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}
