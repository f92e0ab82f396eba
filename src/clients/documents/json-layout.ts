import type { Node } from 'jsonc-parser';
import { lineBreakOf } from './document.js';
import { endOf, membersOf } from './json-tree.js';

/** How the members of an object are written: each on a line of its own, or all on one, with spaces or without. */
export interface Layout {
  readonly kind: 'lines' | 'spaced' | 'minified';
  /** Before each member; only for lines. */
  readonly indent: string;
  /** One level of indentation. */
  readonly unit: string;
  readonly lineBreak: string;
}

/** The layout for a new member of an object. `depth`: how many objects are around it. */
export function layoutOf(source: string, root: Node | undefined, object: Node | undefined, depth: number): Layout {
  const lineBreak = lineBreakOf(source);
  const unit = indentOf(source, membersOf(root)[0]?.property) || '  ';
  const last = membersOf(object).at(-1);
  if (last === undefined) {
    const outer = object === undefined ? '' : lineIndent(source, object.offset);
    const isOneLine = root !== undefined && membersOf(root).length > 0 && !hasLines(source, root);
    const kind = isOneLine ? oneLineKind(membersOf(root).at(-1)?.property) : 'lines';
    return { kind, indent: depth === 0 ? unit : outer + unit, unit, lineBreak };
  }
  const indent = indentOf(source, last.property);
  if (indent !== undefined) return { kind: 'lines', indent, unit, lineBreak };
  return { kind: oneLineKind(last.property), indent: '', unit, lineBreak };
}

function oneLineKind(property: Node | undefined): Layout['kind'] {
  const [key, value] = property?.children ?? [];
  return key !== undefined && value !== undefined && value.offset - endOf(key) === 1 ? 'minified' : 'spaced';
}

function hasLines(source: string, { offset, length }: Node): boolean {
  return /[\r\n]/.test(source.slice(offset, offset + length));
}

/** The white space before a node on its line; undefined if something else is before it. */
function indentOf(source: string, node: Node | undefined): string | undefined {
  if (node === undefined) return undefined;
  const start = startOfLine(source, node.offset);
  const before = source.slice(start, node.offset);
  return start > 0 && /^[ \t]*$/.test(before) ? before : undefined;
}

/** The indentation of the line that an offset is on. */
export function lineIndent(source: string, offset: number): string {
  return /^[ \t]*/.exec(source.slice(startOfLine(source, offset), offset))?.[0] ?? '';
}

export function startOfLine(source: string, offset: number): number {
  // A negative index counts as 0, which is the line break itself in a text that begins with one.
  if (offset === 0) return 0;
  return Math.max(source.lastIndexOf('\n', offset - 1), source.lastIndexOf('\r', offset - 1)) + 1;
}

/** A member as text, without anything around it. */
export function memberText(name: string, value: unknown, { kind, indent, unit, lineBreak }: Layout): string {
  const key = JSON.stringify(name);
  if (kind === 'minified') return `${key}:${JSON.stringify(value)}`;
  if (kind === 'spaced') return `${key}: ${spaced(value)}`;
  return `${key}: ${JSON.stringify(value, undefined, unit).replaceAll('\n', lineBreak + indent)}`;
}

/** A value on one line. */
export function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${spaced(inner)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
