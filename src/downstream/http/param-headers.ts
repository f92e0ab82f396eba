import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import type { HeaderList } from '../protocol/wire.js';

/** An argument that goes into the header `Mcp-Param-<name>` as well, for proxies that route by it (2026-07-28, SEP-2243). */
export interface ParamHeader {
  readonly name: string;
  /** The keys that lead to the argument. */
  readonly path: readonly string[];
}

export type ParamScan =
  | { readonly valid: true; readonly declarations: readonly ParamHeader[] }
  | { readonly valid: false; readonly reason: string };

const mark = 'x-mcp-header';
/** A field name of RFC 9110. */
const token = /^[\w!#$%&'*+\-.^`|~]+$/;
const markableTypes: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords with schemas that a mark is invalid in: which of them applies depends on the arguments. */
const conditional = [
  ...['items', 'prefixItems', 'additionalItems', 'contains', 'unevaluatedItems'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else'],
];
/** The same; their value is an object of named schemas. */
const conditionalByName = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'];

/** The marks in the input schema of a tool. One that is invalid makes the tool invalid. Schemas have a limited depth by now. */
export function scanParamHeaders(inputSchema: unknown): ParamScan {
  const declarations: ParamHeader[] = [];
  const names = new Set<string>();

  /** Why a mark is invalid. */
  function problem(schema: JsonObject, path: readonly string[], isReachable: boolean): string | undefined {
    const name = schema[mark];
    if (!isReachable || path.length === 0) return 'is not on a property that every call can have';
    if (typeof name !== 'string' || !token.test(name)) return 'is not a header name';
    if (!markableTypes.has(schema['type'])) return 'is not on a string, integer or boolean';
    if (names.has(name.toLowerCase())) return 'has the name of another';
    names.add(name.toLowerCase());
    declarations.push({ name, path });
    return undefined;
  }

  /** Where an invalid mark is and why it is. */
  function visit(schema: unknown, path: readonly string[], isReachable: boolean): string | undefined {
    if (Array.isArray(schema)) return firstOf(schema, (one) => visit(one, path, isReachable));
    if (!isRecord(schema)) return undefined;
    const why = mark in schema ? problem(schema, path, isReachable) : undefined;
    if (why !== undefined) return `${mark} at ${path.join('.') || 'the root'} ${why}`;
    return (
      firstOf(entriesOf(schema['properties']), ([key, child]) => visit(child, [...path, key], isReachable)) ??
      firstOf(conditional, (keyword) => visit(schema[keyword], [...path, keyword], false)) ??
      firstOf(conditionalByName, (keyword) =>
        firstOf(entriesOf(schema[keyword]), ([, child]) => visit(child, [...path, keyword], false)),
      )
    );
  }

  const reason = visit(inputSchema, [], true);
  return reason === undefined ? { valid: true, declarations } : { valid: false, reason };
}

/** The headers of one call. An argument that is absent, null or not a primitive has none. */
export function paramHeaders(declarations: readonly ParamHeader[], args: JsonObject): HeaderList {
  return declarations.flatMap(({ name, path }) => {
    const text = textOf(valueAt(args, path));
    return text === undefined ? [] : [[`Mcp-Param-${name}`, headerValue(text)] as const];
  });
}

function entriesOf(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}

function firstOf<T>(list: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of list) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function valueAt(args: JsonObject, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const key of path) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

function textOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
      return String(value);
    case 'number':
      // Larger ones do not have the same digits everywhere.
      return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? String(value) : undefined;
    default:
      return undefined;
  }
}

/** Visible ASCII characters, with spaces and tabs between them. */
const plain = /^[!-~](?:[\t -~]*[!-~])?$/;
const encoded = /^=\?base64\?(?:.*\?)?=$/;

/** As it is if a header can have it, or else encoded. */
export function headerValue(text: string): string {
  if (plain.test(text) && !encoded.test(text)) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
