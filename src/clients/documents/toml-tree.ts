import type { AST } from 'toml-eslint-parser';

/** What stands in a file, in order: pairs before the first table, then tables. */
export type TomlTree = readonly (AST.TOMLKeyValue | AST.TOMLTable)[];

export function keysOf({ keys }: AST.TOMLKey): string[] {
  return keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value));
}

export function startsWith(path: readonly (string | number)[], start: readonly string[]): boolean {
  return start.every((key, index) => path[index] === key);
}

export function valueOf(node: AST.TOMLContentNode): unknown {
  switch (node.type) {
    case 'TOMLArray':
      return node.elements.map(valueOf);
    case 'TOMLInlineTable':
      return Object.fromEntries(node.body.map(({ key, value }) => [keysOf(key).join('.'), valueOf(value)]));
    case 'TOMLValue':
      return node.value;
  }
}
