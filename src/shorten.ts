/** At most `length` characters of a text; an ellipsis shows that some are missing. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1))}…`;
}
