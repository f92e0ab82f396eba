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

describe('calls of a session take at most three times as long, none is refused, and the host has at most 100 MB more', () => {
  test('when another session floods the host with 400 calls in flight', { timeout: 120_000 }, async () => {
    const { shared, quiet, compare } = await startPair();
    const noisy = startQuick(shared);
    await noisy.call('echo');
    await compare(async () => {
      const flood = keepInFlight(noisy, 400);
      await until(() => flood.answered() > 400);
      const times = await quiet.timesOf(callsPerTurn);
      await flood.stop();
      expect(flood.refused()).toEqual([]);
      return times;
    });
  });

  test('when another session never reads what it asked for, 200 times 1 MB', { timeout: 120_000 }, async () => {
    const { shared, quiet, log, compare } = await startPair();
    const blobs = () => log.methods('tools/call').filter(({ name }) => name === 'blob').length;
    let deaf: QuickSession | undefined;
    await compare(async () => {
      if (deaf === undefined) {
        deaf = startQuick(shared, { reads: false });
        for (let index = 0; index < 200; index++) void deaf.call('blob', { bytes: 1_000_000 });
      }
      return quiet.timesOf(callsPerTurn);
    });
    expect(blobs()).toBeGreaterThan(16);
    expect(blobs()).toBeLessThan(200);
  });
});

test('a session that reads nothing for a while loses neither the host nor a result', async () => {
  const shared = shareSessions(devToolbox({ any: fixture() }));
  const [deaf, other] = [startQuick(shared, { reads: false }), startQuick(shared)];
  const results = Array.from({ length: 40 }, () => deaf.call('blob', { bytes: 2_000_000 }));
  // Longer than a host may be silent.
  await other.call('sleep', { ms: 13_000 });
  deaf.read();
  for (const result of results) expect(textOf(await result)).toHaveLength(2_000_000);
});

const turns = 8;
const callsPerTurn = 30;

/** A session whose host has another session to suffer from, and one that has a host of the same age to itself. */
async function startPair() {
  const log = callLog();
  const shared = shareSessions(devToolbox({ any: fixture('--log', log.path) }));
  const alone = shareSessions(devToolbox({ any: fixture() }), `${shared.hostName}.alone`);
  const [quiet, undisturbed] = [startQuick(shared), startQuick(alone)];
  await Promise.all([quiet.call('echo'), undisturbed.call('echo')]);

  /** Times and memory of both. They are measured by turns, so that what else the machine does counts for both. */
  async function compare(disturbed: () => Promise<number[]>): Promise<void> {
    const [idle, busy]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < turns; turn++) {
      idle.push(...(await undisturbed.timesOf(callsPerTurn)));
      busy.push(...(await disturbed()));
    }
    const added = memoryOf(hostOf(shared).pid, 'VmHWM') - memoryOf(hostOf(alone).pid, 'VmRSS');
    expect(percentile(busy, 0.95)).toBeLessThanOrEqual(3 * percentile(idle, 0.95));
    expect(added).toBeLessThanOrEqual(100_000_000);
  }
  return { shared, quiet, log, compare };
}

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

/** Resident memory, in bytes: now, or the most that it has ever been. */
function memoryOf(pid: number, when: 'VmRSS' | 'VmHWM'): number {
  return Number(new RegExp(`${when}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
}
