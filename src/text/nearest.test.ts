import { expect, test } from 'vitest';
import { nearest } from './nearest.js';

test.each([
  ['read_fil', ['write_file', 'read_file', 'list'], ['read_file']],
  ['READ_FILE', ['file', 'read_file'], ['read_file', 'file']],
  ['file', ['read_file', 'zzz'], ['read_file']],
  ['xyz', ['read_file', 'list'], []],
])('for %s the nearest of %j are %j', (wanted, names, expected) => {
  expect(nearest(wanted, names)).toEqual(expected);
});

test('names of any length are compared in no time', () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `${index} ${'y'.repeat(124)}`);
  const begun = process.cpuUsage().user;
  expect(nearest('x'.repeat(1_000_000), names)).toEqual([]);
  expect(nearest(`1999 ${'y'.repeat(1_000_000)}`, names, 100)).toContain(names[1999]);
  // In microseconds. Comparing them as a whole takes minutes.
  expect(process.cpuUsage().user - begun).toBeLessThan(1_000_000);
});

test('ten names are compared with thousands of similar length in no time', () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `${index.toString(36)}_${'ab_'.repeat(32)}`);
  const begun = process.cpuUsage().user;
  for (let at = 0; at < 10; at++) nearest(`zz${at}${'cd_'.repeat(32)}`, names);
  // As a whole they take 2 s.
  expect(process.cpuUsage().user - begun).toBeLessThan(1_000_000);
});
