import { dirname, join } from 'node:path';
import { commandOf, isRunning, processesRunning } from './processes.mjs';
import { programCopy } from './systems.mjs';
import { until } from './wait.mjs';

const script = () => join(dirname(programCopy()), 'host.js');

/** The hosts of the measured program. */
export function hosts() {
  return processesRunning(script()).filter((pid) => !commandOf(pid).startsWith('/bin/sh') && isRunning(pid));
}

/** Runs `measure` with no host before it, and leaves none. */
export async function withOwnHosts(measure) {
  await endHosts();
  try {
    return await measure();
  } finally {
    await endHosts();
  }
}

/** Ends them, so that the next measurement starts without. */
export async function endHosts() {
  for (const pid of hosts()) process.kill(pid, 'SIGTERM');
  await until(() => hosts().length === 0, 10_000, 20);
}
