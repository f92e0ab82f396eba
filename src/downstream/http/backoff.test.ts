import { expect, test } from 'vitest';
import { streamDelayMs } from './backoff.js';

test('the delay grows with failures, up to half a minute', () => {
  expect([0, 1, 2, 100].map((failures) => streamDelayMs(failures, undefined))).toEqual([1_000, 1_500, 2_250, 30_000]);
});

test('a server chooses the delay, within what a timer can do', () => {
  expect(streamDelayMs(0, 0)).toBe(100);
  expect(streamDelayMs(0, 45_000)).toBe(45_000);
  expect(streamDelayMs(0, 99_999_999_999)).toBe(3_600_000);
  expect(streamDelayMs(0, Number.POSITIVE_INFINITY)).toBe(3_600_000);
});
