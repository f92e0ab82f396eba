// Runs in scripts/generate.mjs and in tests; no program loads it.
import * as z from 'zod/mini';
import { objectChecks, textChecks } from './checks.js';
import { predicateOf } from './schema-checks.js';
import type { Shape } from './shape.js';

type Schema = z.core.$ZodType;

/** The shape of a schema. Throws for everything a shape cannot express; otherwise files that use it would lose the quick path. */
export function shapeOf(schema: Schema, place = 'config'): Shape {
  if (schema instanceof z.ZodMiniObject) return objectShape(schema, place);
  if (schema instanceof z.ZodMiniMap) return mapShape(schema, place);
  if (schema instanceof z.ZodMiniArray) {
    const { least } = requirementsOf(schema, ['element'], ['least'], place);
    return { list: shapeOf(schema.def.element, `${place}[]`), least };
  }
  if (schema instanceof z.ZodMiniString) {
    const { least, pattern, predicates } = requirementsOf(schema, [], ['least', 'pattern', 'predicates'], place);
    return { text: predicates.map((predicate) => nameOf(predicate, textChecks, place)), least, pattern };
  }
  if (schema instanceof z.ZodMiniNumber) {
    const { step, least, most } = requirementsOf(schema, [], ['step', 'least', 'most'], place);
    if (step === 1 && least !== undefined && most !== undefined) return { whole: [least, most] };
    return refuse(place, 'a number without multipleOf(1), gte and lte');
  }
  if (schema instanceof z.ZodMiniBoolean) {
    requirementsOf(schema, [], [], place);
    return { flag: true };
  }
  if (schema instanceof z.ZodMiniEnum) {
    requirementsOf(schema, ['entries'], [], place);
    const words = Object.values(schema.def.entries);
    // An enum of TypeScript with numbers also has its names among its values.
    return words.every((word) => typeof word === 'string') ? { words } : refuse(place, 'an enum of numbers');
  }
  if (schema instanceof z.ZodMiniUnion) return eitherShape(schema, place);
  return refuse(place, `the type ${defOf(schema).type}`);
}

function eitherShape(schema: z.ZodMiniUnion, place: string): Shape {
  requirementsOf(schema, ['options'], [], place);
  const [plain, object, ...others] = schema.def.options.map((option) => shapeOf(option, place));
  const isPlain = plain !== undefined && ('words' in plain || 'text' in plain);
  if (isPlain && object !== undefined && 'object' in object && others.length === 0) return { either: [plain, object] };
  return refuse(place, 'a union of anything but a string and an object');
}

function mapShape(schema: z.ZodMiniMap, place: string): Shape {
  const { least } = requirementsOf(schema, ['keyType', 'valueType'], ['least'], place);
  const names = shapeOf(schema.def.keyType, `${place} (the names)`);
  if (!('text' in names)) return refuse(place, 'a map whose keys are not strings');
  return { map: shapeOf(schema.def.valueType, `${place}.*`), names, least };
}

function objectShape(schema: z.ZodMiniObject, place: string): Shape {
  const { predicates } = requirementsOf(schema, ['shape'], ['predicates'], place);
  const checks = predicates.map((predicate) => nameOf(predicate, objectChecks, place));
  const required: string[] = [];
  const object: Record<string, Shape> = {};
  for (const [key, value] of Object.entries(schema.def.shape)) {
    const isOptional = value instanceof z.ZodMiniOptional;
    if (isOptional) requirementsOf(value, ['innerType'], [], `${place}.${key}`);
    else required.push(key);
    object[key] = shapeOf(isOptional ? value.def.innerType : value, `${place}.${key}`);
  }
  return { object, ...(required.length > 0 && { required }), ...(checks.length > 0 && { checks }) };
}

interface Requirements {
  readonly least?: number;
  readonly most?: number;
  readonly step?: number;
  readonly pattern?: string;
  readonly predicates: readonly Predicate[];
}
type Predicate = NonNullable<ReturnType<typeof predicateOf>>;

/** What the checks of a schema require. Refuses options that are not among `options` and requirements not among `kinds`. */
function requirementsOf(
  schema: Schema,
  options: readonly string[],
  kinds: readonly (keyof Requirements)[],
  place: string,
): Requirements {
  const { type, checks = [], ...others } = defOf(schema);
  const [option] = Object.entries(others).find(([key, value]) => value !== undefined && !options.includes(key)) ?? [];
  if (option !== undefined) return refuse(place, `${type} with the option ${option}`);
  const predicates: Predicate[] = [];
  const all: Requirements = { predicates };
  for (const check of checks) {
    const predicate = predicateOf(check);
    const bound = predicate === undefined ? boundOf(check, place) : {};
    if (predicate !== undefined) predicates.push(predicate);
    const kind = Object.keys(bound)[0] ?? 'predicates';
    if (!kinds.some((known) => known === kind)) return refuse(place, `${type} with a check of ${kind}`);
    if (kind !== 'predicates' && kind in all) return refuse(place, `${type} with two checks of ${kind}`);
    Object.assign(all, bound);
  }
  return all;
}

function boundOf(check: z.core.$ZodCheck, place: string): Omit<Requirements, 'predicates'> {
  if (check instanceof z.core.$ZodCheckMinLength) return { least: defOf(check).minimum };
  if (check instanceof z.core.$ZodCheckMinSize) return { least: defOf(check).minimum };
  if (check instanceof z.core.$ZodCheckRegex) {
    const { pattern } = defOf(check);
    if (pattern.flags === '') return { pattern: pattern.source };
  }
  if (check instanceof z.core.$ZodCheckMultipleOf) return { step: Number(defOf(check).value) };
  if (check instanceof z.core.$ZodCheckGreaterThan && defOf(check).inclusive)
    return { least: Number(defOf(check).value) };
  if (check instanceof z.core.$ZodCheckLessThan && defOf(check).inclusive) return { most: Number(defOf(check).value) };
  return refuse(place, `the check ${defOf(check).check} (use ownCheck for checks that zod does not have)`);
}

function nameOf<Name extends string>(
  predicate: Predicate,
  checks: Readonly<Record<Name, Predicate>>,
  place: string,
): Name {
  for (const name in checks) if (checks[name] === predicate) return name;
  return refuse(place, 'a predicate that is not in checks.ts, or there for another type');
}

function defOf<Def>({ _zod: { def } }: { readonly _zod: { readonly def: Def } }): Def {
  return def;
}

function refuse(place: string, what: string): never {
  throw new Error(`${place}: a shape (src/config/schema/shape.ts) cannot express ${what}`);
}
