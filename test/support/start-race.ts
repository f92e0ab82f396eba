import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect } from 'vitest';
import { parseName } from '../../src/platform/sockets/socket-names.js';
import type { CallLog } from './call-log.js';
import { call, type SharedSessions, textOf } from './shared.js';
import { until } from './until.js';
import type { RunningWorkbench } from './workbench.js';

interface Begun {
  readonly sessions: readonly RunningWorkbench[];
  /** All were connected to a host that is gone. */
  readonly haveLost?: boolean;
}

/** Sessions that all make a call at the same moment, each of which must succeed. */
export async function raceOnce(
  shared: SharedSessions,
  count: number,
  begun?: Begun,
): Promise<readonly RunningWorkbench[]> {
  const sessions = begun?.sessions ?? (await Promise.all(Array.from({ length: count }, () => shared.start())));
  if (begun?.haveLost) await until(() => sessions.every((session) => session.stderr().includes('was lost')));
  const answers = await Promise.all(sessions.map((session, index) => call(session, 'echo', { text: `call ${index}` })));
  expect(answers.map(textOf)).toEqual(sessions.map((_, index) => JSON.stringify({ text: `call ${index}` })));
  return sessions;
}

/** One host listens. Those that have lost the race no longer do when their sessions go on, but may not have exited yet. */
export async function expectOneHost(shared: SharedSessions): Promise<void> {
  const running = new Set(shared.hosts().map(({ pid }) => pid));
  expect(shared.sockets().filter((name) => running.has(parseName(name)?.pid ?? 0))).toHaveLength(1);
  await until(() => shared.hosts().length === 1, { what: 'the end of the hosts that have lost' });
}

/**
 * The same, while the host that wins is killed as soon as it can be reached. Every call is answered: with its result, or with what is said about
 * a lost host. In the end all have one host and one server, and no call was made twice.
 */
export async function raceWithKill(shared: SharedSessions, count: number, log: CallLog): Promise<void> {
  const sessions = await Promise.all(Array.from({ length: count }, () => shared.start()));
  const calls = sessions.map((session, index) => call(session, 'echo', { text: `first ${index}` }));
  await until(() => existsSync(shared.socket));
  // The winner, and losers that have not noticed yet.
  for (const { pid } of shared.hosts()) kill(pid);
  for (const [index, text] of (await Promise.all(calls)).map(textOf).entries())
    expect([JSON.stringify({ text: `first ${index}` }), expect.stringContaining(outcomeUnknown)]).toContainEqual(text);
  await raceOnce(shared, count, { sessions });
  await until(() => shared.servers().length === 1 && shared.hosts().length === 1);
  const made = log.methods('tools/call').map((entry) => JSON.stringify(entry.arguments));
  expect(new Set(made).size).toBe(made.length);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

const outcomeUnknown = 'It is unknown whether the tool took effect. The call was not retried.';

/** A socket without a listener, as a killed host leaves it. */
export async function leaveDeadSocket({ socket }: SharedSessions): Promise<void> {
  const code = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  await once(spawn(process.execPath, ['-e', code, socket]), 'close');
}
