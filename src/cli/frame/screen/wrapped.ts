import { displayWidth } from '../../../text/display-width.js';
import { withoutColors } from './marks.js';

/** A text with its lines broken between words to fit a terminal. `hanging`: the indent of all lines but the first. */
export function wrapped(text: string, width: number | undefined, indent: number, hanging: number = indent): string {
  if (width === undefined) return ' '.repeat(indent) + text;
  // A narrow terminal has no room for indents.
  const inner = width < 40 ? Math.min(2, hanging) : hanging;
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const room = width - (lines.length === 0 ? Math.min(indent, inner) : inner);
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && displayWidth(withoutColors(longer)) > room) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line]
    .map((one, index) => ' '.repeat(index === 0 ? Math.min(indent, inner) : inner) + one)
    .join('\n');
}

/** In the place of a space at which no line is broken. */
export const noBreak = '\u00A0';

export function unbroken(text: string): string {
  return text.replaceAll(' ', noBreak);
}

/**
 * Wraps long lines of a text between words; continuation lines are indented like the text. Commands are
 * pasted, so none of them is broken.
 */
export function fitted(lines: string, width: number | undefined): string {
  if (width === undefined) return lines;
  return lines
    .split('\n')
    .map((line) => {
      if (displayWidth(withoutColors(line)) <= width) return line;
      const [, indent = ''] = /^( *)/.exec(line) ?? [];
      const [, column = ''] = /^( *\S+(?: \S+)* {2,})\S/.exec(line) ?? [];
      const isColumn = column.length > 0 && column.length < width / 2;
      const hanging = isColumn ? column.length : indent.length;
      const text = line.slice(indent.length).replaceAll(/ {2,}/g, (gap) => (isColumn ? unbroken(gap) : ' '));
      const words = text.replaceAll(/mcp-workbench [^`\n]*/g, unbroken);
      return wrapped(words, width, indent.length, hanging).replaceAll(noBreak, ' ');
    })
    .join('\n');
}
