import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { callLog } from '../support/call-log.js';
import { devToolbox } from '../support/configs.js';
import { linuxOnly } from '../support/platform.js';
import { allProcesses } from '../support/processes.js';
import { percentile, type QuickSession, startQuick } from '../support/quick-session.js';
import { fixture } from '../support/servers.js';
import { call, hostOf, shareSessions, textOf, use } from '../support/shared.js';
import { until } from '../support/until.js';

linuxOnly('counts processes in /proc');

describe('a client that kills', () => {
  const ways: Readonly<Record<string, (front: number) => number[]>> = {
    'its process tree by parent ids': (front) => {
      const all = allProcesses();
      const tree = [front];
      for (const pid of tree) tree.push(...all.filter(({ parent }) => parent === pid).map((child) => child.pid));
      return tree;
    },
    'its process group': (front) => {
      const all = allProcesses();
      const group = all.find(({ pid }) => pid === front)?.group;
      return all.filter((one) => one.group === group).map(({ pid }) => pid);
    },
    'its login session': (front) => {
      const all = allProcesses();
      const session = all.find(({ pid }) => pid === front)?.session;
      return all.filter((one) => one.session === session).map(({ pid }) => pid);
    },
  };

  test.each(Object.keys(ways))('%s ends neither the host nor the calls of others', async (way) => {
    const log = callLog();
    const shared = shareSessions(devToolbox({ any: fixture('--log', log.path) }));
    // It starts the host, so that the host might be below it.
    const first = await shared.start({ through: ['setsid'] });
    await call(first, 'echo');
    const other = await shared.start();
    const host = hostOf(shared).pid;
    other.send({ id: 'running', method: 'tools/call', params: use('sleep', { ms: 1_500 }) });
    await until(() => log.methods('tools/call').some(({ name }) => name === 'sleep'));
    const victims = ways[way]?.(first.pid) ?? [];
    expect(victims).toContain(first.pid);
    for (const pid of victims) process.kill(pid, 'SIGKILL');
    expect(textOf(await other.answerTo('running'))).toContain('slept');
    expect(hostOf(shared).pid).toBe(host);
    expect(other.stderr()).not.toContain('lost');
  });
});

describe('a session', () => {
  test('that floods the host refuses nothing to another, which waits at most three times as long', async () => {
    const shared = shareSessions(devToolbox({ any: fixture('--latency', 5) }));
    const [noisy, quiet] = [startQuick(shared), startQuick(shared)];
    await Promise.all([noisy.call('echo'), quiet.call('echo')]);
    const idle = await quiet.timesOf(200);
    const flood = keepInFlight(noisy, 400);
    const busy = await quiet.timesOf(200);
    await flood.stop();
    // Below some milliseconds the processes wait for a core, not for each other.
    expect(percentile(busy, 0.95)).toBeLessThan(3 * Math.max(percentile(idle, 0.95), 30));
    expect(flood.answered()).toBeGreaterThan(400);
    expect(flood.refused()).toEqual([]);
  });

  test('that never reads costs the host no more than 100 MB, and another nothing', async () => {
    const shared = shareSessions(devToolbox({ any: fixture() }));
    const quiet = startQuick(shared);
    await quiet.call('echo');
    const before = memoryOf(hostOf(shared).pid);
    const idle = await quiet.timesOf(200);
    const deaf = startQuick(shared, { reads: false });
    for (let index = 0; index < 200; index++) void deaf.call('blob', { bytes: 1_000_000 });
    const busy: number[] = [];
    let most = 0;
    for (const end = performance.now() + 8_000; performance.now() < end; ) {
      busy.push(...(await quiet.timesOf(5)));
      most = Math.max(most, memoryOf(hostOf(shared).pid));
    }
    expect(percentile(busy, 0.95)).toBeLessThan(3 * Math.max(percentile(idle, 0.95), 30));
    expect(most - before).toBeLessThan(100_000_000);
  });

  test('that reads nothing for a while loses neither the host nor a result', async () => {
    const shared = shareSessions(devToolbox({ any: fixture() }));
    const [deaf, other] = [startQuick(shared, { reads: false }), startQuick(shared)];
    const results = Array.from({ length: 40 }, () => deaf.call('blob', { bytes: 2_000_000 }));
    // Longer than a host may be silent.
    await other.call('sleep', { ms: 13_000 });
    deaf.read();
    for (const result of results) expect(textOf(await result)).toHaveLength(2_000_000);
  });
});

/** Keeps so many calls in flight. */
function keepInFlight(session: QuickSession, count: number) {
  const over = new AbortController();
  let answered = 0;
  const refused: string[] = [];
  async function repeat(): Promise<void> {
    while (!over.signal.aborted) {
      const answer = await session.call('echo');
      answered++;
      if (answer.result?.['isError'] === true) refused.push(textOf(answer));
    }
  }
  const all = Array.from({ length: count }, repeat);
  return {
    async stop() {
      over.abort();
      await Promise.all(all);
    },
    answered: () => answered,
    refused: () => refused,
  };
}

/** Resident memory, in bytes. */
function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
}
