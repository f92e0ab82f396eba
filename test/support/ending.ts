import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { until } from './until.js';

/** Processes unrelated to the workbench, until the test ends. */
export async function startCrowd(count: number): Promise<void> {
  const script = `i=0; while [ $i -lt ${count} ]; do sleep 3600 & i=$((i + 1)); done; echo; wait`;
  const crowd = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void process.kill(-(crowd.pid ?? 0), 'SIGKILL'));
  await once(crowd.stdout, 'data');
}

export interface Usage {
  readonly descriptors: number;
  readonly cpuMs: number;
}

/** Ends the process that runs the servers. Its maximum of open descriptors and the processor time it used until it was gone. */
export async function endWatched(pid: number): Promise<Usage> {
  const before = cpuMsOf(pid);
  const seen = { descriptors: 0, cpuMs: 0 };
  const timer = setInterval(() => {
    try {
      seen.descriptors = Math.max(seen.descriptors, descriptorsOf(pid));
      seen.cpuMs = cpuMsOf(pid) - before;
    } catch {
      // The process has ended.
    }
  }, 5);
  process.kill(pid, 'SIGTERM');
  await until(() => !existsSync(`/proc/${pid}`), { withinMs: 120_000, what: 'its end' }).finally(() =>
    clearInterval(timer),
  );
  return seen;
}

export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // Clock ticks: a hundred per second on Linux.
  return 10 * (Number(fields[11]) + Number(fields[12]));
}
