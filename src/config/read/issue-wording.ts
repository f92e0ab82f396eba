import type { Node } from 'jsonc-parser';
import type * as z from 'zod/mini';
import type { Path } from '../place.js';
import type { Notice } from './notice.js';

interface Wording {
  readonly what: string;
  readonly remedy: string;
}

/** Words an issue of zod for the user. Values are not shown: they may be secrets. */
export function noticesOfIssue(issue: z.core.$ZodIssue, root: Node, rootPath: Path): Notice[] {
  if (issue.code !== 'invalid_union') return [noticeOfIssue(issue, root, rootPath)];
  const meant = issue.errors.find((errors) => errors.some(({ path }) => path.length > 0)) ?? mismatch(issue.errors);
  return meant.flatMap((inner) => noticesOfIssue({ ...inner, path: [...issue.path, ...inner.path] }, root, rootPath));
}

/** Of a value that is none of what it may be: a wrong word or an empty list says more than a wrong type. */
function mismatch(options: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] {
  return options.find((issues) => issues.every(({ code }) => code !== 'invalid_type')) ?? options[0] ?? [];
}

function segmentsOf({ path }: z.core.$ZodIssue): Path {
  return path.map((segment) => (typeof segment === 'number' ? segment : String(segment)));
}

function noticeOfIssue(issue: z.core.$ZodIssue, root: Node, rootPath: Path): Notice {
  const relative = segmentsOf(issue);
  const path = [...rootPath, ...relative];
  const node = nodeAt(root, relative);
  if (node === undefined) {
    const owner = nodeAt(root, relative.slice(0, -1)) ?? root;
    return { offset: keyOffset(owner), path, ...wordMissing(String(path.at(-1))) };
  }
  const atKey = issue.code === 'custom' && issue.params?.atKey === true;
  return { offset: atKey ? keyOffset(node) : node.offset, path, ...wordIssue(issue, node) };
}

/** Where the value at a place begins, or else what should hold it. */
export function offsetAt(root: Node, path: Path): number {
  for (let length = path.length; length > 0; length--) {
    const node = nodeAt(root, path.slice(0, length));
    if (node !== undefined) return node.offset;
  }
  return root.offset;
}

/** By an index of the keys of each object: there may be many issues in an object with many keys. */
function nodeAt(root: Node, path: Path): Node | undefined {
  let node: Node | undefined = root;
  for (const segment of path) {
    if (node === undefined) return undefined;
    node = typeof segment === 'number' ? node.children?.[segment] : indexOf(node).get(segment);
  }
  return node;
}

const indexes = new WeakMap<Node, Map<string, Node>>();

function indexOf(node: Node): Map<string, Node> {
  const known = indexes.get(node);
  if (known !== undefined) return known;
  const index = new Map<string, Node>();
  for (const { children: [key, value] = [] } of (node.type === 'object' && node.children) || []) {
    const name = String(key?.value);
    if (value !== undefined && !index.has(name)) index.set(name, value);
  }
  indexes.set(node, index);
  return index;
}

function keyOffset(node: Node): number {
  return node.parent?.type === 'property' ? node.parent.offset : node.offset;
}

const missingRemedies: Readonly<Record<string, string>> = {
  toolboxes: 'Add "toolboxes": { … } and put the servers ("mcpServers") into a toolbox.',
  mcpServers: 'Add "mcpServers": { … } with at least one server.',
};

function wordMissing(key: string): Wording {
  return { what: `${key} is missing.`, remedy: missingRemedies[key] ?? `Add "${key}".` };
}

function wordIssue(issue: z.core.$ZodIssue, node: Node): Wording {
  switch (issue.code) {
    case 'invalid_type':
      return wordType(issue.expected, node);
    case 'invalid_value':
      return {
        what: 'Not an allowed value.',
        remedy: `Write one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}.`,
      };
    case 'too_small':
      return wordSmall(issue, node);
    case 'too_big':
      return { what: 'The number is too large.', remedy: `Write at most ${issue.maximum}.` };
    case 'not_multiple_of':
      return { what: 'Expected a whole number, found a fraction.', remedy: 'Remove the decimals.' };
    case 'invalid_format':
      return wordEmpty;
    case 'custom':
      return { what: issue.message, remedy: String(issue.params?.remedy ?? '') };
    default:
      return { what: 'Not valid.', remedy: 'See docs/config.md.' };
  }
}

const wordEmpty: Wording = { what: 'The string is empty.', remedy: 'Write a value between the quotes.' };

function wordSmall(issue: z.core.$ZodIssueTooSmall, node: Node): Wording {
  if (node.type === 'string') return wordEmpty;
  if (node.type === 'array') {
    const remedy =
      issue.path.at(-1) === 'command' ? 'Write at least the program.' : 'Write a value, or remove the key.';
    return { what: 'The list is empty.', remedy };
  }
  if (node.type === 'object') return { what: 'The toolbox has no server.', remedy: 'Add at least one server.' };
  return { what: 'The number is too small.', remedy: `Write at least ${issue.minimum}.` };
}

const expectations: Readonly<Record<string, Wording>> = {
  string: { what: 'a string', remedy: 'Put it in double quotes.' },
  number: { what: 'a number', remedy: 'Write digits without quotes.' },
  boolean: { what: 'true or false', remedy: 'Write true or false without quotes.' },
  array: { what: 'an array', remedy: 'Write [ … ].' },
  object: { what: 'an object', remedy: 'Write { … }.' },
  map: { what: 'an object', remedy: 'Write { "name": … }.' },
};
const foundWords = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  array: 'an array',
  object: 'an object',
  property: 'a name',
} as const;

function wordType(expected: string, node: Node): Wording {
  const wording = expectations[expected] ?? { what: 'something else', remedy: 'See docs/config.md.' };
  const remedy =
    expected === 'string' && (node.type === 'object' || node.type === 'array')
      ? 'Write a string: "…".'
      : wording.remedy;
  return { what: `Expected ${wording.what}, found ${foundWords[node.type]}.`, remedy };
}
