import { isRecord, type JsonObject } from '../../../../jsonrpc/json.js';
import { maxFollowedReferences } from '../../../../limits.js';
import { resolveReference } from '../../../../workbench/listing/reference.js';

const names = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'] as const;
export type TypeName = (typeof names)[number];

/** Levels of `anyOf` and the like that are looked into. */
const maxDepth = 4;
/** Of `anyOf`, `enum` and the like: a schema is a server's, and may have any number. */
const maxChoices = 200;

/** The schema of one argument: that of the property, or that of all others. Undefined if there is none. */
export function schemaOfArgument(root: JsonObject, key: string): unknown {
  const followed = follow(root, root);
  const properties = isRecord(followed['properties']) ? followed['properties'] : {};
  if (Object.hasOwn(properties, key)) return properties[key];
  // A pattern may match it, and is not tried: it is a server's.
  return followed['patternProperties'] === undefined ? followed['additionalProperties'] : undefined;
}

/** The schema of the items of an array, if the schema has one. */
export function schemaOfItems(root: JsonObject, schema: unknown): unknown {
  const followed = follow(root, schema);
  for (const one of [followed, ...alternatives(followed).map((choice) => follow(root, choice))])
    if (isRecord(one['items'])) return one['items'];
  return undefined;
}

/** The types that a value may have; none if the schema does not say. */
export function typesOf(root: JsonObject, schema: unknown, depth = 0): ReadonlySet<TypeName> {
  const { type, enum: choices, const: only, nullable, allOf, ...rest } = follow(root, schema);
  const stated = (Array.isArray(type) ? type.slice(0, names.length) : [type]).filter(isTypeName);
  if (stated.length > 0) return new Set(nullable === true ? [...stated, 'null'] : stated);
  if (Array.isArray(choices)) return new Set(choices.slice(0, maxChoices).map(typeOf));
  if (only !== undefined) return new Set([typeOf(only)]);
  if (depth === maxDepth) return new Set();
  const inner = (one: unknown) => [...typesOf(root, one, depth + 1)];
  const alternative = alternatives(rest).map(inner);
  // An alternative without a type allows anything.
  if (alternative.length > 0) return new Set(alternative.some((one) => one.length === 0) ? [] : alternative.flat());
  const all = Array.isArray(allOf) ? allOf.slice(0, maxChoices).map(inner) : [];
  return new Set(all.find((one) => one.length > 0));
}

export function typeOf(value: unknown): TypeName {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return isTypeName(type) ? type : 'object';
}

function alternatives({ anyOf, oneOf }: JsonObject): readonly unknown[] {
  const found = [anyOf, oneOf].flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  return found.slice(0, maxChoices);
}

function follow(root: JsonObject, schema: unknown): JsonObject {
  let found = schema;
  for (let hops = 0; isRecord(found) && typeof found['$ref'] === 'string'; hops++) {
    if (hops === maxFollowedReferences) return {};
    found = resolveReference(root, found['$ref']);
  }
  return isRecord(found) ? found : {};
}

function isTypeName(value: unknown): value is TypeName {
  return names.some((name) => name === value);
}
