import { isRecord } from '../../jsonrpc/json.js';
import { SelectFault } from './fault.js';
import type { Run } from './run.js';

/** A type that a function expects of an argument. */
export interface Type<T> {
  readonly name: string;
  readonly holds: (value: unknown, run: Run) => value is T;
}

/** An argument written as `&expression`. */
export type Reference = (item: unknown) => unknown;

const isString = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';

export const any: Type<unknown> = { name: 'value', holds: (value): value is unknown => typeof value !== 'function' };
export const number: Type<number> = { name: 'number', holds: isNumber };
export const string: Type<string> = { name: 'string', holds: isString };
export const array: Type<readonly unknown[]> = { name: 'array', holds: (value) => Array.isArray(value) };
export const object: Type<Record<string, unknown>> = { name: 'object', holds: isRecord };
export const numbers: Type<readonly number[]> = {
  name: 'array of numbers',
  holds: (value, run) => isListOf(isNumber, value, run),
};
export const strings: Type<readonly string[]> = {
  name: 'array of strings',
  holds: (value, run) => isListOf(isString, value, run),
};
export const reference: Type<Reference> = {
  name: '&expression',
  holds: (value): value is Reference => typeof value === 'function',
};

export function either<A, B>(a: Type<A>, b: Type<B>): Type<A | B> {
  return {
    name: `${a.name} or ${b.name}`,
    holds: (value, run): value is A | B => a.holds(value, run) || b.holds(value, run),
  };
}

function isListOf<T>(holds: (item: unknown) => item is T, value: unknown, run: Run): value is readonly T[] {
  if (!Array.isArray(value)) return false;
  run.spend(value.length);
  return value.every(holds);
}

/** Numbers or strings, to be compared with each other. */
export function comparable(values: readonly unknown[], name: string, run: Run): readonly (number | string)[] {
  if (numbers.holds(values, run) || strings.holds(values, run)) return values;
  throw new SelectFault('invalid-type', `${name}: the values are not all numbers or all strings`);
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'function' ? reference.name : typeof value;
}
