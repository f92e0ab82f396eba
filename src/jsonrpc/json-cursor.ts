export const quote = 0x22;
export const comma = 0x2c;
export const colon = 0x3a;
export const openingBracket = 0x5b;
export const closingBracket = 0x5d;
export const openingBrace = 0x7b;
export const closingBrace = 0x7d;

const backslash = 0x5c;
const firstPrintable = 0x20;
const nothing = Buffer.alloc(0);
const noWords: Int32Array = new Int32Array(0);

/** More levels, or more objects, arrays and commas, than allowed. */
export const excess = -1;

/** Infinity is for doubles, which are slower to compare with. */
export const unlimited = 0x3fffffff;

export interface CursorLimits {
  /** Signs are found down to this level; deeper ones are only counted. The outermost object is level 1, with its own braces. */
  readonly levels: number;
  /** Longer strings, with their quotes, are found on every level. */
  readonly longStrings: number;
  readonly maxDepth: number;
  /** Of objects, arrays and commas. */
  readonly maxParts: number;
}

/**
 * Walks over the signs of a JSON text: brackets, braces, commas, colons, and whole strings. What is between them is skipped, and nothing
 * need be well-formed. The text may come in pieces, which are not kept.
 */
export class JsonCursor {
  /** The place of the sign, in the piece; of a string its first quote. */
  at = 0;
  /** Where the sign ends: the next one is at or after it. */
  end = 0;
  /** How many brackets and braces are open after the sign. Below 0 if more were closed. */
  depth = 0;
  /** Whether the last string has no end in the pieces so far. */
  isInString = false;
  /** Whether a string is not well-formed. Known only of a text that is one piece. */
  isBroken = false;
  #parts = 0;
  #bytes: Buffer = nothing;
  /** The same memory, four bytes at a time; it starts `lead` bytes before. */
  #words = noWords;
  #lead = 0;
  readonly #limits: CursorLimits;

  constructor(limits: CursorLimits) {
    this.#limits = limits;
  }

  /** Goes on with the next piece. There are no more signs in the last one. */
  feed(piece: Buffer): void {
    // An escape may be cut in two.
    this.end -= this.#bytes.length;
    this.#bytes = piece;
    this.#lead = piece.byteOffset & 3;
    this.#words = new Int32Array(piece.buffer, piece.byteOffset - this.#lead, (this.#lead + piece.length) >> 2);
  }

  /** The next sign; 0 if there is none in this piece; `excess`. */
  next(): number {
    const bytes = this.#bytes;
    const { levels, longStrings, maxDepth, maxParts } = this.#limits;
    let depth = this.depth;
    let parts = this.#parts;
    let at = this.isInString ? this.#endOfString(this.end) : this.end;
    let found = 0;
    for (; at < bytes.length; at++) {
      const byte = bytes[at];
      switch (byte) {
        case quote: {
          const end = this.#endOfString(at + 1);
          if (depth <= levels || end - at > longStrings) {
            this.at = at;
            this.end = end;
            this.depth = depth;
            this.#parts = parts;
            return quote;
          }
          at = end - 1;
          break;
        }
        case openingBrace:
        case openingBracket:
          depth++;
          parts++;
          if (depth > maxDepth || parts > maxParts) found = excess;
          else if (depth <= levels) found = byte;
          break;
        case closingBrace:
        case closingBracket:
          if (depth <= levels) found = byte;
          depth--;
          break;
        case comma:
          parts++;
          if (parts > maxParts) found = excess;
          else if (depth <= levels) found = byte;
          break;
        case colon:
          if (depth <= levels) found = byte;
          break;
        default:
          continue;
      }
      if (found !== 0) break;
    }
    this.depth = depth;
    this.#parts = parts;
    this.at = at;
    this.end = found === 0 ? at : at + 1;
    return found;
  }

  /** The place after the closing quote; if there is none, where the next piece goes on. */
  #endOfString(from: number): number {
    const bytes = this.#bytes;
    const lead = this.#lead;
    let at = from;
    while (at < bytes.length) {
      if (((lead + at) & 3) === 0) {
        at = (skipPlain(this.#words, (lead + at) >> 2) << 2) - lead;
        if (at >= bytes.length) break;
      }
      const byte = bytes[at] ?? 0;
      if (byte === quote) {
        this.isInString = false;
        return at + 1;
      }
      if (byte === backslash) {
        if (!isEscape(bytes, at)) this.isBroken = true;
        at += 2;
      } else {
        if (byte < firstPrintable) this.isBroken = true;
        at++;
      }
    }
    this.isInString = true;
    return at;
  }
}

/** The first word, from the given one on, in which a byte is a quote, a backslash or a control character. */
function skipPlain(words: Int32Array, from: number): number {
  let index = from;
  for (; index < words.length; index++) {
    const word = words[index] ?? 0;
    const isQuote = word ^ 0x22222222;
    const isBackslash = word ^ 0x5c5c5c5c;
    // Each term sets the highest bit of a byte if that byte matches, or is above one that does.
    const found =
      ((word - 0x20202020) & ~word) | ((isQuote - 0x01010101) & ~isQuote) | ((isBackslash - 0x01010101) & ~isBackslash);
    if ((found & 0x80808080) !== 0) break;
  }
  return index;
}

/** Whether the backslash at `at` begins a valid escape. */
function isEscape(bytes: Buffer, at: number): boolean {
  switch (bytes[at + 1]) {
    case 0x22: // "
    case 0x2f: // /
    case 0x5c: // \
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return true;
    case 0x75: // u
      return isHex(bytes[at + 2]) && isHex(bytes[at + 3]) && isHex(bytes[at + 4]) && isHex(bytes[at + 5]);
    default:
      return false;
  }
}

function isHex(byte = 0): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}
