import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLimitedLog } from './limited-log.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('writes three texts of each kind per minute, and then how many more there were', () => {
  const written: string[] = [];
  const log = createLimitedLog((text) => written.push(text));
  for (let index = 0; index < 100; index++) log.write('a', `a ${index}`);
  log.write('b', 'b');
  expect(written).toEqual(['a 0', 'a 1', 'a 2', 'b']);
  vi.advanceTimersByTime(60_000);
  expect(written.slice(4)).toEqual(['97 more like this: a 99']);
  log.write('a', 'again');
  log.end();
  vi.advanceTimersByTime(60_000);
  expect(written.slice(5)).toEqual(['again']);
});
