import type { Run } from './run.js';
import type { Type } from './types.js';

export interface SelectFunction {
  readonly types: readonly Type<unknown>[];
  /** Takes any number of arguments of the last type, at least one. */
  readonly isVariadic: boolean;
  readonly call: (run: Run, args: readonly unknown[]) => unknown;
}

/** A function of the language. The caller checks the arguments. */
export function define<Args extends readonly unknown[]>(
  types: { readonly [At in keyof Args]: Type<Args[At]> },
  call: (run: Run, ...args: Args) => unknown,
): SelectFunction {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each was checked with the type at its place
  return { types, isVariadic: false, call: (run, args) => call(run, ...(args as Args)) };
}

export function defineVariadic<T>(type: Type<T>, call: (run: Run, args: readonly T[]) => unknown): SelectFunction {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each was checked with the type
  return { types: [type], isVariadic: true, call: (run, args) => call(run, args as readonly T[]) };
}

/** Without a prototype: `__proto__` and `constructor` are keys like others. */
export function emptyObject(): Record<string, unknown> {
  return { __proto__: null };
}
