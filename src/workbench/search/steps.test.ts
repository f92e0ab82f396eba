import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxQueryChars, maxQuerySteps } from '../../limits.js';
import { interleave, stepsOf } from './steps.js';

describe('the steps of a query', () => {
  test('are separated by semicolons, and empty ones are none', () => {
    expect(stepsOf('find the file; read it;; ; mail it；')).toEqual(['find the file', ' read it', ' mail it']);
    expect(stepsOf('no separator')).toEqual(['no separator']);
    expect(stepsOf(' ; ;')).toEqual([]);
  });

  test('are few, however many there are: the last one has the words of all others', () => {
    const steps = stepsOf(Array.from({ length: 1_000 }, (_, at) => `s${at}`).join(';'));
    expect(steps).toHaveLength(maxQuerySteps);
    expect(steps.slice(0, 2)).toEqual(['s0', 's1']);
    expect(steps.at(-1)?.startsWith(`s${maxQuerySteps - 1} s${maxQuerySteps} `)).toBe(true);
    expect(stepsOf(';'.repeat(1_000_000))).toEqual([]);
    expect(stepsOf('x;'.repeat(1_000_000)).join('').length).toBeLessThanOrEqual(maxQueryChars);
  });
});

describe('lists that take turns', () => {
  test('give one entry each, and another one for an entry that was there before', () => {
    expect(interleave([['a', 'b', 'c'], ['a', 'd'], ['x']], 10)).toEqual(['a', 'd', 'x', 'b', 'c']);
    expect(interleave([['a', 'b', 'c'], ['a', 'd'], ['x']], 2)).toEqual(['a', 'd']);
    expect(interleave([], 5)).toEqual([]);
  });

  test('give every entry once, and the start of the same list for a lower limit', () => {
    fc.assert(
      fc.property(fc.array(fc.uniqueArray(fc.nat(30)), { maxLength: 6 }), fc.nat(40), (lists, limit) => {
        const all = interleave(lists, 1_000);
        expect(all.toSorted((one, two) => one - two)).toEqual(
          [...new Set(lists.flat())].toSorted((one, two) => one - two),
        );
        const cut = lists.map((list) => list.slice(0, limit));
        expect(interleave(cut, limit)).toEqual(all.slice(0, limit));
      }),
    );
  });
});
