// @module-tag slow

import { describe, expect, test } from 'vitest';
import { type Agent, type RawResult, text } from '../support/agents.js';
import { callLog } from '../support/call-log.js';
import { devToolbox } from '../support/configs.js';
import { runnerOf } from '../support/hosts.js';
import { connectAgent } from '../support/in-process.js';
import { linuxOnly } from '../support/platform.js';
import { childrenOf, processesWith } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { startStopwatch } from '../support/stopwatch.js';
import { until } from '../support/until.js';

linuxOnly('signals, processes in /proc');

const figureMs = 500;

interface Timed {
  readonly ms: number;
  readonly result: RawResult;
}

/** When each of the calls was answered. */
function timed(elapsed: () => number, calls: readonly Promise<RawResult>[]): Promise<Timed[]> {
  return Promise.all(calls.map(async (call) => ({ result: await call, ms: elapsed() })));
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

test.each([
  [7, 'it exited with code 7', 'v2 legacy'],
  ['SIGSEGV', 'it was killed by SIGSEGV', 'v2 modern'],
] as const)(
  'a crash by %s fails the ten calls in flight within 500 ms and no call of another server',
  async (how, reason, flavour) => {
    const [doomedLog, healthyLog] = [callLog(), callLog()];
    const config = devToolbox({
      doomed: fixture('--log', doomedLog.path),
      healthy: fixture('--log', healthyLog.path),
    });
    const agent = await connectAgent(flavour, { config });
    await agent.open('dev');
    const healthy = times(10, () => agent.use('dev', 'healthy', 'sleep', { ms: 1_500 }));
    const hanging = times(9, () => agent.use('dev', 'doomed', 'hang'));
    await until(() => doomedLog.methods('tools/call').length === 9 && healthyLog.methods('tools/call').length === 10);

    const elapsed = startStopwatch();
    const crashing = agent.use('dev', 'doomed', 'crash', { with: how, stderr: 'out of luck\nthe very last line' });
    const failed = await timed(elapsed, [...hanging, crashing]);
    for (const [index, { ms, result }] of failed.entries()) {
      const tool = index === 9 ? 'crash' : 'hang';
      expect(result.isError).toBe(true);
      expect(text(result)).toContain(`Tool '${tool}' of server 'doomed' (toolbox 'dev') failed: ${reason}`);
      expect(text(result)).toContain('out of luck | the very last line');
      expect(ms).toBeLessThan(figureMs);
    }
    for (const result of await Promise.all(healthy)) expect(text(result)).toBe('slept 1500 ms');

    await agent.use('dev', 'doomed', 'echo', { after: 'the crash' });
    expect(idsSent(doomedLog.methods('tools/call'))).toHaveLength(11);
    expect(idsSent(healthyLog.methods('tools/call'))).toHaveLength(10);
    expect(doomedLog.methods('start')).toHaveLength(2);
    expect(healthyLog.methods('start')).toHaveLength(1);
  },
);

/** Each call with its process and id; a call that was sent twice is in the list twice. */
function idsSent(calls: readonly { pid: number; id?: unknown }[]): string[] {
  return calls.map(({ pid, id }) => `${pid} ${String(id)}`);
}

test.each(['child', 'setsid'])(
  'a crash is reported within 500 ms even if a %s helper still holds the stdout of the server',
  async (kind) => {
    const log = callLog();
    const config = devToolbox({ any: fixture('--log', log.path) });
    const agent = await connectAgent('v2 modern', { config });
    await agent.use('dev', 'any', 'start_helper', { kind });
    const helper = await until(() => processesWith(agent.marker).find(({ command }) => command === 'sleep 3600'));
    const hanging = times(9, () => agent.use('dev', 'any', 'hang'));
    await until(() => log.methods('tools/call').length === 10);

    const failed = await timed(startStopwatch(), [
      ...hanging,
      agent.use('dev', 'any', 'crash', { with: 7, stderr: 'bye' }),
    ]);
    for (const { ms, result } of failed) {
      expect(text(result)).toContain('it exited with code 7; last stderr output: bye');
      expect(ms).toBeLessThan(figureMs);
    }
    // Processes started by the dead server end before the next one starts.
    await until(() => !processesWith(agent.marker).some(({ pid }) => pid === helper.pid));
    expect(text(await agent.use('dev', 'any', 'echo', { works: 'again' }))).toBe('{"works":"again"}');
  },
);

test('a response sent just before the server exits is not a failure', async () => {
  const agent = await connectAgent('v2 modern', { config: devToolbox({ any: fixture() }) });
  for (let round = 0; round < 5; round++) {
    expect(text(await agent.use('dev', 'any', 'exit', { code: 0 }))).toBe('bye');
    await until(() => agent.stderr().match(/it exited with code 0/g)?.length === round + 1);
  }
});

describe('repeated crashes', () => {
  let lastTry = performance.now();
  const crash = (agent: Agent) => {
    lastTry = performance.now();
    return agent.use('dev', 'any', 'crash', { with: 7 });
  };
  const refusal = /^Failed to connect to server 'any' in toolbox 'dev': crash loop\b.*next try in (\d+) s/;

  test('after each of five crashes the next call starts the server again; then starts are refused for 1, 2, 4 s', async () => {
    const log = callLog();
    const agent = await connectAgent('v2 modern', { config: devToolbox({ any: fixture('--log', log.path) }) });
    for (let count = 1; count <= 6; count++) {
      expect(text(await crash(agent))).toContain('it exited with code 7');
      expect(log.methods('start')).toHaveLength(count);
    }
    for (const [round, refusedMs] of [1_000, 2_000, 4_000].entries()) {
      // The previous call crashed it.
      const crashed = lastTry;
      const sinceCrash = startStopwatch();
      const sinceCall = startStopwatch();
      const [, seconds] = refusal.exec(text(await crash(agent))) ?? [];
      expect(sinceCall()).toBeLessThan(figureMs);
      // With jitter of up to a quarter, rounded up; a second of it may have passed.
      expect(Number(seconds)).toBeGreaterThanOrEqual(Math.max(1, refusedMs / 1_000 - 1));
      expect(Number(seconds)).toBeLessThanOrEqual(Math.ceil((refusedMs * 1.25) / 1_000));
      expect(log.methods('start')).toHaveLength(6 + round);

      await until(async () => !refusal.test(text(await crash(agent))));
      expect(performance.now() - crashed).toBeGreaterThanOrEqual(refusedMs);
      expect(sinceCrash()).toBeLessThan(refusedMs * 1.25 + 2_000);
      expect(log.methods('start')).toHaveLength(7 + round);
    }
    // No call was retried: there is one start per call.
    expect(log.methods('tools/call')).toHaveLength(9);
  });

  test('a server that never starts is refused in the same way, with the reason', async () => {
    const config = devToolbox({ any: fixture('--exit', 7, '--stderr', 'no key'), good: fixture() });
    const agent = await connectAgent('v2 modern', { config });
    for (let count = 1; count <= 6; count++) {
      const answer = text(await agent.open('dev'));
      expect(answer).toContain('it exited with code 7; last stderr output: no key');
    }
    expect(text(await agent.open('dev'))).toMatch(/crash loop\b.*next try in \d+ s/);
    expect(text(await agent.use('dev', 'good', 'echo', { a: 1 }))).toBe('{"a":1}');
  });

  test('dead servers leave no zombies', async () => {
    const agent = await connectAgent('v2 modern', { config: devToolbox({ any: fixture('--helper', 'child') }) });
    for (let count = 1; count <= 3; count++) await crash(agent);
    await until(() => processesWith(agent.marker).every(({ pid }) => pid === agent.pid));
    expect(childrenOf(runnerOf(agent)).filter(({ state }) => state === 'Z')).toEqual([]);
  });
});
