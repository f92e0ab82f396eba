import { parseAst } from 'vitest/node';

/** One `import`, `export … from`, `import()` or `import('…')` type, as written. */
export interface Import {
  readonly specifier: string;
  /** Gone after compilation: `import type`, `export type`, `import('…')` in a type. `import { type T }` still loads the module. */
  readonly typeOnly: boolean;
  /** The imported names: `default`, `*` or those in the braces. */
  readonly names: readonly string[];
  readonly line: number;
}

/** A use of `process.x` or `console.x`; the member is `*` when the object itself is passed. */
export interface GlobalUse {
  readonly object: 'process' | 'console';
  readonly member: string;
  readonly atCallTime: boolean;
  readonly line: number;
}

export interface SourceFacts {
  readonly imports: readonly Import[];
  readonly globals: readonly GlobalUse[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** The imports and globals of a source file, read from its syntax tree. */
export function readSource(code: string): SourceFacts {
  const imports: Import[] = [];
  const globals: GlobalUse[] = [];
  const lineOf = (node: Node) => code.slice(0, node.start).split('\n').length;

  function visit(node: Node, parent: Node | undefined, inFunction: boolean): void {
    const found = importIn(node);
    if (found) imports.push({ ...found, line: lineOf(node) });
    const use = globalIn(node, parent);
    if (use) globals.push({ ...use, atCallTime: inFunction, line: lineOf(node) });
    for (const child of childrenOf(node)) visit(child, node, inFunction || functions.has(node.type));
  }

  // oxlint-disable-next-line typescript/no-deprecated -- the parser of vitest, under the only name it exports
  const program: unknown = parseAst(code, { lang: 'ts' });
  if (isNode(program)) visit(program, undefined, false);
  return { imports, globals };
}

function importIn(node: Node): Omit<Import, 'line'> | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
      return { specifier: textOf(node.source), typeOnly: node.importKind === 'type', names: namesIn(node) };
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return node.source
        ? { specifier: textOf(node.source), typeOnly: node.exportKind === 'type', names: ['*'] }
        : undefined;
    case 'ImportExpression':
      return { specifier: textOf(node.source), typeOnly: false, names: ['*'] };
    case 'TSImportType':
      return { specifier: textOf(node.source), typeOnly: true, names: ['*'] };
    default:
      return undefined;
  }
}

function namesIn(declaration: Node): string[] {
  return childrenOf(declaration).flatMap((child) => {
    if (child.type === 'ImportDefaultSpecifier') return ['default'];
    if (child.type === 'ImportNamespaceSpecifier') return ['*'];
    return isNode(child['imported']) ? [String(child['imported']['name'])] : [];
  });
}

function globalIn(node: Node, parent: Node | undefined): Pick<GlobalUse, 'object' | 'member'> | undefined {
  const object = node.type === 'Identifier' ? node.name : undefined;
  if (object !== 'process' && object !== 'console') return undefined;
  if (parent?.type === 'MemberExpression' && parent.object === node) {
    const property = isNode(parent.property) ? parent.property : undefined;
    const name = parent.computed === true ? property?.value : property?.name;
    return { object, member: typeof name === 'string' ? name : '*' };
  }
  return isPlainName(node, parent) ? undefined : { object, member: '*' };
}

/** A property or key with the same name: `{ process: 1 }`, `child.process`, `import { process }`. */
function isPlainName(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === 'MemberExpression') return parent.property === node && parent.computed !== true;
  if (parent?.type === 'Property') return parent.key === node && parent.shorthand !== true;
  return parent !== undefined && /^(Import|Export|TS)|^(Property|Method)Definition$/.test(parent.type);
}

function textOf(source: unknown): string {
  return isNode(source) && typeof source.value === 'string' ? source.value : '<computed>';
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
