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

/**
 * A JSON text with its long strings emptied, to be parsed for its structure: a large result is mostly one long string,
 * and decoding that costs more than the rest. The bytes are decoded as Latin-1; all structure is ASCII. The omitted
 * strings are checked, so the text is well-formed if the outline is. Undefined if it is not well-formed.
 */
export function withoutLongStrings(bytes: Buffer): string | undefined {
  const lead = bytes.byteOffset & 3;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset - lead, (lead + bytes.length) >> 2);
  const text = { bytes, words, lead };
  let kept = '';
  let from = 0;
  for (let open = nextQuote(bytes, 0); open < bytes.length; ) {
    const close = endOfString(text, open + 1);
    if (close === undefined) return undefined;
    if (close - open > longest) {
      kept += bytes.toString('latin1', from, open + 1);
      from = close;
    }
    open = nextQuote(bytes, close + 1);
  }
  return kept + bytes.toString('latin1', from);
}

function nextQuote(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== quote) at++;
  return at;
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
  if (kind === 0x75) return /^[0-9a-fA-F]{4}$/.test(bytes.toString('latin1', at + 2, at + 6)) ? 6 : 0;
  return '"\\/bfnrt'.includes(String.fromCharCode(kind)) ? 2 : 0;
}
