import type { Node } from 'jsonc-parser';
import * as z from 'zod/mini';
import { nearest } from '../../text/nearest.js';
import type { Path } from '../place.js';
import { hasStrictKeys } from '../schema/schema-checks.js';
import { noticesOfIssue } from './issue-wording.js';
import type { Findings } from './notice.js';

type Schema = z.core.$ZodType;
type SchemaOfKey = (key: string, offset: number) => Schema | undefined;

/** Checks a part of the file against its schema. Adds all faults and warnings to `findings`. */
export function validate<T>(
  schema: z.core.$ZodType<T>,
  node: Node,
  findings: Findings,
  path: Path = [],
): T | undefined {
  const value = valueOf(node, schema, path, findings);
  try {
    const result = z.safeParse(schema, value, { jitless: true });
    if (result.success) return result.data;
    const issues = result.error.issues.slice(0, maxNotices);
    findings.faults.push(...issues.flatMap((issue) => noticesOfIssue(issue, node, path)));
  } catch (error) {
    // Zod passes issues as arguments of a call; hundreds of thousands overflow the stack.
    if (!(error instanceof RangeError)) throw error;
    const remedy = 'Check that this is the right file.';
    findings.faults.push({ offset: node.offset, path, what: 'There are too many faults to list.', remedy });
  }
  return undefined;
}

/** More faults do not help the user, and wording a million takes a while. */
const maxNotices = 1000;

/** Objects with fixed keys become objects, objects whose keys are names become Maps. */
function valueOf(node: Node, schema: Schema, path: Path, findings: Findings): unknown {
  if (schema instanceof z.ZodMiniOptional) return valueOf(node, schema.def.innerType, path, findings);
  if (schema instanceof z.ZodMiniUnion) {
    const chosen = schema.def.options.find((option) => fits(option, node)) ?? schema.def.options[0];
    return chosen === undefined ? undefined : valueOf(node, chosen, path, findings);
  }
  if (node.type === 'array') {
    if (!(schema instanceof z.ZodMiniArray)) return [];
    const { element } = schema.def;
    return (node.children ?? []).map((child, index) => valueOf(child, element, [...path, index], findings));
  }
  if (node.type !== 'object') return node.value;
  if (schema instanceof z.ZodMiniObject) {
    return Object.fromEntries(entriesOf(node, knownKeys(schema, path, findings), path, findings));
  }
  if (!(schema instanceof z.ZodMiniMap)) return {};
  const { valueType } = schema.def;
  return new Map(entriesOf(node, () => valueType, path, findings));
}

/** Which of the schemas of a union is meant. */
function fits(option: Schema, node: Node): boolean {
  if (node.type === 'array') return option instanceof z.ZodMiniArray;
  if (node.type !== 'object')
    return [z.ZodMiniString, z.ZodMiniEnum, z.ZodMiniLiteral].some((plain) => option instanceof plain);
  return option instanceof z.ZodMiniMap ? !hasBlock(node) : option instanceof z.ZodMiniObject;
}

/** Whether `servers` in an object is a block of servers and not a server of that name: all it has are objects. */
function hasBlock({ children = [] }: Node): boolean {
  const [, value] = children.find((property) => property.children?.[0]?.value === 'servers')?.children ?? [];
  return (
    value?.type === 'object' && (value.children ?? []).every((property) => property.children?.[1]?.type === 'object')
  );
}

function knownKeys(schema: z.ZodMiniObject, path: Path, findings: Findings): SchemaOfKey {
  const { shape } = schema;
  const isStrict = hasStrictKeys(schema);
  const notices = isStrict ? findings.faults : findings.warnings;
  return (key, offset) => {
    if (Object.hasOwn(shape, key)) return shape[key];
    if (notices.length >= maxNotices) return undefined;
    const [suggestion] = key.length > 2 && key.length <= 40 ? nearest(key, Object.keys(shape), 1) : [];
    const otherwise = isStrict ? `Remove it; the keys here are ${Object.keys(shape).join(', ')}.` : 'It has no effect.';
    const remedy = suggestion === undefined ? otherwise : `Did you mean '${suggestion}'?`;
    notices.push({ offset, path: [...path, key], what: 'Unknown key.', remedy });
    return undefined;
  };
}

function entriesOf(node: Node, schemaOf: SchemaOfKey, path: Path, findings: Findings): [string, unknown][] {
  const entries = new Map<string, unknown>();
  const seen = new Set<string>();
  for (const { children: [keyNode, valueNode] = [] } of node.children ?? []) {
    if (keyNode === undefined || valueNode === undefined) continue;
    const key = String(keyNode.value);
    const place = [...path, key];
    const isRepeated = seen.has(key);
    seen.add(key);
    const schema = schemaOf(key, keyNode.offset);
    if (isRepeated && findings.faults.length >= maxNotices) continue;
    if (isRepeated) {
      const remedy = 'Remove or rename one of them.';
      findings.faults.push({ offset: keyNode.offset, path: place, what: 'This key occurs more than once.', remedy });
      if (schema !== undefined) validate(schema, valueNode, findings, place);
    } else if (schema !== undefined) {
      entries.set(key, valueOf(valueNode, schema, place, findings));
    }
  }
  return [...entries];
}
