import { expect, test, vi } from 'vitest';
import { Cancellation, toAbortSignal } from './cancellation.js';

test('listeners are called once, and removed ones are not called', () => {
  const cancellation = new Cancellation();
  const [stays, goes] = [vi.fn<() => void>(), vi.fn<() => void>()];
  cancellation.addEventListener('abort', stays);
  cancellation.addEventListener('abort', goes);
  cancellation.removeEventListener('abort', goes);
  cancellation.cancel('why');
  cancellation.cancel('again');
  expect(stays).toHaveBeenCalledTimes(1);
  expect(goes).not.toHaveBeenCalled();
  expect(cancellation).toMatchObject({ aborted: true, reason: 'why' });
});

test('the real signal is aborted too, whenever it was created', () => {
  const cancellation = new Cancellation();
  const before = toAbortSignal(cancellation);
  cancellation.cancel('why');
  for (const signal of [before, toAbortSignal(cancellation)]) {
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toBe('why');
  }
  expect(toAbortSignal(before)).toBe(before);
});
