import * as z from 'zod/mini';

/** A fault that zod cannot find; `atKey` reports it at the name instead of the value. */
interface Fault {
  readonly what: string;
  readonly remedy: string;
  readonly atKey?: boolean;
  /** The key inside the value that is at fault. */
  readonly key?: string;
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
    for (const { what, key, ...rest } of faultsOf(value)) {
      const path = key === undefined ? [] : [key];
      issues.push({ code: 'custom', input: value, message: what, path, params: rest });
    }
  }, params);
  predicates.set(check, holds);
  return check;
}

/** The predicate of a check made by `ownCheck`. */
export function predicateOf(check: z.core.$ZodCheck): Predicate | undefined {
  return predicates.get(check);
}
