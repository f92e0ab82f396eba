import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startStopwatch } from '../../../test/support/stopwatch.js';
import { matcherOf } from './name-patterns.js';

describe('a list of names and globs', () => {
  test.each([
    [['*'], 'anything', true],
    [[], 'anything', false],
    [['read_file'], 'read_file', true],
    [['read_file'], 'read_files', false],
    [['read_*', 'list'], 'read_file', true],
    [['read_*', 'list'], 'list', true],
    [['read_*'], 'Read_file', false],
    [['*_file'], 'read_text_file', true],
    [['a?c'], 'abc', true],
    [['a?c'], 'ac', false],
    [['a.c'], 'abc', false],
    [['*a*b*'], 'xxaxxbxx', true],
    [['*a*b*'], 'xxbxxaxx', false],
  ])('%j decides on %s: %s', (patterns, tool, shown) => {
    expect(matcherOf(patterns)(tool)).toBe(shown);
  });

  test('agrees with the equivalent regular expression', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 });
    fc.assert(
      fc.property(letters, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 }), (glob, name) => {
        const expected = new RegExp(`^${glob.replaceAll('*', '.*').replaceAll('?', '.')}$`).test(name);
        expect(matcherOf([glob])(name)).toBe(expected);
      }),
    );
  });

  test('is fast for a pattern designed to be slow', () => {
    const elapsed = startStopwatch();
    expect(matcherOf([`${'a*'.repeat(50)}b`])('a'.repeat(2_000))).toBe(false);
    expect(elapsed()).toBeLessThan(1_000);
  });
});
