import type { Node } from 'jsonc-parser';
import { maxConfigTokens } from '../../limits.js';
import { textChecks } from '../schema/checks.js';
import { containerKeys } from '../schema/containers.js';
import { splitReferences } from '../values/expand-env.js';
import { hasMoreTokens, parseLeniently } from './syntax.js';

/** The rules that a faulty text has under a name, which may be that of a server. */
export interface FoundRules {
  /** The nearest toolbox around it; undefined if it stands in none. */
  readonly toolbox: string | undefined;
  readonly deny: string[];
  readonly ask: string[];
  readonly allow: string[];
  isDisabled: boolean;
}

/** A longer text was not written by hand, and looking through it takes seconds. */
const longestInOrder = 1_000_000;

type IsToolbox = (name: string) => boolean;
type Found = Map<string, FoundRules[]>;

/**
 * The rules that can be read in a text, whatever is wrong with it, by the name of the object that they stand in. Braces may be wrong,
 * so names count at every depth. Where the syntax is broken, a parser loses the rest of the text; then names and rules are also
 * looked for in the order in which they stand.
 */
export function readRulesLeniently(text: string, isToolbox: IsToolbox): ReadonlyMap<string, readonly FoundRules[]> {
  const found: Found = new Map();
  if (hasMoreTokens(text, maxConfigTokens)) return found;
  const { tree, isBroken } = parseLeniently(text);
  if (tree !== undefined) readTree(tree, isToolbox, found);
  if (isBroken && text.length <= longestInOrder) readInOrder(text, isToolbox, found);
  return found;
}

function add(found: Found, name: string, toolbox: string | undefined): FoundRules {
  const rules = { toolbox, deny: [], ask: [], allow: [], isDisabled: false };
  const known = found.get(name) ?? [];
  found.set(name, known);
  known.push(rules);
  return rules;
}

/** A value under a key of an entry. One rule alone, without brackets, is a fault, but can be read. */
function take(rules: FoundRules, key: string, values: readonly unknown[]): void {
  if (key === 'deny' || key === 'ask' || key === 'allow') rules[key].push(...values.filter(isRule));
  else if (key === 'disabled') rules.isDisabled ||= values.includes(true);
  else if (key === 'enabled') rules.isDisabled ||= values.includes(false);
}

function isRule(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    textChecks.rule(value) &&
    !splitReferences(value).some((part) => typeof part === 'object' && part.kind === 'malformed')
  );
}

function readTree(tree: Node, isToolbox: IsToolbox, found: Found): void {
  const left: { node: Node; toolbox: string | undefined }[] = [{ node: tree, toolbox: undefined }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { toolbox } = next;
    for (const [name, node] of propertiesOf(next.node)) {
      if (node.type === 'object') takeAll(add(found, name, toolbox), node);
      left.push({ node, toolbox: isToolbox(name) ? name : toolbox });
    }
  }
}

function takeAll(rules: FoundRules, node: Node): void {
  for (const [key, value] of propertiesOf(node)) take(rules, key, valuesOf(value));
}

function propertiesOf({ type, children = [] }: Node): (readonly [string, Node])[] {
  if (type !== 'object') return [];
  return children.flatMap(({ children: [key, value] = [] }) =>
    key === undefined || value === undefined ? [] : [[String(key.value), value] as const],
  );
}

function valuesOf(node: Node): unknown[] {
  return node.type === 'array' ? (node.children ?? []).map(({ value }): unknown => value) : [node.value];
}

// Limited, so that the time is linear in the text.
const string = String.raw`"(?:[^"\\\n]|\\.){0,200}"|'[^'\n]{0,200}'`;
const objectName = String.raw`(${string}|(?<![\w$-])[\w$-]{1,200})\s{0,99}:?\s{0,99}\{`;
const rule = String.raw`(?<![\w$-])(deny|ask|allow|disabled|enabled)["']?\s{0,99}:?\s{0,99}(\[[^\]{}]{0,5000}|${string}|true\b|false\b)`;

/** Objects inside an entry, and around entries. */
const otherObjects: ReadonlySet<string> = new Set([
  ...['env', 'environment', 'headers', 'http_headers', 'env_http_headers', 'oauth', 'transport', 'toolboxes'],
  ...containerKeys,
]);

/** A rule belongs to the last object that was named before it. Lines that are comments have none. */
function readInOrder(text: string, isToolbox: IsToolbox, found: Found): void {
  let toolbox: string | undefined;
  let last: string | undefined;
  let rules: FoundRules | undefined;
  const words = text.replace(/^[ \t]*\/\/.*$/gm, '').matchAll(new RegExp(`${objectName}|${rule}`, 'g'));
  for (const [, quoted, key = '', value = ''] of words) {
    if (quoted === undefined) {
      if (rules !== undefined) take(rules, key, valuesIn(value));
      continue;
    }
    const name = unquoted(quoted);
    if (otherObjects.has(name)) continue;
    if (last !== undefined && isToolbox(last)) toolbox = last;
    rules = add(found, name, toolbox);
    last = name;
  }
}

function valuesIn(text: string): unknown[] {
  if (text === 'true' || text === 'false') return [text === 'true'];
  return (text.match(new RegExp(string, 'g')) ?? []).map(unquoted);
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.replace(/^(['"])(.*)\1$/s, '$2');
  }
}
