import { type Cell, jsonChars, type ListedTool, placeColumns, type ToolListing } from './listed-tool.js';
import { longestNotes, notesOn, rowsNote } from './notes.js';
import type { View, Views } from './tool-views.js';

const detailColumns = ['name', 'description', 'signature', 'inputSchema'];

/** Room for parts of the answer whose size is unknown before tools are chosen. */
export const reserveFor = {
  /** Columns, `rows` and the longest notes. */
  notes(entries: readonly ListedTool[], views: Views): number {
    const columns = [...placeColumns(views.options), ...detailColumns];
    return jsonChars({ columns, rows: [], notes: [rowsNote(true), ...longestNotes(entries, views)] }, views.options);
  },
  /** Notes with other numbers, or a column more. */
  changes: 200,
  emptyCell: jsonChars(['', '']) - jsonChars(['']),
};

/** The listing, in order. Columns that no row needs are left out. */
export function assemble(
  entries: readonly ListedTool[],
  shown: ReadonlyMap<ListedTool, View>,
  views: Views,
): ToolListing {
  const listed = entries.flatMap((entry) => shown.get(entry) ?? []);
  const tools = listed.flatMap(({ content }) => (Array.isArray(content) ? [] : [content]));
  const rows = listed.flatMap(({ content }) => (Array.isArray(content) ? [content] : []));
  const reductions = notesOn(entries, shown, views);
  if (rows.length === 0) return { tools, notes: reductions };
  const notes = [rowsNote(tools.length === 0), ...reductions];
  const place = placeColumns(views.options);
  const width = rows.reduce((most, { length }) => Math.max(most, length), 0);
  const columns = [...place, ...detailColumns].slice(0, width);
  const at = columns.indexOf('signature');
  const isSigned = listed.some((view) => view.shown === 'signatures');
  if (at < 0 || isSigned) return { tools, columns, rows, notes };
  const without = <T>(cells: readonly T[]) => cells.toSpliced(at, 1);
  return { tools, columns: without(columns), rows: rows.map((row): Cell[] => without(row)), notes };
}
