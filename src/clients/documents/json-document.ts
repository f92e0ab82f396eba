import { getNodeValue, type Node } from 'jsonc-parser';
import { parseText } from '../../config/read/syntax.js';
import { type Document, type Entry, type Fact, type KeyPath, Misfit } from './document.js';
import { addAllToJson, addToJson } from './json-additions.js';
import { removeFromJson } from './json-removals.js';
import { endOf, membersOf, nodeAt, twice } from './json-tree.js';
import { commentsIn } from './json-trivia.js';

/** JSON, also with comments and trailing commas. A blank text is an empty object that is not written yet. */
export function openJson(text: string): Document {
  // Of the same length, so that offsets stay.
  const source = text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text;
  const root = source.trim() === '' ? undefined : parsedRoot(source);
  return {
    text,
    keysAt: (at) => [...new Set(membersOf(nodeAt(root, at)).map(({ name }) => name))],
    entriesAt: (at) => entriesOf(root, at),
    facts: () => (root === undefined ? [] : factsOf(root, source)),
    comments: () => commentsIn(source),
    splicesFor: (edit) => (edit.kind === 'add' ? addToJson(source, root, edit) : removeFromJson(source, root, edit)),
    splicesForAll: (additions) => addAllToJson(source, root, additions),
  };
}

function parsedRoot(source: string): Node {
  const { tree, faults } = parseText(source);
  const [fault] = faults;
  if (fault !== undefined) throw new Misfit(`is not valid JSON: ${fault.what}`, fault.offset);
  if (tree?.type !== 'object') throw new Misfit('is not a JSON object.', tree?.offset ?? 0);
  return tree;
}

function entriesOf(root: Node | undefined, at: KeyPath): Entry[] {
  const node = nodeAt(root, at);
  if (node !== undefined && node.type !== 'object')
    throw new Misfit(`has something else than an object as ${JSON.stringify(at.at(-1))}.`, node.offset);
  const seen = new Set<string>();
  return membersOf(node).map((member) => {
    const { name, property, value } = member;
    if (seen.size === seen.add(name).size) throw twice(member);
    return { at, name, value: plainValue(value), offset: property.offset };
  });
}

/** As `JSON.parse` gives it: `__proto__` is an ordinary key, and of two equal keys the last one counts. */
function plainValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(plainValue);
  if (node.type !== 'object') return getNodeValue(node);
  return Object.fromEntries(membersOf(node).map(({ name, value }) => [name, plainValue(value)]));
}

function factsOf(root: Node, source: string): Fact[] {
  const facts: Fact[] = [];
  function walk(node: Node, path: Fact['path']): void {
    if (node.type === 'object') {
      facts.push({ path, text: '{', offset: node.offset });
      for (const { name, value } of membersOf(node)) walk(value, [...path, name]);
    } else if (node.type === 'array') {
      facts.push({ path, text: '[', offset: node.offset });
      for (const [index, item] of (node.children ?? []).entries()) walk(item, [...path, index]);
    } else {
      facts.push({ path, text: source.slice(node.offset, endOf(node)), offset: node.offset });
    }
  }
  walk(root, []);
  return facts;
}
