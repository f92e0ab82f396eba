import * as z from 'zod/mini';

/** A fault that zod cannot find; `atKey` reports it at the name instead of the value. */
export interface Fault {
  readonly what: string;
  readonly remedy: string;
  readonly atKey?: boolean;
  /** The place inside the value that is at fault. */
  readonly at?: readonly string[];
}

type Predicate = (value: never) => boolean;

const predicates = new WeakMap<z.core.$ZodCheck, Predicate>();

/**
 * A check that zod does not have. `holds` is one of `checks.ts`: it decides here and in the quick reader. `faultsOf` words
 * what is wrong.
 */
export function ownCheck<T>(
  holds: (value: T) => boolean,
  faultsOf: (value: T) => readonly Fault[],
  params?: z.core.$ZodCustomParams,
): z.core.$ZodCheck<T> {
  const check = z.check<T>(({ value, issues }) => {
    if (holds(value)) return;
    for (const { what, at = [], ...rest } of faultsOf(value)) {
      issues.push({ code: 'custom', input: value, message: what, path: [...at], params: rest });
    }
  }, params);
  predicates.set(check, holds);
  return check;
}

const withStrictKeys = new WeakSet<z.core.$ZodType>();

/** An unknown key in such an object is a fault: where it is decided who may call, a misspelt key must not be ignored. */
export function strictKeys<S extends z.core.$ZodType>(schema: S): S {
  withStrictKeys.add(schema);
  return schema;
}

export function hasStrictKeys(schema: z.core.$ZodType): boolean {
  return withStrictKeys.has(schema);
}

/** The predicate of a check made by `ownCheck`. */
export function predicateOf(check: z.core.$ZodCheck): Predicate | undefined {
  return predicates.get(check);
}
