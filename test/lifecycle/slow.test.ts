// @module-tag slow

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { opened, statsOf, text } from '../support/agents.js';
import { callLog } from '../support/call-log.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { connectAgent, startWorkbench } from '../support/in-process.js';
import { temporaryDirectory } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';
import { scriptedServersWith } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { startStopwatch } from '../support/stopwatch.js';
import { until } from '../support/until.js';
import { initialize, modern } from '../support/workbench.js';

linuxOnly('processes in /proc');

const mute = ['--never-answer', '--on-probe', 'silence'];

/** `ms` is wall-clock time, for lower limits; `msAtRest` is for upper limits. */
const elapsed = async <T>(work: Promise<T>): Promise<{ value: T; ms: number; msAtRest: number }> => {
  const begun = performance.now();
  const stopwatch = startStopwatch();
  const value = await work;
  return { value, ms: performance.now() - begun, msAtRest: stopwatch() };
};

describe('a server that never answers the handshake', () => {
  test.each([
    ['no response at all', mute],
    ['a response to the probe only', ['--never-answer']],
    ['in the modern era', ['--never-answer', '--modern']],
  ])('is unavailable after its own timeout: %s', async (_, flags) => {
    const config = devToolbox({ mute: { ...fixture(...flags), startTimeoutMs: 1_500 }, good: fixture() });
    const agent = await connectAgent('v2 modern', { config });
    const { value, ms, msAtRest } = await elapsed(agent.open('dev'));
    expect(ms).toBeGreaterThanOrEqual(1_500);
    expect(msAtRest).toBeLessThan(8_000);
    const { servers_connected, unavailable } = opened(value);
    expect(servers_connected).toBe(1);
    expect(unavailable).toEqual([{ server: 'mute', reason: expect.stringContaining('not ready within 1500 ms') }]);
    expect(text(await agent.use('dev', 'good', 'echo', { a: 1 }))).toBe('{"a":1}');
    await until(() => scriptedServersWith(agent.marker).length === 1);
  });

  test('has a timeout of its own: five of them take as long as one', async () => {
    const muted = { ...fixture(...mute), startTimeoutMs: 3_000 };
    const config = devToolbox({ a: muted, b: muted, c: muted, d: muted, e: muted, good: fixture() });
    const agent = await connectAgent('v2 modern', { config });
    const opening = agent.open('dev');
    await until(() => scriptedServersWith(agent.marker).length === 6, { what: 'all six at the same time' });
    expect(opened(await opening).unavailable?.map(({ server }) => server)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('costs an open beside other servers five seconds once, and then three', async () => {
    const hung = fixture(...mute, '--stderr', 'loading');
    const agent = await connectAgent('v2 modern', { config: devToolbox({ hung, good: fixture() }) });
    const expectOpen = async (least: number, most: number, query?: string) => {
      const { value, ms, msAtRest } = await elapsed(agent.call('open_toolbox', { toolbox: 'dev', query }));
      // Timers may fire a little early.
      expect(ms).toBeGreaterThanOrEqual(least - 20);
      expect(msAtRest).toBeLessThan(most);
      expect(opened(value)).toMatchObject({ servers_connected: 1, starting: ['hung'] });
      expect(opened(value).notes?.[0]).toMatch(/^Still starting: hung \(it last wrote: loading\)/);
    };
    await expectOpen(5_000, 10_000);
    await expectOpen(3_000, 4_900);
    await expectOpen(3_000, 4_900, 'echo');
  });

  test('makes use_tool wait no longer than openTimeoutMs, and say to retry', async () => {
    const config = { ...devToolbox({ mute: fixture(...mute) }), openTimeoutMs: 1_000 };
    const agent = await connectAgent('v2 modern', { config });
    const { value, ms, msAtRest } = await elapsed(agent.use('dev', 'mute', 'echo'));
    expect(ms).toBeGreaterThanOrEqual(1_000);
    expect(msAtRest).toBeLessThan(3_000);
    expect(value.isError).toBe(true);
    expect(text(value)).toMatch(/^Server 'mute' in toolbox 'dev' is still starting/);
    expect(text(value)).toContain('Retry this call');
  });
});

test('a server that starts slowly is listed in `starting` after openTimeoutMs, and later as ready, with the same process', async () => {
  const log = callLog();
  const mayStart = join(temporaryDirectory(), 'may-start');
  const config = {
    ...devToolbox({ quick: fixture(), slow: fixture('--start-when', mayStart, '--log', log.path) }),
    openTimeoutMs: 1_500,
  };
  const agent = await connectAgent('v2 legacy', { config });
  await until(async () => (await agent.use('dev', 'quick', 'echo')).isError !== true);
  const { value, ms, msAtRest } = await elapsed(agent.open('dev'));
  // On a busy machine up to 15 % of the limit are kept for the answer.
  expect(ms).toBeGreaterThanOrEqual(1_275);
  expect(msAtRest).toBeLessThan(3_400);
  writeFileSync(mayStart, '');
  const first = opened(value);
  expect(first).toMatchObject({ servers_connected: 1, starting: ['slow'] });
  expect(first.unavailable).toBeUndefined();
  expect(new Set(first.tools.map(({ server }) => server))).toEqual(new Set(['quick']));
  expect(text(await agent.use('dev', 'quick', 'echo', { a: 1 }))).toBe('{"a":1}');

  const later = await until(async () => {
    const answer = opened(await agent.open('dev'));
    return answer.starting === undefined && answer;
  });
  expect(later.servers_connected).toBe(2);
  expect([...new Set(later.tools.map(({ server }) => server))]).toEqual(['quick', 'slow']);
  expect(text(await agent.use('dev', 'slow', 'echo', { b: 2 }))).toBe('{"b":2}');
  expect(log.methods('start')).toHaveLength(1);
  expect(log.methods('initialize').length + log.methods('server/discover').length).toBeLessThanOrEqual(2);
});

test('open_toolbox reports progress: which of five servers is ready', async () => {
  const delays = { a: 0, b: 400, c: 800, d: 1_200, e: 1_600 };
  const servers = Object.entries(delays).map(([name, delay]) => [name, fixture('--start-delay', delay)] as const);
  const workbench = startWorkbench({ config: devToolbox(new Map(servers)) });
  await initialize(workbench);
  const call = { name: 'open_toolbox', arguments: { toolbox: 'dev' }, _meta: { progressToken: 'my token' } };
  expect((await workbench.request('tools/call', call)).result?.['isError']).toBeUndefined();

  const notifications = workbench.lines
    .map((line) => JSON.parse(line))
    .filter(({ method }) => method === 'notifications/progress');
  expect(notifications.map(({ params }) => params.progressToken)).toEqual(Array.from({ length: 5 }, () => 'my token'));
  expect(notifications.map(({ params }) => [params.progress, params.total])).toEqual(
    [1, 2, 3, 4, 5].map((ready) => [ready, 5]),
  );
  for (const [index, { params }] of notifications.entries()) {
    expect(params.message).toMatch(new RegExp(`^${index + 1} of 5 ready: ([a-e], ){${index}}[a-e]$`));
  }
  expect(new Set(notifications[4].params.message.split(': ')[1].split(', '))).toEqual(
    new Set(['a', 'b', 'c', 'd', 'e']),
  );
  const answered = workbench.lines.findIndex((line) => line.includes('servers_connected'));
  expect(answered).toBe(workbench.lines.length - 1);
});

test('open_toolbox reports no progress to a client that did not request it', async () => {
  const workbench = startWorkbench({ config: devToolbox({ a: fixture(), b: fixture() }) });
  await initialize(workbench);
  await workbench.request('tools/call', { name: 'open_toolbox', arguments: { toolbox: 'dev' } });
  expect(workbench.lines.filter((line) => line.includes('notifications/progress'))).toEqual([]);
});

describe('a call that hangs', () => {
  const limited = (limits: object, ...flags: (string | number)[]): ServerEntry => ({ ...fixture(...flags), ...limits });

  test.each([[[]], [['--modern']]])('times out, is cancelled downstream and frees its slot (%j)', async (flags) => {
    const log = callLog();
    const limits = { callTimeoutMs: 2_000, maxConcurrentCalls: 1 };
    const config = devToolbox({ any: limited(limits, '--log', log.path, ...flags) });
    const agent = await connectAgent('v2 modern', { config });
    await agent.open('dev');
    const { value, ms, msAtRest } = await elapsed(agent.use('dev', 'any', 'hang'));
    expect(ms).toBeGreaterThanOrEqual(1_990);
    expect(msAtRest).toBeLessThan(4_000);
    expect(value.isError).toBe(true);
    expect(text(value)).toMatch(
      /^Tool 'hang' of server 'any' \(toolbox 'dev'\) failed: no answer within 2000 ms \(callTimeoutMs\)/,
    );

    const [hanging] = log.methods('tools/call');
    const [cancelled] = await until(() => {
      const found = log.methods('notifications/cancelled');
      return found.length > 0 && found;
    });
    expect(cancelled?.requestId).toBe(hanging?.id);
    // There is only one slot.
    expect(text(await agent.use('dev', 'any', 'echo', { free: true }))).toBe('{"free":true}');
    expect(log.methods('start')).toHaveLength(1);
  });

  test('does not time out while it reports progress, requested by the client or not', async () => {
    const config = devToolbox({ any: limited({ callTimeoutMs: 3_000 }) });
    const agent = await connectAgent('v2 modern', { config });
    const { value, ms } = await elapsed(agent.use('dev', 'any', 'progress', { steps: 8, everyMs: 500 }));
    expect(ms).toBeGreaterThan(3_000);
    expect(text(value)).toBe('8 steps');
  });

  test('times out after callTotalTimeoutMs, however much progress it reports', async () => {
    const config = devToolbox({ any: limited({ callTimeoutMs: 1_900, callTotalTimeoutMs: 2_000 }) });
    const agent = await connectAgent('v2 modern', { config });
    await agent.open('dev');
    const { value, ms, msAtRest } = await elapsed(agent.use('dev', 'any', 'progress', { steps: 1_000, everyMs: 100 }));
    expect(ms).toBeGreaterThanOrEqual(1_990);
    expect(msAtRest).toBeLessThan(4_000);
    expect(text(value)).toContain('no answer within 2000 ms (callTotalTimeoutMs)');
    const { cancelled } = await statsOf(agent, 'dev', 'any');
    expect(cancelled).toHaveLength(1);
  });

  test('is cancelled downstream when the client cancels it', async () => {
    const log = callLog();
    const workbench = startWorkbench({
      config: devToolbox({ any: limited({ maxConcurrentCalls: 1 }, '--log', log.path) }),
    });
    await initialize(workbench);
    const use = (name: string) => ({ name: 'use_tool', arguments: { tool: { toolbox: 'dev', server: 'any', name } } });
    workbench.send({ id: 'mine', method: 'tools/call', params: use('hang') });
    await until(() => log.methods('tools/call').length === 1);
    workbench.notify('notifications/cancelled', { requestId: 'mine' });
    await until(() => log.methods('notifications/cancelled').length === 1);
    expect((await workbench.request('tools/call', use('echo'))).result?.['content']).toEqual([
      { type: 'text', text: '{}' },
    ]);
  });
});

describe('an idle server', () => {
  test('is stopped and started again by the next call, without a difference for the client', async () => {
    const log = callLog();
    const config = devToolbox({ any: { ...fixture('--log', log.path), idleTimeoutMs: 500 } });
    const agent = await connectAgent('v2 legacy', { config });
    const before = opened(await agent.open('dev'));
    await until(() => scriptedServersWith(agent.marker).length === 0);
    // Its listing is kept: opening does not start it.
    expect(opened(await agent.open('dev'))).toEqual(before);
    expect(log.methods('start')).toHaveLength(1);
    expect(text(await agent.use('dev', 'any', 'echo', { awake: true }))).toBe('{"awake":true}');
    expect(log.methods('start')).toHaveLength(2);
    expect(opened(await agent.open('dev'))).toEqual(before);
    await until(() => scriptedServersWith(agent.marker).length === 0);
  });

  test('is not idle while a call runs', async () => {
    const log = callLog();
    const config = devToolbox({ any: { ...fixture('--log', log.path), idleTimeoutMs: 300 } });
    const agent = await connectAgent('v2 modern', { config });
    expect(text(await agent.use('dev', 'any', 'sleep', { ms: 1_500 }))).toBe('slept 1500 ms');
    expect(log.methods('start')).toHaveLength(1);
  });

  test('is never stopped where the idle time is 0', async () => {
    const log = callLog();
    const config = devToolbox({
      kept: { ...fixture('--log', log.path), idleTimeoutMs: 0 },
      other: { ...fixture(), idleTimeoutMs: 200 },
    });
    const agent = await connectAgent('v2 modern', { config });
    await agent.open('dev');
    await until(() => scriptedServersWith(agent.marker).length === 1);
    await agent.use('dev', 'kept', 'sleep', { ms: 500 });
    expect(log.methods('start')).toHaveLength(1);
  });

  test('loses no call, whenever the call arrives', { timeout: 60_000 }, async () => {
    const config = devToolbox({ any: { ...fixture(), idleTimeoutMs: 50 } });
    const agent = await connectAgent('v2 modern', { config });
    for (let round = 0; round < 20; round++) {
      const pauseMs = 30 + round * 2;
      expect(text(await agent.use('dev', 'any', 'echo', { round }))).toBe(JSON.stringify({ round }));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  });

  test('that starts slowly makes use_tool wait at most openTimeoutMs', async () => {
    const awake = join(temporaryDirectory(), 'awake-once');
    const { command = '', args = [] } = fixture();
    const script = `if [ -e '${awake}' ]; then exec "$0" "$@" --start-delay 6000; else exec "$0" "$@"; fi`;
    const slowTheSecondTime = { command: 'sh', args: ['-c', script, command, ...args], idleTimeoutMs: 300 };
    const config = { ...devToolbox({ any: slowTheSecondTime }), openTimeoutMs: 1_500 };
    const agent = await connectAgent('v2 modern', { config });
    await until(async () => text(await agent.use('dev', 'any', 'echo', { first: true })) === '{"first":true}');
    writeFileSync(awake, '');
    expect(existsSync(awake)).toBe(true);
    await until(() => scriptedServersWith(agent.marker).length === 0);
    const { value, msAtRest } = await elapsed(agent.use('dev', 'any', 'echo', { second: true }));
    expect(msAtRest).toBeLessThan(3_500);
    expect(text(value)).toMatch(/^Server 'any' in toolbox 'dev' is still starting/);
  });
});

test('a modern client gets progress under its own token too', async () => {
  const workbench = startWorkbench({ config: devToolbox({ a: fixture(), b: fixture() }) });
  const { _meta, ...call } = modern({ name: 'open_toolbox', arguments: { toolbox: 'dev' } }) as { _meta: object };
  await workbench.request('tools/call', { ...call, _meta: { ..._meta, progressToken: 42 } });
  const notifications = workbench.lines
    .map((line) => JSON.parse(line))
    .filter(({ method }) => method === 'notifications/progress');
  expect(notifications.map(({ params }) => [params.progressToken, params.progress])).toEqual([
    [42, 1],
    [42, 2],
  ]);
});
