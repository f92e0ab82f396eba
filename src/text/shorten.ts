/** At most `length` characters of a text, none of them half of a pair; an ellipsis shows that some are missing. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  return length < 1 ? '' : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** The same, cut between words where there are any near. */
export function shortenAtWord(text: string, length: number): string {
  const cut = shorten(text, length);
  const lastSpace = cut.lastIndexOf(' ');
  // Without spaces, as in Chinese, or with the last one far back, the cut stays where it is.
  return cut === text || lastSpace < length / 2 ? cut : `${cut.slice(0, lastSpace)}…`;
}
