import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchSilence } from './silence.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Waits for an answer of a host. `stalledMs`: what its thread says, by the seconds that have passed. */
function waitFor(stalledMs: (second: number) => number | undefined) {
  let seconds = 0;
  let asked = 0;
  let givenUpAfter: number | undefined;
  const silence = watchSilence({
    isWaiting: () => givenUpAfter === undefined,
    isListening: () => true,
    ask: () => asked++,
    stalledMs: () => stalledMs(seconds),
    onSilence: () => void (givenUpAfter ??= seconds),
  });
  silence.wait();
  const pass = (count: number) => {
    for (let index = 0; index < count; index++) {
      seconds++;
      vi.advanceTimersByTime(1_000);
    }
    return givenUpAfter;
  };
  return { silence, pass, asked: () => asked };
}

test('a host without a sign of life is asked for one, once, and given up after ten seconds', () => {
  const { pass, asked } = waitFor(() => undefined);
  expect([pass(9), asked()]).toEqual([undefined, 1]);
  expect(pass(1)).toBe(10);
});

test('a host that says it is busy is given up when it has been for more than thirty seconds', () => {
  const { pass } = waitFor((second) => second * 1_000);
  expect(pass(30)).toBeUndefined();
  expect(pass(5)).toBe(31);
});

test('what a busy host wrote before it was stopped is no sign of life', () => {
  const { pass } = waitFor((second) => Math.min(second, 8) * 1_000);
  expect(pass(17)).toBeUndefined();
  expect(pass(1)).toBe(18);
});

test('a host that answers is not given up, whatever it said before', () => {
  const { silence, pass } = waitFor((second) => 25_000 + second * 1_000);
  expect(pass(4)).toBeUndefined();
  silence.heard();
  expect(pass(3)).toBeUndefined();
});
