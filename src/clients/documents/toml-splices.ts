import { isRecord } from '../../jsonrpc/json.js';
import { type Addition, lineBreakOf, Misfit, type Removal, type Splice, type Spliced } from './document.js';
import { startOfLine } from './json-layout.js';
import { keysOf, startsWith, type TomlTree } from './toml-tree.js';

/** Adds a table at the end of the file. */
export function addToToml(source: string, tree: TomlTree, { at, name, source: given }: Addition): Spliced {
  for (const node of tree) {
    if (node.type === 'TOMLKeyValue' && keysOf(node.key)[0] === at[0])
      throw new Misfit(`has ${at[0]} as an inline or dotted table, which cannot be edited safely.`, node.range[0]);
    if (node.type === 'TOMLTable' && startsWith(node.resolvedKey, [...at, name]))
      throw new Misfit(`has a table ${name} already.`, node.range[0]);
  }
  const lineBreak = lineBreakOf(source);
  const text =
    'text' in given ? given.text : tableText([...at, name], tableOf(given.value)).replaceAll('\n', lineBreak);
  const endsLine = source === '' || /[\r\n]$/.test(source);
  const before = source === '' ? '' : endsLine ? lineBreak : lineBreak + lineBreak;
  const added = { start: source.length, end: source.length, text: before + text + (endsLine ? lineBreak : '') };
  return { splices: [added], inverse: { kind: 'remove', at, name } };
}

/** Removes the table of an entry and the tables in it. What follows the last pair of each stays: it is about the next one. */
export function removeFromToml(source: string, tree: TomlTree, { at, name }: Removal): Spliced {
  const path = [...at, name];
  const tables = tree.filter((node) => node.type === 'TOMLTable' && startsWith(node.resolvedKey, path));
  if (tables.length === 0) throw new Misfit(`has no table ${name}.`, 0);
  const cuts = merged(
    source,
    tables.map(({ range }) => linesOf(source, range)),
  );
  const lineBreak = lineBreakOf(source);
  const text = tables.map(({ range }) => source.slice(range[0], lineEnd(source, range[1]))).join(lineBreak + lineBreak);
  return { splices: cuts.map((lines) => cutOf(source, lines)), inverse: { kind: 'add', at, name, source: { text } } };
}

interface Lines {
  readonly start: number;
  readonly end: number;
}

function linesOf(source: string, [start, end]: readonly [number, number]): Lines {
  return { start: startOfLine(source, start), end: nextLine(source, lineEnd(source, end)) };
}

/** Tables that follow each other are one cut. */
function merged(source: string, all: readonly Lines[]): Lines[] {
  const result: Lines[] = [];
  for (const lines of all) {
    const last = result.at(-1);
    const follows = last !== undefined && source.slice(last.end, lines.start).trim() === '';
    if (follows) result[result.length - 1] = { start: last.start, end: lines.end };
    else result.push(lines);
  }
  return result;
}

/** The lines, and an empty line before them that would be one too many. */
function cutOf(source: string, { start: own, end }: Lines): Splice {
  const before = previousLine(source, own);
  const isBlankBefore = before !== undefined && source.slice(before, own).trim() === '';
  const isBlankAfter = end === source.length || /^[ \t]*(?:[\r\n]|$)/.test(source.slice(end, lineEnd(source, end) + 1));
  const start = isBlankBefore && isBlankAfter ? before : own;
  // A file without a line break at its end gets none.
  const endsLine = end < source.length || /[\r\n]$/.test(source);
  return { start: endsLine ? start : lineEndBefore(source, start), end, text: '' };
}

function lineEnd(source: string, offset: number): number {
  const found = /[\r\n]/g;
  found.lastIndex = offset;
  return found.exec(source)?.index ?? source.length;
}

function nextLine(source: string, offset: number): number {
  return source.startsWith('\r\n', offset) ? offset + 2 : Math.min(source.length, offset + 1);
}

/** Where the line before begins; undefined for the first one. */
function previousLine(source: string, start: number): number | undefined {
  return start === 0 ? undefined : startOfLine(source, lineEndBefore(source, start));
}

/** Where the line before ends, without its line break. */
function lineEndBefore(source: string, start: number): number {
  return source.startsWith('\r\n', start - 2) ? start - 2 : Math.max(0, start - 1);
}

function tableOf(value: unknown): object {
  if (isRecord(value)) return value;
  throw new Misfit('can have only tables as entries.', 0);
}

/** A table as text, without a line break at its end. Objects in it are tables of their own. */
function tableText(path: readonly string[], value: object): string {
  const members = Object.entries(value);
  const isTable = (inner: unknown): inner is object =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner);
  const pairs = members
    .filter(([, inner]) => !isTable(inner))
    .map(([key, inner]) => `${tomlKey(key)} = ${tomlValue(inner)}`);
  const tables = members.flatMap(([key, inner]) => (isTable(inner) ? [tableText([...path, key], inner)] : []));
  return [[`[${path.map(tomlKey).join('.')}]`, ...pairs].join('\n'), ...tables].join('\n\n');
}

function tomlKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : tomlString(key);
}

function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`;
  return typeof value === 'string' ? tomlString(value) : JSON.stringify(value);
}

/** A basic string of TOML is a string of JSON, but for DEL. */
function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll('\u007F', String.raw`\u007F`);
}
