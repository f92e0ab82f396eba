import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Cancellation } from '../jsonrpc/cancellation.js';
import type { Progress } from '../workbench/ports/downstream.js';
import { createProgressReports } from './progress.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Requests whose agents keep what they get. */
function setUp() {
  const reports = createProgressReports();
  const begin = () => {
    const call = new Cancellation();
    const seen: Progress[] = [];
    const report = reports.begin(call, (progress) => void seen.push(progress));
    return { call, seen, report, end: () => reports.end(call) };
  };
  return { begin };
}

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000);
const numbersIn = (seen: readonly Progress[]) => seen.map(({ progress }) => progress ?? Number.NaN);

test('a silent request gets a sign of life every 15 s, with numbers that rise by a millionth', async () => {
  const { seen, end } = setUp().begin();
  await pass(14.9);
  expect(seen).toEqual([]);
  await pass(31);
  expect(seen.map(({ message }) => message)).toEqual(['running for 15 s', 'running for 30 s', 'running for 45 s']);
  expect(numbersIn(seen)).toEqual([0.000001, 0.000002, expect.closeTo(0.000003, 9)]);
  end();
  await pass(100);
  expect(seen).toHaveLength(3);
});

test('reports of the server are passed on as they are, and delay the next sign of life', async () => {
  const { seen, report } = setUp().begin();
  const [first, second, last] = [{ progress: 3, total: 7, message: 'three' }, { progress: 2 }, { progress: 4 }];
  await pass(10);
  report(first);
  await pass(10);
  expect(seen).toEqual([first]);
  expect(seen[0]).toBe(first);
  await pass(5);
  expect(seen[1]).toEqual({ progress: 3.000001, total: 7, message: 'running for 25 s' });
  report(second);
  report(last);
  await pass(15);
  expect(seen.slice(2)).toEqual([second, last, { progress: 4.000001, message: 'running for 40 s' }]);
});

test('a text without a number gets one that rises, also after numbers for which a millionth is nothing', async () => {
  const { seen, report } = setUp().begin();
  for (const progress of [0, 1e12, -1e15, 1e300]) {
    report({ progress });
    report({ message: 'reading' });
    const [before, after] = numbersIn(seen.slice(-2));
    expect(after).toBeGreaterThan(before ?? Number.NaN);
  }
});

test('a cancelled request gets no sign of life', async () => {
  const { begin } = setUp();
  const [cancelled, other] = [begin(), begin()];
  cancelled.call.cancel();
  await pass(16);
  expect([cancelled.seen, other.seen].map(({ length }) => length)).toEqual([0, 1]);
});

test('a thousand requests share one timer, which ends with the last of them', async () => {
  const { begin } = setUp();
  const calls = Array.from({ length: 1_000 }, begin);
  expect(vi.getTimerCount()).toBe(1);
  await pass(10);
  const late = begin();
  await pass(10);
  expect(vi.getTimerCount()).toBe(1);
  expect(calls.every(({ seen }) => seen.length === 1)).toBe(true);
  expect(late.seen).toEqual([]);
  await pass(5);
  expect(late.seen).toHaveLength(1);
  for (const { end } of calls) end();
  late.end();
  late.end();
  expect(vi.getTimerCount()).toBe(0);
  begin();
  expect(vi.getTimerCount()).toBe(1);
});
