// @module-tag slow
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

test('a client that kills its process tree, its process group and its login session ends neither the host nor the calls of others', async () => {
  const log = callLog();
  const shared = shareSessions(devToolbox({ any: fixture('--log', log.path) }));
  // It starts the host, so that the host might be below it.
  const first = await shared.start({ through: ['setsid'] });
  await call(first, 'echo');
  const other = await shared.start();
  const host = hostOf(shared).pid;
  other.send({ id: 'running', method: 'tools/call', params: use('sleep', { ms: 1_500 }) });
  await until(() => log.methods('tools/call').some(({ name }) => name === 'sleep'));
  const victims = relativesOf(first.pid);
  expect(victims).toContain(first.pid);
  for (const pid of victims) process.kill(pid, 'SIGKILL');
  expect(textOf(await other.answerTo('running'))).toContain('slept');
  expect(hostOf(shared).pid).toBe(host);
  expect(other.stderr()).not.toContain('lost');
});

/** All below a process by their parent ids, and all in its process group or its login session. */
function relativesOf(front: number): Set<number> {
  const all = allProcesses();
  const found = all.find(({ pid }) => pid === front);
  const tree = new Set([front]);
  for (const pid of tree) for (const child of all) if (child.parent === pid) tree.add(child.pid);
  const others = all.filter(({ group, session }) => group === found?.group || session === found?.session);
  return new Set([...tree, ...others.map(({ pid }) => pid)]);
}

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
    await until(() => blobs() > 16, { what: 'more results than are kept for it' });
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

const fewestTurns = 3;
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
    const ratios: number[] = [];
    // Noise only adds: a session that is kept waiting is so in every turn.
    const isKeptWaiting = () => Math.min(...ratios) > 3;
    for (let turn = 0; turn < fewestTurns || (turn < turns && isKeptWaiting()); turn++) {
      const idle = percentile(await undisturbed.timesOf(callsPerTurn), 0.95);
      ratios.push(percentile(await disturbed(), 0.95) / idle);
    }
    const added = memoryOf(hostOf(shared).pid, 'VmHWM') - memoryOf(hostOf(alone).pid, 'VmRSS');
    expect(Math.min(...ratios)).toBeLessThanOrEqual(3);
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
