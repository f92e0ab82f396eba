// Blocks in which a character takes two columns of a terminal: CJK, Hangul, fullwidth forms, ideographs of later planes.
const wide: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x17000, 0x18cff],
  [0x1b000, 0x1b2ff],
  [0x20000, 0x3fffd],
];
// Latin letters, dashes, dots and our marks take one column each, and need neither of the expressions below.
const narrow = /^[ -~\u00A0-\u00AC\u00AE-\u02FF\u2010-\u2027\u25CB\u25CF\u2713\u2717]*$/;

/** How many columns of a terminal a text takes: two for wide characters and emoji, none for combining ones. */
export function displayWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter().segment(text)) width += widthOfSegment(segment);
  return width;
}

/** As much of the text as fits into this many columns; `ellipsis` marks the cut. */
export function cutToWidth(text: string, columns: number, ellipsis = '…'): string {
  if (displayWidth(text) <= columns) return text;
  const room = columns - displayWidth(ellipsis);
  if (room < 0) return '';
  let cut = '';
  let width = 0;
  for (const { segment } of segmenter().segment(text)) {
    width += widthOfSegment(segment);
    if (width > room) break;
    cut += segment;
  }
  return `${cut.trimEnd()}${ellipsis}`;
}

export function padToWidth(text: string, columns: number, at: 'start' | 'end' = 'end'): string {
  const fill = ' '.repeat(Math.max(0, columns - displayWidth(text)));
  return at === 'end' ? text + fill : fill + text;
}

function widthOfSegment(segment: string): number {
  const code = segment.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < 0x7f) return segment.includes('\uFE0F\u20E3') ? 2 : 1;
  if (expressions().nothing.test(segment)) return 0;
  if (expressions().emoji.test(segment)) return 2;
  return wide.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

// Expressions of Unicode and the segmenter take milliseconds to be made, and nearly all text needs neither.
let made: { readonly nothing: RegExp; readonly emoji: RegExp } | undefined;
let cutter: Intl.Segmenter | undefined;

function expressions() {
  made ??= {
    nothing: new RegExp(String.raw`^[\p{Cc}\p{M}\p{Default_Ignorable_Code_Point}]`, 'u'),
    emoji: new RegExp(String.raw`^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F)`, 'u'),
  };
  return made;
}

function segmenter(): Intl.Segmenter {
  cutter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return cutter;
}
