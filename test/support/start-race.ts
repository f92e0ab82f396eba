import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';
import { call, type SharedSessions, textOf } from './shared.js';
import { until } from './until.js';
import type { RunningWorkbench } from './workbench.js';

/** Sessions that all make a call at the same moment. Every call must be answered; one that a lost host had, by that. */
export async function raceOnce(
  shared: SharedSessions,
  count: number,
  begun?: readonly RunningWorkbench[],
): Promise<readonly RunningWorkbench[]> {
  const sessions = begun ?? (await Promise.all(Array.from({ length: count }, () => shared.start())));
  // Those that are connected have noticed a loss.
  if (begun !== undefined) await until(() => begun.every((session) => session.stderr().includes('was lost')));
  const answers = await Promise.all(sessions.map((session, index) => call(session, 'echo', { text: `call ${index}` })));
  expect(answers.map(textOf)).toEqual(sessions.map((_, index) => JSON.stringify({ text: `call ${index}` })));
  return sessions;
}

/** A socket that nobody listens at, as a host leaves it that was killed. */
export async function leaveDeadSocket({ socket }: SharedSessions): Promise<void> {
  const code = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  await once(spawn(process.execPath, ['-e', code, socket]), 'close');
}
