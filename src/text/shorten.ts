/** At most `length` characters of a text, without splitting a surrogate pair; an ellipsis marks the cut. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  return length < 1 ? '' : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** The same, cut between words if possible. */
export function shortenAtWord(text: string, length: number): string {
  const cut = shorten(text, length);
  const lastSpace = cut.lastIndexOf(' ');
  // Without spaces, as in Chinese, or if the last one is far back, the cut is inside a word.
  return cut === text || lastSpace < length / 2 ? cut : `${cut.slice(0, lastSpace)}…`;
}
