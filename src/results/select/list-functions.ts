import { define, defineVariadic, emptyObject } from './define.js';
import { SelectFault } from './fault.js';
import type { Run } from './run.js';
import {
  any,
  array,
  comparable,
  either,
  number,
  numbers,
  object,
  type Reference,
  reference,
  string,
  strings,
} from './types.js';

export const listFunctions = {
  abs: define([number], (_, value) => Math.abs(value)),
  ceil: define([number], (_, value) => Math.ceil(value)),
  floor: define([number], (_, value) => Math.floor(value)),
  sum: define([numbers], (_, values) => total(values)),
  avg: define([numbers], (_, values) => (values.length === 0 ? null : total(values) / values.length)),
  max: define([either(numbers, strings)], (run, values) => extreme(values, values, 1, run)),
  min: define([either(numbers, strings)], (run, values) => extreme(values, values, -1, run)),
  max_by: define([array, reference], (run, items, key) => extreme(items, keysBy('max_by', items, key, run), 1, run)),
  min_by: define([array, reference], (run, items, key) => extreme(items, keysBy('min_by', items, key, run), -1, run)),
  sort: define([either(numbers, strings)], (run, values) => sorted(values, values, run)),
  sort_by: define([array, reference], (run, items, key) => sorted(items, keysBy('sort_by', items, key, run), run)),
  group_by: define([array, reference], groupBy),
  map: define([reference, array], (run, key, items) => {
    run.spend(items.length);
    return items.map(key);
  }),
  unique: define([array], unique),
  reverse: define([either(array, string)], (run, value) => {
    if (typeof value !== 'string') {
      run.spend(value.length);
      return value.toReversed();
    }
    // Every character is an item for a moment.
    run.spend(Math.floor(value.length / 4));
    run.make(value.length);
    return Array.from(value).toReversed().join('');
  }),
  to_array: define([any], (run, value) => (array.holds(value, run) ? value : [value])),
  not_null: defineVariadic(any, (_, values) => values.find((value) => value !== null) ?? null),
  keys: define([object], (run, value) => copied(run.keys(value), run)),
  values: define([object], (run, value) => copied(run.keys(value), run).map((key) => value[key])),
  items: define([object], (run, value) => {
    const keys = run.keys(value);
    run.spend(3 * keys.length);
    return keys.map((key) => [key, value[key]]);
  }),
  merge: defineVariadic(object, (run, objects) => {
    const merged = emptyObject();
    for (const each of objects) {
      const keys = run.keys(each);
      run.spend(3 * keys.length);
      for (const key of keys) merged[key] = each[key];
    }
    return merged;
  }),
};

function copied<T>(items: readonly T[], run: Run): T[] {
  run.spend(items.length);
  return [...items];
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function keysBy(name: string, items: readonly unknown[], key: Reference, run: Run): readonly (number | string)[] {
  run.spend(items.length);
  return comparable(items.map(key), name, run);
}

/** The item with the largest key (`sign` 1) or the smallest (-1), the first of equal ones. */
function extreme(items: readonly unknown[], keys: readonly (number | string)[], sign: 1 | -1, run: Run): unknown {
  readAll(keys, 1, run);
  let best = 0;
  for (const [at, key] of keys.entries()) if (compare(key, keys[best] ?? key) === sign) best = at;
  return items[best] ?? null;
}

function sorted(items: readonly unknown[], keys: readonly (number | string)[], run: Run): unknown[] {
  run.sort(items.length);
  readAll(keys, Math.log2(items.length + 1), run);
  const order = keys.map((key, at) => ({ key, at })).sort((a, b) => compare(a.key, b.key));
  return order.map(({ at }) => items[at]);
}

/** Comparing two strings may read both to their ends. */
function readAll(keys: readonly (number | string)[], times: number, run: Run): void {
  run.spend(keys.length);
  run.read(times * keys.reduce((sum: number, key) => sum + (typeof key === 'string' ? key.length : 0), 0));
}

function compare(a: number | string, b: number | string): -1 | 0 | 1 {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function groupBy(run: Run, items: readonly unknown[], key: Reference): unknown {
  const groups = new Map<string, unknown[]>();
  for (const item of items) {
    run.spend(3);
    const name = key(item);
    if (name === null) continue;
    if (typeof name !== 'string') throw new SelectFault('invalid-type', 'group_by: the values are not all strings');
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  const made = emptyObject();
  for (const [name, group] of groups) made[name] = group;
  return made;
}

/** Keeps the first of equal items. */
function unique(run: Run, items: readonly unknown[]): unknown[] {
  const plain = new Set<unknown>();
  const structured: unknown[] = [];
  return items.filter((item) => {
    run.spend(1);
    if (typeof item === 'string') run.read(item.length);
    const isKnown =
      typeof item === 'object' && item !== null
        ? structured.some((other) => run.areEqual(item, other))
        : plain.has(item);
    if (isKnown) return false;
    if (typeof item === 'object' && item !== null) structured.push(item);
    else plain.add(item);
    return true;
  });
}
