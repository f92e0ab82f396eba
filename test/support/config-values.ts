import fc from 'fast-check';
import * as z from 'zod/mini';

// Values for the schema of the configuration file, generated from the schema itself, so that new keys are covered.
// As in the schema, objects whose keys are names are Maps.

type Schema = z.core.$ZodType;

const texts = ['a', 'B', ' ', '', '${SET}', '${UNSET:-x}', '${', '${9}', '$${x}', '\0', '__proto__', '*', 'a=b', '7'];
const urls = ['https://a.b/c', 'http://${SET}', 'ftp://x'];
const numbers = [-1, 0, 1, 2, 1.5, 1e6, 1e6 + 1, 5e8, 5e8 + 1, 2 ** 31 - 1, 2 ** 31, 1e12];
const anyText = fc.string({ unit: 'binary', maxLength: 10 });
const anything = fc.oneof(fc.constantFrom<unknown>(...texts, ...urls, ...numbers, null), anyText, fc.jsonValue());

/** Values that the schema accepts. No name is a number. */
export function soundValues(schema: Schema): fc.Arbitrary<unknown> {
  return valuesOf(schema, soundValues).filter((value) => accepts(schema, value));
}

/** Values that are almost valid: a few parts have another type, or do not fit together. */
export function flawedValues(schema: Schema): fc.Arbitrary<unknown> {
  const ofItsType = schema instanceof z.ZodMiniNumber ? numbers : schema instanceof z.ZodMiniString ? texts : [];
  return fc.oneof(
    { weight: 15, arbitrary: soundValues(schema) },
    { weight: 15, arbitrary: valuesOf(schema, flawedValues) },
    { weight: 1, arbitrary: anything },
    { weight: ofItsType.length === 0 ? 0 : 3, arbitrary: fc.constantFrom<unknown>(null, ...ofItsType) },
  );
}

function valuesOf(schema: Schema, inner: (schema: Schema) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const accepted = <T>(pool: readonly T[]) => pool.filter((value) => accepts(schema, value));
  if (schema instanceof z.ZodMiniOptional) return inner(schema.def.innerType);
  if (schema instanceof z.ZodMiniString) {
    const known = accepted([...texts, ...urls]);
    return fc.oneof(
      fc.constantFrom(...known),
      anyText.map((text) => (accepts(schema, text) ? text : known[0])),
    );
  }
  if (schema instanceof z.ZodMiniNumber) return fc.constantFrom(...accepted(numbers));
  if (schema instanceof z.ZodMiniBoolean) return fc.boolean();
  if (schema instanceof z.ZodMiniEnum) return fc.constantFrom(...Object.values(schema.def.entries));
  if (schema instanceof z.ZodMiniUnknown) return fc.jsonValue();
  if (schema instanceof z.ZodMiniUnion) return fc.oneof(...schema.def.options.map(inner));
  if (schema instanceof z.ZodMiniArray) return fc.array(inner(schema.def.element), { maxLength: 3 });
  if (schema instanceof z.ZodMiniLiteral) return fc.constantFrom(...schema.def.values);
  if (schema instanceof z.ZodMiniMap) return mapsOf(schema, inner);
  if (schema instanceof z.ZodMiniObject) return objectsOf(schema, inner);
  throw new Error('no values for this type: add some');
}

function mapsOf({ def }: z.ZodMiniMap, inner: (schema: Schema) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const isFlawed = inner === flawedValues;
  const names = inner(def.keyType).map(String);
  const entry = fc.tuple(isFlawed ? names : names.filter((name) => !/^\d+$/.test(name)), inner(def.valueType));
  return fc.array(entry, { minLength: 1, maxLength: 3 }).map((entries) => new Map(entries));
}

function objectsOf({ def }: z.ZodMiniObject, inner: (schema: Schema) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const keys = Object.keys(def.shape);
  const values = new Map(Object.entries(def.shape).map(([key, value]) => [key, inner(value)]));
  const optional = keys.filter((key) => def.shape[key] instanceof z.ZodMiniOptional);
  // Few of the optional keys at a time: some exclude each other.
  return fc.subarray(optional, { maxLength: Math.min(5, optional.length) }).chain((chosen) => {
    const used = [...values].filter(([key]) => chosen.includes(key) || !optional.includes(key));
    return fc.record(Object.fromEntries(used));
  });
}

function accepts(schema: Schema, value: unknown): boolean {
  return z.safeParse(schema, value).success;
}

/** Writes Maps as objects. */
export function writeJson(value: unknown): string {
  if (value instanceof Map) return braces(Array.from(value, ([name, held]) => [String(name), held]));
  if (Array.isArray(value)) return `[${value.map((item) => writeJson(item)).join(', ')}]`;
  return typeof value === 'object' && value !== null ? braces(Object.entries(value)) : JSON.stringify(value);
}

function braces(entries: readonly (readonly [string, unknown])[]): string {
  return `{${entries.map(([name, held]) => `\n${JSON.stringify(name)}: ${writeJson(held)}`).join(',')}}`;
}
