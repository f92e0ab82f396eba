const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;
/** Shorter ones are kept: they may be what is looked for. */
const longest = 256;

interface Text {
  readonly bytes: Buffer;
  /** The same memory, four bytes at a time; `lead` bytes before the first of ours. */
  readonly words: Int32Array;
  readonly lead: number;
}

/**
 * A JSON text with the insides of its long strings left out, to be parsed for its structure: a large result is mostly one
 * long string, and making that costs more than all else. The bytes are taken for Latin-1; all structure is ASCII. What is
 * left out has been checked, so the text is well-formed if what is left is. Undefined: it is not.
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

/** Where the closing quote is; undefined if there is none, or anything before it is not well-formed. */
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
    // Each term has the highest bit of a byte set if that byte is what is looked for, or stands above one that is.
    const found =
      ((word - 0x20202020) & ~word) | ((quotes - 0x01010101) & ~quotes) | ((slashes - 0x01010101) & ~slashes);
    if ((found & 0x80808080) !== 0) break;
  }
  return index;
}

/** How long the escape at `at` is; 0 if it is none. */
function escapeLength(bytes: Buffer, at: number): number {
  const kind = bytes[at + 1] ?? 0;
  if (kind === 0x75) return /^[0-9a-fA-F]{4}$/.test(bytes.toString('latin1', at + 2, at + 6)) ? 6 : 0;
  return '"\\/bfnrt'.includes(String.fromCharCode(kind)) ? 2 : 0;
}
