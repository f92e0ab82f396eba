import { expect, test } from 'vitest';
import { ago } from './amounts.js';

test.each([
  [0, 'just now'],
  [-5, 'just now'],
  [59, 'just now'],
  [60, '1 min ago'],
  [3599, '59 min ago'],
  [3600, '1 h ago'],
  [47 * 3600, '47 h ago'],
  [48 * 3600, '2 days ago'],
  [90 * 86_400, '90 days ago'],
])('%i s are: %s', (seconds, expected) => {
  const now = Date.parse('2026-11-16T12:00:00Z');
  expect(ago(now - seconds * 1_000, now)).toBe(expected);
});
