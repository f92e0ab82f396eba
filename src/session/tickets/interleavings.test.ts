import { expect, test, vi } from 'vitest';
import { type TicketSession, textResult, ticketSession, turns } from '../../../test/support/ticket-session.js';
import { DownstreamFailure } from '../../contract/downstream-failure.js';

/** The same numbers for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** What an agent has read about a call, if it ended for it. */
function endOf(text: unknown): 'result' | 'failed' | 'cancelled' | undefined {
  if (typeof text !== 'string' || text.startsWith('Still running')) return undefined;
  if (text.startsWith('done')) return 'result';
  return text.startsWith('Cancelled') ? 'cancelled' : 'failed';
}

/** Calls of one session, with the requests that belong to each, and what the test did to it. */
interface Tracked {
  readonly at: number;
  readonly requests: number[];
  isDropped: boolean;
}

async function run(seed: number): Promise<void> {
  const random = randomOf(seed);
  const session: TicketSession = await ticketSession({ isModern: seed % 2 === 0 });
  const { use, served, cancel, textOf, answersTo, inFlight } = session;
  const calls: Tracked[] = [];
  let id = 0;

  const ticketOf = ({ requests }: Tracked) => /"of":"(r\d+)"/.exec(String(textOf(requests[0] ?? 0)))?.[1];
  const request = (call: Tracked, input: object) => {
    call.requests.push(++id);
    use(id, input);
  };
  const begin = async () => {
    const call: Tracked = { at: served.length, requests: [], isDropped: false };
    calls.push(call);
    request(call, { arguments: { call: calls.length } });
    await turns(4);
  };
  const steps: ((call: Tracked) => Promise<unknown> | void)[] = [
    begin,
    (call) => served[call.at]?.resolve(textResult(`done ${call.at}`)),
    (call) => served[call.at]?.reject(new DownstreamFailure('crashed', 'it exited')),
    (call) => {
      const of = ticketOf(call);
      if (of !== undefined) request(call, { result: { of } });
    },
    (call) => {
      const of = ticketOf(call);
      if (of !== undefined && random(3) === 0) request(call, { result: { of, cancel: true } });
    },
    (call) => {
      const requestId = call.requests[random(call.requests.length)] ?? 0;
      if (answersTo(requestId).length > 0) return;
      call.isDropped ||= requestId === call.requests[0];
      cancel(requestId);
    },
    () => {
      const running = inFlight.list();
      inFlight.cancel(running[random(running.length)]?.number ?? 0);
    },
    () => vi.advanceTimersByTimeAsync(random(60_000)),
    () => turns(random(4)),
  ];
  await begin();
  for (let left = 5 + random(25); left > 0; left--) {
    const step = steps[random(steps.length)];
    await step?.(calls[random(calls.length)] ?? expect.fail('no call'));
  }
  if (random(2) === 0) await settle();
  await session.leave();
  // A part may be being loaded.
  await turns(10);
  check();

  /** Every call ends. */
  async function settle(): Promise<void> {
    await turns(12);
    for (const [at, call] of served.entries()) call.resolve(textResult(`done ${at}`));
    await turns(12);
    for (const call of calls) {
      const of = ticketOf(call);
      if (of !== undefined) request(call, { result: { of } });
      await turns(12);
      const last = textOf(call.requests.at(-1) ?? 0);
      if (!call.isDropped) expect(endOf(last), `${seed}: ${String(last)}`).toBeDefined();
    }
  }

  function check(): void {
    // Once for each call, however often it was asked for.
    expect(served, String(seed)).toHaveLength(calls.length);
    for (const { at, requests, isDropped } of calls) {
      for (const one of requests) expect(answersTo(one).length, `${seed}`).toBeLessThanOrEqual(1);
      const ends = new Set(requests.map((one) => endOf(textOf(one))).filter((end) => end !== undefined));
      expect(ends.size, `${seed}: ${[...ends].join()}`).toBeLessThanOrEqual(1);
      if (isDropped) expect([served[at]?.isCancelled(), ends.size], String(seed)).toEqual([true, 0]);
      if (ends.has('cancelled')) expect(served[at]?.isCancelled(), String(seed)).toBe(true);
    }
    expect(vi.getTimerCount(), String(seed)).toBe(0);
    expect(inFlight.list(), String(seed)).toEqual([]);
  }
}

/** Of all sessions together, as many calls may go on as if nothing had been before. A further one waits for its result. */
async function expectRoomForAll(): Promise<void> {
  const sessions = await Promise.all(Array.from({ length: 9 }, () => ticketSession()));
  const [last, ...others] = sessions;
  for (const { use } of others) for (let id = 1; id <= 33; id++) use(id);
  await turns(12);
  await vi.advanceTimersByTimeAsync(55_000);
  await turns(12);
  const isTold = ({ textOf }: TicketSession, id: number) => String(textOf(id)).startsWith('Still running');
  for (const session of others) {
    const told = Array.from({ length: 33 }, (_, at) => isTold(session, at + 1));
    expect(told.filter(Boolean)).toHaveLength(32);
  }
  last?.use(1);
  await turns(12);
  await vi.advanceTimersByTimeAsync(55_000);
  await turns(12);
  expect(last?.answersTo(1)).toEqual([]);
  last?.served[0]?.resolve(textResult('done'));
  await turns(12);
  expect(last?.textOf(1)).toBe('done');
  await Promise.all(sessions.map((session) => session.leave()));
}

test('1,000 random interleavings of answer, limit, wait, cancel, crash and end: each call is made once, ends once and leaves nothing', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    for (let seed = 1; seed <= 1_000; seed++) await run(seed);
    await expectRoomForAll();
  } finally {
    vi.useRealTimers();
  }
}, 120_000);
