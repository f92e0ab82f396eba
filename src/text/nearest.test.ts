import { afterEach, expect, test, vi } from 'vitest';
import { nearest } from './nearest.js';

afterEach(() => void vi.restoreAllMocks());

test.each([
  ['read_fil', ['write_file', 'read_file', 'list'], ['read_file']],
  ['READ_FILE', ['file', 'read_file'], ['read_file', 'file']],
  ['file', ['read_file', 'zzz'], ['read_file']],
  ['xyz', ['read_file', 'list'], []],
])('for %s the nearest of %j are %j', (wanted, names, expected) => {
  expect(nearest(wanted, names)).toEqual(expected);
});

const characters = () => vi.spyOn(String.prototype, 'charCodeAt');

test('of names of any length only the first 40 characters are compared', () => {
  const names = Array.from({ length: 20 }, (_, index) => `${index} ${'y'.repeat(124)}`);
  const looks = characters();
  expect(nearest('x'.repeat(1_000_000), names)).toEqual([]);
  expect(nearest(`19 ${'y'.repeat(1_000_000)}`, names, 100)).toContain(names[19]);
  // Two for each pair of characters.
  expect(looks.mock.calls.length).toBeLessThanOrEqual(2 * names.length * 2 * 40 * 40);
});

test('a comparison ends as soon as two names are too different', () => {
  const names = Array.from({ length: 20 }, (_, index) => `${index.toString(36)}_${'ab_'.repeat(32)}`);
  const looks = characters();
  expect(nearest(`zz${'cd_'.repeat(32)}`, names)).toEqual([]);
  expect(looks.mock.calls.length).toBeLessThan((names.length * 2 * 40 * 40) / 1.5);
});
