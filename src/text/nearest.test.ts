import { expect, test } from 'vitest';
import { nearest } from './nearest.js';

test.each([
  ['read_fil', ['write_file', 'read_file', 'list'], ['read_file']],
  ['READ_FILE', ['read_file'], ['read_file']],
  ['file', ['read_file', 'zzz'], ['read_file']],
  ['xyz', ['read_file', 'list'], []],
])('for %s the nearest of %j are %j', (wanted, names, expected) => {
  expect(nearest(wanted, names)).toEqual(expected);
});
