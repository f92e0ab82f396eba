import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { longestReference } from '../../limits.js';
import { shorten } from '../../text/shorten.js';
import { literal } from './literal.js';
import { resolveReference } from './reference.js';
import {
  bracketed,
  commentText,
  entriesOf,
  keyText,
  listOf,
  objectText,
  plainType,
  referenceName,
  requiredNames,
  tupleText,
  typesOf,
  unionText,
} from './type-words.js';

/** How much of a schema is shown. */
export interface Detail {
  /** Levels of nested objects to expand; 0 shows only the member names of the outermost object. */
  readonly depth: number;
  /** Choices of an enum, and alternatives of a union, before an ellipsis. */
  readonly choices: number;
  readonly comments?: Comments;
}

/** The descriptions of members, as comments: how many characters of each, and of all together, after which there are no more. */
export interface Comments {
  readonly each: number;
  readonly all: number;
}

/** A schema as text: its members if it describes an object, and all other constraints. */
export interface Shape {
  readonly members?: readonly string[];
  readonly others: readonly string[];
}

interface Position {
  readonly depth: number;
  readonly level: number;
  /** References being followed; a repeated one is recursive and is shown by its name. */
  readonly trail: readonly string[];
  /** Members that enclosing schemas require of the same object. */
  readonly required: ReadonlySet<string>;
}

// Far above any real schema; they stop schemas that expand or nest without end.
const maxLevel = 40;
const maxWork = 3_000;
const charsPerStep = 10;
const none: ReadonlySet<string> = new Set();
const anything: Shape = { others: [] };

/** The work that may be done for several schemas. */
export interface Effort {
  left: number;
}

/** Describes a schema, TypeScript-like. Stops with ellipses after `maxChars`, or when the effort is spent. */
export function shapeOf(root: unknown, detail: Detail, maxChars: number, effort?: Effort): Shape {
  const limit = Math.min(maxWork, effort?.left ?? maxWork);
  const { shape, work } = describe(root, detail, maxChars, limit);
  if (effort !== undefined) effort.left -= work;
  return shape;
}

function describe(
  root: unknown,
  { depth, choices, comments }: Detail,
  maxChars: number,
  limit: number,
): { readonly shape: Shape; readonly work: number } {
  const targets = new Map<string, unknown>();
  let work = 0;
  let chars = 0;
  let commented = 0;
  const isSpent = () => work > limit || chars > maxChars;

  function written(piece: string): string {
    chars += piece.length;
    return piece;
  }

  function plain(piece: string): Shape {
    return { others: [written(piece)] };
  }

  function shape(schema: unknown, at: Position): Shape {
    work++;
    if (schema === false) return plain('never');
    if (!isRecord(schema)) return anything;
    if (isSpent() || at.level > maxLevel) return plain('…');
    const required = requiredNames(schema);
    work += listOf(schema['required']).length;
    const here = {
      ...at,
      level: at.level + 1,
      required: required.length === 0 ? at.required : new Set([...at.required, ...required]),
    };
    const parts = [ownShape(schema, here), referenced(schema, here)];
    for (const part of listOf(schema['allOf'])) {
      parts.push(shape(part, here));
      if (isSpent()) break;
    }
    const alternatives = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])];
    if (alternatives.length > 0) {
      const united = union(alternatives, here);
      // Alternatives that only list required members have no text.
      if (united !== 'any') parts.push({ others: [united] });
    }
    return intersection(parts);
  }

  function text(schema: unknown, at: Position): string {
    const { members, others } = shape(schema, at);
    const parts = members === undefined ? others : [objectText(members), ...others];
    const whole = parts.length === 1 ? parts.join('') : parts.map(bracketed).join(' & ');
    return `${whole || 'any'}${isRecord(schema) && schema['nullable'] === true ? '|null' : ''}`;
  }

  function union(alternatives: readonly unknown[], at: Position): string {
    const texts = new Set<string>();
    for (const alternative of alternatives) {
      if (texts.size > choices || isSpent()) break;
      texts.add(text(alternative, at));
    }
    return unionText([...texts], choices);
  }

  /** Each reference is resolved once; a step of it costs as much as a step into a schema. */
  function targetOf(reference: string): unknown {
    if (!targets.has(reference)) {
      work += Math.ceil(Math.min(reference.length, longestReference) / charsPerStep);
      targets.set(reference, resolveReference(root, reference));
    }
    return targets.get(reference);
  }

  function referenced(schema: JsonObject, at: Position): Shape {
    const reference = schema['$ref'];
    if (typeof reference !== 'string') return anything;
    const target = targetOf(reference);
    if (target === undefined || at.trail.includes(reference)) return plain(referenceName(reference));
    return shape(target, { ...at, trail: [...at.trail, reference] });
  }

  function ownShape(schema: JsonObject, at: Position): Shape {
    if ('const' in schema) return plain(literal(schema['const']));
    const values = schema['enum'];
    if (Array.isArray(values)) return plain(enumText(values, choices));
    const types = typesOf(schema);
    if (types.length === 0) return anything;
    if (types.length === 1 && types[0] === 'object') return { members: membersOf(schema, at), others: [] };
    const texts = types.map((type) => {
      if (type === 'object') return objectText(membersOf(schema, at));
      return type === 'array' ? arrayText(schema, at) : written(plainType(type, schema));
    });
    return { others: [unionText(texts, choices)] };
  }

  function membersOf(schema: JsonObject, at: Position): string[] {
    const properties = entriesOf(schema['properties']);
    work += properties.length;
    const rest = schema['additionalProperties'];
    if (at.depth < 0) return properties.length > 0 || isRecord(rest) ? [written('…')] : [];
    // Optional members last: names at the end may be cut off.
    if (at.depth === 0) properties.sort(([a], [b]) => Number(at.required.has(b)) - Number(at.required.has(a)));
    const members: string[] = [];
    for (const [key, property] of properties) {
      if (isSpent()) return [...members, '…'];
      members.push(memberText(key, property, at));
    }
    if (isRecord(rest) && at.depth > 0) members.push(`[key]: ${text(rest, inside(at))}`);
    return members;
  }

  function memberText(key: string, property: unknown, at: Position): string {
    const name = written(`${keyText(shorten(key, maxChars + 1))}${at.required.has(key) ? '' : '?'}`);
    return at.depth === 0 ? name : `${name}: ${text(property, inside(at))}${defaultText(property)}${comment(property)}`;
  }

  /** A keyword of a member, or of the definition it refers to. */
  function keyword(property: unknown, name: string): unknown {
    if (!isRecord(property)) return undefined;
    if (name in property) return property[name];
    const target = typeof property['$ref'] === 'string' ? targetOf(property['$ref']) : undefined;
    return isRecord(target) ? target[name] : undefined;
  }

  function defaultText(property: unknown): string {
    const value = keyword(property, 'default');
    return value === undefined ? '' : written(` = ${literal(value)}`);
  }

  function comment(property: unknown): string {
    const description = comments === undefined ? undefined : keyword(property, 'description');
    if (comments === undefined || typeof description !== 'string') return '';
    const piece = commentText(description, comments.each);
    commented += piece.length;
    return commented > comments.all ? '' : written(piece);
  }

  function arrayText(schema: JsonObject, at: Position): string {
    const within = { ...at, required: none };
    const { items, prefixItems = items } = schema;
    if (!Array.isArray(prefixItems)) return `${bracketed(text(items, within))}[]`;
    const texts = prefixItems.slice(0, choices + 1).map((item) => text(item, within));
    return tupleText(texts, choices);
  }

  const whole = shape(root, { depth, level: 0, trail: ['#'], required: none });
  return { shape: whole, work };
}

function enumText(values: readonly unknown[], choices: number): string {
  const shown = values.slice(0, choices + 1).map((value) => literal(value));
  return unionText(shown, choices);
}

/** The position of a member's value. Depth 0 is reserved for the outermost object, so 1 is followed by -1. */
function inside(at: Position): Position {
  return { ...at, required: none, depth: at.depth > 1 ? at.depth - 1 : -1 };
}

function intersection(shapes: readonly Shape[]): Shape {
  const objects = shapes.flatMap(({ members }) => (members === undefined ? [] : [members]));
  const others = [...new Set(shapes.flatMap((shape) => shape.others))];
  return objects.length === 0 ? { others } : { members: [...new Set(objects.flat())], others };
}
