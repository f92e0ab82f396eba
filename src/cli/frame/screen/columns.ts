import { cutToWidth, displayWidth, padToWidth } from '../../../text/display-width.js';
import { withoutColors } from './marks.js';

/** A line of cells. */
export interface Row {
  readonly cells: readonly string[];
  readonly indent?: number;
  /** Follows the cells if there is room, else it has a line of its own. It is never cut: commands are pasted. */
  readonly note?: string;
  /** Its one cell stands over the columns. */
  readonly isHeading?: boolean;
}

export interface Layout {
  /** The names of the columns: a line above them; where each cell has a line of its own, before the cell. */
  readonly header?: readonly string[];
  /** Columns that are aligned to the right. */
  readonly right?: readonly number[];
  /** Columns that may be cut, the first one first, and how much of each stays. */
  readonly flexible?: readonly (readonly [column: number, least: number])[];
}

interface Room extends Layout {
  /** Undefined: nothing is cut. */
  readonly width?: number | undefined;
  readonly ellipsis?: string;
}

const gap = 2;
const widthOf = (cell: string) => displayWidth(withoutColors(cell));

/**
 * Rows as lines of aligned columns that fit the width; on a terminal too narrow for that, a line for each cell. Texts between
 * them are as given.
 */
export function alignedRows(rows: readonly (Row | string)[], room: Room): string[] {
  const onOneLine = rows.map((row) =>
    typeof row === 'string' ? row : { ...row, cells: row.cells.map((cell) => cell.replaceAll(/[\t\r\n]+/g, ' ')) },
  );
  const named = onOneLine.filter((row) => typeof row !== 'string');
  const columns = named.filter(({ isHeading = false }) => !isHeading);
  const header = headerOf(columns, room);
  const widths = fittedWidths([...header, ...columns], room);
  const lines = onOneLine.flatMap((row) => {
    if (typeof row === 'string') return [row];
    return widths === undefined || row.isHeading === true ? stacked(row, room) : lineOf(row, widths, room);
  });
  return widths === undefined ? lines : [...header.flatMap((row) => lineOf(row, widths, room)), ...lines];
}

/** None where there is nothing below it. */
function headerOf([first]: readonly Row[], { header }: Room): Row[] {
  return header === undefined || first === undefined ? [] : [{ cells: header, indent: first.indent ?? 0 }];
}

/** The widths of the columns, the first one with its indent; undefined if they do not fit. */
function fittedWidths(rows: readonly Row[], { width, flexible = [] }: Room): number[] | undefined {
  const widths: number[] = [];
  for (const { cells, indent = 0 } of rows)
    for (const [column, cell] of cells.entries())
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell) + (column === 0 ? indent : 0));
  if (width === undefined) return widths;
  const total = () => widths.reduce((sum, one) => sum + one, gap * Math.max(0, widths.length - 1));
  for (const [column, least] of flexible) {
    const own = widths[column] ?? 0;
    widths[column] = Math.max(Math.min(least, own), own - Math.max(0, total() - width));
  }
  return total() <= width ? widths : undefined;
}

function lineOf({ cells, indent = 0, note }: Row, widths: readonly number[], room: Room): string[] {
  const { width = Number.POSITIVE_INFINITY, right = [], ellipsis } = room;
  const shown = cells.map((cell, column) => {
    const columns = (widths[column] ?? 0) - (column === 0 ? indent : 0);
    const cut = cutCell(cell, columns, ellipsis);
    // Colours have no width.
    return padToWidth(cut, columns + displayWidth(cut) - widthOf(cut), right.includes(column) ? 'start' : 'end');
  });
  const line = `${' '.repeat(indent)}${shown.join(' '.repeat(gap))}`;
  if (note === undefined) return [line.trimEnd()];
  const joined = [`${line}${' '.repeat(gap)}${note}`, `${line.trimEnd()}${' '.repeat(gap)}${note}`];
  const fitting = joined.find((one) => widthOf(one) <= width);
  return fitting === undefined ? [line.trimEnd(), `${' '.repeat(indent + 2 * gap)}${note}`] : [fitting];
}

function stacked({ cells, indent = 0, note }: Row, { width, ellipsis, header = [] }: Room): string[] {
  const at = (column: number) => ' '.repeat(column === 0 ? indent : indent + gap);
  const lines = cells
    .map((cell, column) => (cell.trim() === '' ? '' : [header[column] ?? '', cell].filter(Boolean).join(' ')))
    .filter((cell) => cell !== '')
    .map((cell, column) => at(column) + cutCell(cell, (width ?? Infinity) - at(column).length, ellipsis));
  return note === undefined ? lines : [...lines, at(1) + note];
}

/** Of a path the end says more than the start. */
function cutCell(cell: string, columns: number, ellipsis: string | undefined): string {
  if (widthOf(cell) <= columns) return cell;
  const room = Math.max(1, columns);
  return /^(?:~|[A-Za-z]:)?[/\\]/.test(cell)
    ? cutStart(cell, room, ellipsis)
    : cutToWidth(withoutColors(cell), room, ellipsis);
}

function cutStart(path: string, columns: number, ellipsis = '…'): string {
  const characters = Array.from(path);
  const room = columns - displayWidth(ellipsis);
  while (characters.length > 0 && displayWidth(characters.join('')) > room) characters.shift();
  return `${ellipsis}${characters.join('')}`;
}
