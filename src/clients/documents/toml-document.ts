import { type AST, parseTOML } from 'toml-eslint-parser';
import { isRecord } from '../../jsonrpc/json.js';
import { type Document, type Entry, type Fact, type KeyPath, Misfit, type Range } from './document.js';
import { addToToml, removeFromToml } from './toml-splices.js';
import { keysOf, startsWith, type TomlTree, valueOf } from './toml-tree.js';

/** TOML. Entries are tables of their own, `[at.name]`; one that is written inside of another table cannot be cut out. */
export function openToml(text: string): Document {
  const source = text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text;
  const { tree, comments } = parsed(source);
  return {
    text,
    keysAt: (at) => [...new Set(pathsIn(tree).flatMap((path) => (startsWith(path, at) ? keyAfter(path, at) : [])))],
    entriesAt: (at) => entriesOf(tree, at),
    facts: () => factsOf(tree, source),
    comments: () => comments,
    splicesFor: (edit) => (edit.kind === 'add' ? addToToml(source, tree, edit) : removeFromToml(source, tree, edit)),
  };
}

function parsed(source: string): { readonly tree: TomlTree; readonly comments: Range[] } {
  try {
    const { body, comments } = parseTOML(source, { tomlVersion: '1.0' });
    return { tree: body[0].body, comments: comments.map(({ range: [start, end] }) => ({ start, end })) };
  } catch (error) {
    const index = error instanceof Error && 'index' in error && typeof error.index === 'number' ? error.index : 0;
    throw new Misfit(`is not valid TOML: ${error instanceof Error ? error.message : 'unknown error'}.`, index);
  }
}

type AnyPath = readonly (string | number)[];

function pathsIn(tree: TomlTree): AnyPath[] {
  return tree.flatMap((node) =>
    node.type === 'TOMLTable'
      ? [node.resolvedKey, ...node.body.map(({ key }) => [...node.resolvedKey, ...keysOf(key)])]
      : [keysOf(node.key)],
  );
}

function keyAfter(path: AnyPath, at: KeyPath): string[] {
  const key = path[at.length];
  return typeof key === 'string' ? [key] : [];
}

function entriesOf(tree: TomlTree, at: KeyPath): Entry[] {
  const found = new Map<string, { value: Record<string, unknown>; offset: number; fixed: boolean }>();
  const add = (path: AnyPath, offset: number, fixed: boolean, value?: unknown) => {
    const [name] = startsWith(path, at) ? keyAfter(path, at) : [];
    if (name === undefined) return;
    const entry = found.get(name) ?? { value: {}, offset, fixed: false };
    entry.fixed ||= fixed;
    assign(entry, path.slice(at.length + 1), value);
    found.set(name, entry);
  };
  for (const node of tree) {
    if (node.type === 'TOMLTable') add(node.resolvedKey, node.range[0], false);
    const around: AnyPath = node.type === 'TOMLTable' ? node.resolvedKey : [];
    for (const pair of node.type === 'TOMLTable' ? node.body : [node]) {
      // A pair of the entry's own table; else it stands in a table around it: inline or dotted.
      const isOwn = startsWith(around, at) && around.length > at.length;
      addValue([...around, ...keysOf(pair.key)], pair.value, (path, value) => add(path, pair.range[0], !isOwn, value));
    }
  }
  const why = 'it is written as an inline or dotted table';
  return Array.from(found, ([name, { value, offset, fixed }]) => ({
    ...{ at, name, value, offset },
    ...(fixed && { fixed: why }),
  }));
}

/** An inline table counts as the pairs in it. */
function addValue(path: AnyPath, node: AST.TOMLContentNode, add: (path: AnyPath, value: unknown) => void): void {
  if (node.type !== 'TOMLInlineTable' || node.body.length === 0) return add(path, valueOf(node));
  for (const { key, value } of node.body) addValue([...path, ...keysOf(key)], value, add);
}

function assign({ value: around }: { value: Record<string, unknown> }, path: AnyPath, value: unknown): void {
  const [key, ...rest] = path;
  if (typeof key !== 'string') return;
  const known = Object.hasOwn(around, key) ? around[key] : undefined;
  const inner = isRecord(known) ? known : {};
  const next = rest.length === 0 ? (value ?? inner) : inner;
  // `__proto__` is an ordinary key.
  Object.defineProperty(around, key, { value: next, enumerable: true, configurable: true, writable: true });
  if (rest.length > 0) assign({ value: inner }, rest, value);
}

function factsOf(tree: TomlTree, source: string): Fact[] {
  const pairFact = (around: AnyPath, { key, value }: AST.TOMLKeyValue): Fact => ({
    path: [...around, ...keysOf(key)],
    text: source.slice(...value.range),
    offset: value.range[0],
  });
  return tree.flatMap((node) =>
    node.type === 'TOMLTable'
      ? [
          { path: node.resolvedKey, text: '{', offset: node.range[0] },
          ...node.body.map((pair) => pairFact(node.resolvedKey, pair)),
        ]
      : [pairFact([], node)],
  );
}
