/** Shorter texts are not looked for. The first characters of a text are its key. */
export const shortestFound = 6;

/** `isCut`: the text may end inside of one of those looked for; then the beginning of one at the end of the text is replaced, too. */
export type ReplaceAny = (text: string, isCut?: boolean) => string;

/**
 * Replaces every occurrence of any of many texts; overlapping ones become one replacement. A loop of its own: a regular
 * expression takes longer the more alternatives it has, and cannot be compiled for a large file of variables.
 */
export function createReplaceAny(wanted: Iterable<string>, replacement: string): ReplaceAny {
  const texts = [...new Set(wanted)].filter((text) => text.length >= shortestFound);
  if (texts.length === 0) return (text) => text;
  const findEnd = createFinder(texts);
  // By their first three characters: nearly all places of a text are passed with one look.
  const size = 2 ** Math.min(20, Math.max(10, Math.ceil(Math.log2(8 * texts.length))));
  const begins = new Uint8Array(size);
  for (const text of texts) begins[beginning(text, 0) & (size - 1)] = 1;

  return (text, isCut = false) => {
    let shown = '';
    let end = 0;
    for (let at = 0; at <= text.length - shortestFound; at++) {
      if (begins[beginning(text, at) & (size - 1)] === 0) continue;
      const foundEnd = findEnd(text, at, isCut);
      if (foundEnd <= end) continue;
      if (at >= end) shown += text.slice(end, at) + replacement;
      end = foundEnd;
    }
    return end === 0 ? text : shown + text.slice(end);
  };
}

/** Where the longest of the texts that begins at a place ends; 0 if none does. */
function createFinder(texts: readonly string[]): (text: string, at: number, isCut: boolean) => number {
  const byKey = new Map<string, string[]>();
  for (const text of texts.toSorted((one, other) => other.length - one.length)) {
    const key = text.slice(0, shortestFound);
    const others = byKey.get(key);
    if (others === undefined) byKey.set(key, [text]);
    else others.push(text);
  }
  return (text, at, isCut) => {
    const candidates = byKey.get(text.slice(at, at + shortestFound));
    if (candidates === undefined) return 0;
    const rest = text.length - at;
    const match = candidates.find(
      (one) => text.startsWith(one, at) || (isCut && rest < one.length && one.startsWith(text.slice(at))),
    );
    return match === undefined ? 0 : Math.min(text.length, at + match.length);
  };
}

function beginning(text: string, at: number): number {
  return text.charCodeAt(at) + 61 * text.charCodeAt(at + 1) + 3_721 * text.charCodeAt(at + 2);
}
