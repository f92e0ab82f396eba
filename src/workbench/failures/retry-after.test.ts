import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DownstreamFailure } from '../../contract/downstream-failure.js';
import { createRetryAfter } from './retry-after.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const asked = (retryAfterMs?: number) => new DownstreamFailure('wait', 'asks to wait', { retryAfterMs });

test('nothing is sent to a server until the time that it asked for is over', () => {
  const waiting = createRetryAfter();
  expect(waiting.refusal()).toBeUndefined();
  waiting.note(asked(12_000));
  expect(waiting.refusal()?.message).toBe('asks to wait 12 s');
  vi.advanceTimersByTime(4_500);
  expect(waiting.refusal()?.message).toBe('asks to wait 8 s');
  vi.advanceTimersByTime(7_500);
  expect(waiting.refusal()).toBeUndefined();
});

test('a shorter time that another response asks for does not end the wait', () => {
  const waiting = createRetryAfter();
  waiting.note(asked(12_000));
  waiting.note(asked(1_000));
  waiting.note(asked());
  waiting.note(new Error('other'));
  expect(waiting.refusal()?.message).toBe('asks to wait 12 s');
});

test('a refusal does not make the wait longer', () => {
  const waiting = createRetryAfter();
  waiting.note(asked(12_000));
  vi.advanceTimersByTime(5_000);
  waiting.note(waiting.refusal());
  vi.advanceTimersByTime(7_000);
  expect(waiting.refusal()).toBeUndefined();
});
