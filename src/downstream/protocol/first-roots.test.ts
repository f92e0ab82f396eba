import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pending } from '../../../test/support/fake-port.js';
import { Cancellation } from '../../jsonrpc/cancellation.js';
import { maxRootsWaitMs } from '../../limits.js';
import { createFirstRoots, type FirstRoots } from './first-roots.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Whether a call may be sent, then and after this many milliseconds. */
function sending(roots: FirstRoots, signal?: Cancellation) {
  let isSent = false;
  const sent = Promise.resolve(roots.hold(signal)).then(() => {
    isSent = true;
  });
  const after = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    return isSent;
  };
  return { sent, after };
}

test('a server that does not ask gets its calls after a moment, and later ones at once', async () => {
  const roots = createFirstRoots(async () => {});
  const { after } = sending(roots);
  expect(await after(200)).toBe(false);
  expect(await after(50)).toBe(true);
  expect(roots.hold(undefined)).toBeUndefined();
});

test('a server that asks a moment after its start gets its first calls when it has received the answer and used it', async () => {
  const reached = pending<void>();
  const roots = createFirstRoots(() => reached.promise);
  const calls = [sending(roots), sending(roots)];
  await vi.advanceTimersByTimeAsync(200);
  const answer = pending<object>();
  roots.asked(answer.promise);
  for (const { after } of calls) expect(await after(5_000)).toBe(false);
  answer.resolve({});
  await vi.advanceTimersByTimeAsync(0);
  reached.resolve();
  expect(await calls[0]?.after(49)).toBe(false);
  for (const { after } of calls) expect(await after(1)).toBe(true);
});

test.each([
  [20, 130],
  [1_500, 1_000],
])('a server that receives the answer after %i ms has %i ms to use it', async (receivedMs, useMs) => {
  const reached = pending<void>();
  const roots = createFirstRoots(() => reached.promise);
  roots.asked(Promise.resolve({}));
  const { after } = sending(roots);
  expect(await after(receivedMs)).toBe(false);
  reached.resolve();
  expect(await after(useMs - 1)).toBe(false);
  expect(await after(1)).toBe(true);
});

test('a server that never shows that it has received the answer gets its calls all the same', async () => {
  const roots = createFirstRoots(() => pending<void>().promise);
  roots.asked(Promise.resolve({}));
  const { after } = sending(roots);
  expect(await after(1_900)).toBe(false);
  expect(await after(200)).toBe(true);
});

test.each(['no answer', 'an error'])('a server that gets %s gets its calls all the same', async (what) => {
  const roots = createFirstRoots(async () => {});
  const answer = pending<object>();
  roots.asked(answer.promise);
  const { after } = sending(roots);
  if (what === 'an error') answer.reject(new Error('no'));
  else expect(await after(maxRootsWaitMs - 1)).toBe(false);
  expect(await after(100)).toBe(true);
});

test('a held call that is cancelled ends at once', async () => {
  const cancellation = new Cancellation();
  const { sent } = sending(
    createFirstRoots(async () => {}),
    cancellation,
  );
  cancellation.cancel();
  await expect(sent).rejects.toMatchObject({ kind: 'cancelled' });
});
