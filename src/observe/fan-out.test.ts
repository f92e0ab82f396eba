import { expect, test, vi } from 'vitest';
import { pending } from '../../test/support/fake-port.js';
import { silentLog } from '../platform/log.js';
import type { ObservedSession, SessionEvent, Sink } from './events.js';
import { createFanOut, type SinkPart } from './fan-out.js';

const session = (id: string): ObservedSession => ({ id, principal: 'me', config: undefined, since: 1 });
const began: SessionEvent = { is: 'began', at: 1 };
const opened = (at: number): SessionEvent => ({ is: 'opened', at, toolbox: 'dev', ms: 1, client: undefined });

/** A sink that notes what it gets; `take` may be replaced. */
function noting(part: Omit<SinkPart, 'name' | 'load'>, take: Sink['take'] = () => {}) {
  const seen: string[] = [];
  const flushed = vi.fn(async () => {});
  const sink: Sink = {
    take(of, { is, at }) {
      seen.push(`${of.id} ${of.principal} ${is} ${at}`);
      return take(of, { is, at } as SessionEvent);
    },
    close: () => void seen.push('close'),
    flush: flushed,
  };
  const load = vi.fn(async () => sink);
  return { seen, load, flushed, part: { name: 'audit', ...part, load } };
}

function fanOut(...parts: SinkPart[]) {
  const warnings: string[] = [];
  const made = createFanOut(parts, { ...silentLog, warn: (text) => void warnings.push(text) });
  const of = (one: ObservedSession) => made.of(one);
  return { of, warnings, flush: () => made.flush(), close: () => made.close() };
}

test('every sink gets the events of all sessions in order, those before it was loaded as well', async () => {
  const [one, other] = [noting({ mayLose: false }), noting({ mayLose: false })];
  const { of, flush, warnings } = fanOut(one.part, other.part);
  const [first, second] = [of(session('a')), of(session('b'))];
  first.report(began);
  second.report(began);
  first.report(opened(2));
  await flush();
  second.report(opened(3));
  const all = ['a me began 1', 'b me began 1', 'a me opened 2', 'b me opened 3'];
  expect([one.seen, other.seen]).toEqual([all, all]);
  expect(one.load).toHaveBeenCalledOnce();
  expect(one.flushed).toHaveBeenCalledOnce();
  expect(warnings).toEqual([]);
});

test('a sink that may lose events is loaded after the first answer, or when that takes long, but not when the process ends', async () => {
  vi.useFakeTimers();
  const status = noting({ mayLose: true });
  const { of, close, flush } = fanOut(status.part);
  const observer = of(session('a'));
  observer.report(began);
  await vi.advanceTimersByTimeAsync(900);
  expect(status.load).not.toHaveBeenCalled();
  observer.report(opened(2));
  expect(status.load).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(100);
  expect(status.seen).toEqual(['a me began 1', 'a me opened 2']);
  close();
  observer.report({ is: 'closed', at: 3 });
  expect(status.seen.slice(2)).toEqual(['close', 'a me closed 3']);

  const slow = noting({ mayLose: true });
  const { of: ofSlow } = fanOut(slow.part);
  ofSlow(session('a')).report(began);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(slow.seen).toEqual(['a me began 1']);
  ofSlow(session('a')).report(opened(2));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(slow.load).toHaveBeenCalledOnce();

  const late = noting({ mayLose: true });
  const ending = fanOut(late.part);
  ending.of(session('a')).report(opened(1));
  ending.close();
  await vi.advanceTimersByTimeAsync(1_000);
  await Promise.all([flush(), ending.flush()]);
  expect(late.load).not.toHaveBeenCalled();
  vi.useRealTimers();
});

test('a slow sink gets one event after the other, and delays neither the session nor another sink', async () => {
  const held = pending<void>();
  const slow = noting({ mayLose: false }, () => held.promise);
  const quick = noting({ mayLose: false });
  const { of, flush } = fanOut(slow.part, quick.part);
  const observer = of(session('a'));
  observer.report(began);
  await vi.waitFor(() => expect(slow.seen).toHaveLength(1));
  for (const at of [2, 3]) observer.report(opened(at));
  await vi.waitFor(() => expect(quick.seen).toHaveLength(3));
  expect(slow.seen).toHaveLength(1);
  held.resolve();
  await flush();
  expect(slow.seen).toEqual(quick.seen);
});

test('a sink that may not lose events has room for 100,000 of them, and a warning says what it misses', async () => {
  const held = pending<void>();
  const [audit, status] = [noting({ mayLose: false }), noting({ mayLose: true })];
  const { of, flush, warnings } = fanOut(
    { ...audit.part, load: () => held.promise.then(audit.load) },
    { ...status.part, load: () => held.promise.then(status.load) },
  );
  const observer = of(session('a'));
  for (let at = 0; at < 100_001; at++) observer.report(opened(at));
  expect(warnings).toEqual(['audit: an event is lost: 100000 others wait']);
  held.resolve();
  await flush();
  expect(audit.seen).toHaveLength(100_000);
  expect(audit.seen.at(-1)).toBe('a me opened 99999');
  await vi.waitFor(() => expect(status.seen).toHaveLength(2_000));
});

test.each([
  [
    'throws',
    () => {
      throw new Error('disk full');
    },
  ],
  ['rejects', () => Promise.reject(new Error('disk full'))],
] as [string, Sink['take']][])(
  'an event that a sink %s for is a warning, unless it may lose events',
  async (_, take) => {
    const [audit, status] = [noting({ mayLose: false }, take), noting({ mayLose: true }, take)];
    const { of, flush, warnings } = fanOut(audit.part, status.part);
    const observer = of(session('a'));
    observer.report(opened(1));
    await vi.waitFor(() => expect(status.seen).toHaveLength(1));
    await flush();
    observer.report(opened(2));
    await flush();
    expect(warnings).toEqual(Array.from({ length: 2 }, () => 'audit: an event is lost: disk full'));
    expect([audit.seen, status.seen]).toMatchObject([{ length: 2 }, { length: 2 }]);
  },
);

test('a sink that cannot be loaded is a warning, unless it may lose events', async () => {
  const load = () => Promise.reject(new Error('no such part'));
  const { of, flush, warnings } = fanOut(
    { name: 'audit', mayLose: false, load },
    { name: 'status', mayLose: true, load },
  );
  of(session('a')).report(opened(1));
  await flush();
  of(session('a')).report(opened(2));
  await flush();
  expect(warnings).toEqual(['audit: an event is lost: no such part', 'audit: an event is lost: no such part']);
});
