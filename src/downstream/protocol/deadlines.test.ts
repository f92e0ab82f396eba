import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDeadlines, type Deadline, never } from './deadlines.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Deadlines that stop counting when they expire, and when each did so: the limit it exceeded and the time. */
function setUp() {
  const pending = new Set<Deadline>();
  const expired: { limitMs: number; at: number }[] = [];
  const start = performance.now();
  const deadlines = createDeadlines(
    () => [...pending],
    (deadline, limit) => {
      pending.delete(deadline);
      expired.push({ limitMs: deadline[`${limit}Ms`], at: Math.round(performance.now() - start) });
    },
  );
  const begin = (idleMs = never, totalMs = never) => {
    const since = performance.now();
    const deadline = { since, idleMs, totalMs, idleEnds: since + idleMs, totalEnds: since + totalMs };
    pending.add(deadline);
    deadlines.watch(deadline);
    return deadline;
  };
  return { deadlines, pending, expired, begin };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('each expires at its own limit, whatever the order they were started in', async () => {
  const { expired, begin } = setUp();
  begin(3_000);
  begin(1_000);
  begin(9_000, 2_000);
  begin();
  await pass(100_000);
  expect(expired).toEqual([
    { limitMs: 1_000, at: 1_000 },
    { limitMs: 2_000, at: 2_000 },
    { limitMs: 3_000, at: 3_000 },
  ]);
});

test('a thousand pending deadlines share one timer, and one without a limit needs none', () => {
  const { begin } = setUp();
  begin();
  expect(vi.getTimerCount()).toBe(0);
  for (let i = 0; i < 1_000; i++) begin(60_000 - i);
  expect(vi.getTimerCount()).toBe(1);
});

test('one that was met in time does not expire, and the timer ends with the last', async () => {
  const { pending, expired, begin } = setUp();
  pending.delete(begin(1_000));
  await pass(1_000);
  expect(expired).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test('progress restarts the idle limit, but not the total limit', async () => {
  const { deadlines, expired, begin } = setUp();
  const deadline = begin(1_000, 2_500);
  for (let i = 0; i < 3; i++) {
    await pass(800);
    deadlines.extend(deadline);
  }
  await pass(5_000);
  expect(expired).toEqual([{ limitMs: 2_500, at: 2_500 }]);
});

test('a pause does not count towards the total, and afterwards the idle limit starts again', async () => {
  const { deadlines, expired, begin } = setUp();
  begin(1_000, 1_500);
  await pass(900);
  const resume = deadlines.pause();
  await pass(100_000);
  expect(vi.getTimerCount()).toBe(0);
  resume();
  await pass(5_000);
  expect(expired).toEqual([{ limitMs: 1_500, at: 900 + 100_000 + 600 }]);
});

test('one that starts during a pause has its whole time afterwards', async () => {
  const { deadlines, expired, begin } = setUp();
  const resume = deadlines.pause();
  await pass(500);
  begin(2_000, 1_000);
  await pass(10_000);
  resume();
  await pass(5_000);
  expect(expired).toEqual([{ limitMs: 1_000, at: 500 + 10_000 + 1_000 }]);
});

test('of overlapping pauses the last to end counts, and ending one twice changes nothing', async () => {
  const { deadlines, expired, begin } = setUp();
  begin(1_000);
  const [first, second] = [deadlines.pause(), deadlines.pause()];
  first();
  first();
  await pass(50_000);
  expect(expired).toEqual([]);
  second();
  await pass(1_000);
  expect(expired).toEqual([{ limitMs: 1_000, at: 51_000 }]);
});

test('after a stop nothing expires and no timer is left', async () => {
  const { deadlines, expired, begin } = setUp();
  begin(1_000);
  deadlines.stop();
  expect(vi.getTimerCount()).toBe(0);
  await pass(5_000);
  expect(expired).toEqual([]);
});
