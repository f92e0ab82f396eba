import { afterEach, expect, test, vi } from 'vitest';
import { configOf, connectTo, FakeServer, serverConfig } from '../../../test/support/fake-port.js';
import { DownstreamFailure, failureOf } from '../../contract/downstream-failure.js';
import { messageOf } from '../../contract/errors.js';
import { builtInSettings, longestBriefReason, overdueWaitMs, quietOpenMs } from '../../limits.js';
import { silentLog } from '../../platform/log.js';
import { nextTurn } from '../../platform/slices.js';
import type { ToolCache } from '../ports/tool-cache.js';
import { createWorkbench } from '../workbench.js';

const { openTimeoutMs } = builtInSettings;
/** How far the clock is put forward at a time. */
const stepMs = 100;
const wait = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** `performance` is not replaced as a whole: what it says about the event loop is used as well. */
function useFakeClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const begun = Date.now();
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now() - begun);
}

/** Enough for everything that does not wait for a timer. */
async function manyTurns(): Promise<undefined> {
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  return undefined;
}

/** What the work gives, and how long it takes by a clock that waits for everything but timers. */
async function timed<T>(work: Promise<T>): Promise<{ value: T; ms: number }> {
  const begun = Date.now();
  const settled = work.then((value) => ({ value, ms: Date.now() - begun }));
  for (;;) {
    const done = await Promise.race([settled, manyTurns()]);
    if (done !== undefined) return done;
    await vi.advanceTimersByTimeAsync(stepMs);
  }
}

function startingAfter(ms: number): FakeServer {
  const fake = new FakeServer();
  fake.onStart = () => wait(ms);
  return fake;
}

/** Its start ends only when it is given up. */
function hanging(): FakeServer {
  const fake = new FakeServer();
  fake.onStart = (signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(failureOf(signal)), { once: true }));
  return fake;
}

/** `cached`: the servers whose tools are known from an earlier run. */
async function workbenchOf(fakes: Readonly<Record<string, FakeServer>>, cached: readonly string[] = []) {
  // Loaded before: the fake clock does not stop for files.
  await import('./open-answer.js');
  await import('../search/tool-search.js');
  useFakeClock();
  const servers = Object.keys(fakes).map((name) => serverConfig({ name, limits: { startTimeoutMs: 120_000 } }));
  const keys = new Set(servers.filter(({ name }) => cached.includes(name)).map(({ cacheKey }) => cacheKey));
  const tools = [{ name: 'earlier', inputSchema: { type: 'object' as const } }];
  const cache: ToolCache = {
    get: async ({ cacheKey }) => (keys.has(cacheKey) ? { tools, omissions: {}, instructions: undefined } : undefined),
    put: () => {},
    flush: async () => {},
  };
  return createWorkbench(configOf(servers, openTimeoutMs), connectTo(fakes), silentLog, { cache });
}

function expectAbout(ms: number, expected: number): void {
  expect(ms).toBeGreaterThanOrEqual(expected - stepMs);
  expect(ms).toBeLessThanOrEqual(expected + stepMs);
}

test('an open is answered when no server has become ready for five seconds, although one hangs', async () => {
  const hung = hanging();
  hung.lastWords = 'it last wrote: waiting for the database';
  const workbench = await workbenchOf({ a: new FakeServer(), b: startingAfter(4_000), c: startingAfter(8_000), hung });
  const { value, ms } = await timed(workbench.openToolbox('dev'));
  expectAbout(ms, 8_000 + quietOpenMs);
  expect(value).toMatchObject({ servers_connected: 3, starting: ['hung'] });
  expect(value.notes).toEqual([
    'Still starting: hung (it last wrote: waiting for the database). Call open_toolbox again in a moment to list its tools.',
  ]);
});

test('an open waits for openTimeoutMs if no server becomes ready before', async () => {
  const workbench = await workbenchOf({ hung: hanging(), slow: startingAfter(44_000) });
  const { value, ms } = await timed(workbench.openToolbox('dev'));
  // On a busy machine up to 15 % of the limit are kept for the answer.
  expect(ms).toBeGreaterThan(openTimeoutMs * 0.85 - stepMs);
  expect(ms).toBeLessThanOrEqual(openTimeoutMs + stepMs);
  expect(value.starting).toContain('hung');
});

test('a server that fails does not keep an open waiting for the one that hangs', async () => {
  const broken = new FakeServer();
  broken.onStart = async () => {
    await wait(4_000);
    throw new DownstreamFailure('crashed', 'it exited with code 1');
  };
  const workbench = await workbenchOf({ a: new FakeServer(), broken, hung: hanging() });
  const { value, ms } = await timed(workbench.openToolbox('dev'));
  expectAbout(ms, quietOpenMs);
  expect(value).toMatchObject({ unavailable: [{ server: 'broken' }], starting: ['hung'] });
});

test('the last known tools of a server are as good as live ones for an open that waits for another', async () => {
  const hung = hanging();
  hung.lastWords = 'it last wrote: loading';
  const workbench = await workbenchOf({ known: hung, other: hanging() }, ['known']);
  const { value, ms } = await timed(workbench.openToolbox('dev'));
  expect(ms).toBeLessThan(quietOpenMs + 3_000);
  expect(value).toMatchObject({ servers_connected: 1, starting: ['other'] });
  expect(value.notes).toContain(
    'The tools of known (it last wrote: loading) are the last known ones and can be called: it is still starting.',
  );
});

test('a later open, and any query, waits three seconds for a server that was waited for in vain', async () => {
  const hung = hanging();
  const workbench = await workbenchOf({ a: new FakeServer(), hung });
  expectAbout((await timed(workbench.openToolbox('dev'))).ms, quietOpenMs);
  const again = await timed(workbench.openToolbox('dev'));
  expectAbout(again.ms, overdueWaitMs);
  expect(again.value.starting).toEqual(['hung']);
  expectAbout((await timed(workbench.openToolbox({ toolbox: 'dev', query: 'echo' }))).ms, overdueWaitMs);
  // A start that has timed out is tried again, and is waited for no longer than before.
  await vi.advanceTimersByTimeAsync(120_000);
  expectAbout((await timed(workbench.openToolbox('dev'))).ms, overdueWaitMs);
  expect(hung.starts).toBe(2);
});

test('a server that has been ready since is waited for like any other', async () => {
  const slow = startingAfter(10_000);
  const workbench = await workbenchOf({ a: new FakeServer(), slow });
  await timed(workbench.openToolbox('dev'));
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await timed(workbench.openToolbox('dev'))).value.servers_connected).toBe(2);
  slow.onStart = async () => {
    throw new DownstreamFailure('unreachable', 'no key');
  };
  slow.crash();
  // After a failed start its last known tools are not shown.
  expect((await timed(workbench.openToolbox('dev'))).value.unavailable).toHaveLength(1);
  slow.onStart = () => wait(60_000);
  expectAbout((await timed(workbench.openToolbox('dev'))).ms, quietOpenMs);
});

test('a call of a server that hangs waits for openTimeoutMs each time, and an open after it three seconds', async () => {
  const workbench = await workbenchOf({ hung: hanging() });
  const call = async () =>
    workbench.useTool({ toolbox: 'dev', server: 'hung', name: 'echo' }).then(
      () => 'it was called',
      (error: unknown) => messageOf(error),
    );
  for (let round = 0; round < 2; round++) {
    const { value, ms } = await timed(call());
    expectAbout(ms, openTimeoutMs);
    expect(value).toBe("Server 'hung' in toolbox 'dev' is still starting");
  }
  expectAbout((await timed(workbench.openToolbox('dev'))).ms, overdueWaitMs);
});

const crash = `it exited with code 1; last stderr output: ${'x'.repeat(90)} | ${'y'.repeat(200)}`;

test('the reason of an unavailable server is reported in full once in a session, then by its first line', async () => {
  const broken = new FakeServer();
  broken.onStart = async () => {
    throw new DownstreamFailure('unreachable', crash);
  };
  const workbench = await workbenchOf({ broken, good: new FakeServer() });
  const reason = async () => (await timed(workbench.openToolbox('dev'))).value.unavailable?.[0]?.reason;
  expect(await reason()).toBe(crash);
  const brief = await reason();
  expect(brief).toHaveLength(longestBriefReason);
  expect(brief).toMatch(/^it exited with code 1; last stderr output: x+…$/);
  broken.onStart = async () => {};
  expect(await reason()).toBeUndefined();
  broken.onStart = async () => {
    throw new DownstreamFailure('unreachable', crash);
  };
  broken.crash();
  expect(await reason()).toBe(crash);
});

test('a reason that a query had no room for is reported in full by the next listing', async () => {
  const failing = () => {
    const server = new FakeServer();
    server.onStart = async () => {
      throw new DownstreamFailure('unreachable', crash);
    };
    return server;
  };
  const broken = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`broken${index}`, failing()]));
  const workbench = await workbenchOf({ ...broken, good: new FakeServer() });
  const { value } = await timed(workbench.openToolbox({ toolbox: 'dev', query: 'x' }));
  expect(value.unavailable?.[0]?.reason).not.toBe(crash);
  expect((await timed(workbench.openToolbox('dev'))).value.unavailable?.[0]?.reason).toBe(crash);
});

test('if no server can be reached, the second answer has the first line of each reason', async () => {
  const broken = new FakeServer();
  broken.onStart = async () => {
    throw new DownstreamFailure('unreachable', 'no key | some more');
  };
  const workbench = await workbenchOf({ broken });
  await expect(workbench.openToolbox('dev')).rejects.toThrow("server 'broken' in toolbox 'dev': no key | some more");
  await expect(workbench.openToolbox('dev')).rejects.toThrow(/server 'broken' in toolbox 'dev': no key$/);
});
