import { expect, test } from 'vitest';
import { firstLine } from './first-line.js';

test.each([
  ['Error: no\n  at x', 'Error: no'],
  ['\r\n \t\n  no file  \r\nmore', 'no file'],
  ['\u001B[31mred\u001B[0m\nmore', 'red'],
  ['ab\u202Ecd', 'abcd'],
  ['', undefined],
  [' \n\t', undefined],
])('the first line of %j is %j', (text, line) => {
  expect(firstLine(text)).toBe(line);
});

test('a long first line is cut', () => {
  expect(firstLine('x'.repeat(1_000), 10)).toBe('xxxxxxxxx…');
});
