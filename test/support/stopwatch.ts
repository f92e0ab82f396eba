import { readFileSync } from 'node:fs';

/** The margin on systems that do not report how busy they are. */
const assumedSlowdown = 3;

/**
 * Above this, a failure is reported even on a busy machine. Without a maximum the correction could hide any delay: a
 * program that waits idly uses almost no processor time, so a short wait for a processor gives a very large factor.
 */
const maxSlowdown = 4;

/** Not counted: garbage collection, a slow disk or a hypervisor may stop everything for a moment, and no figure shows it. */
const pauseMs = 1_000;

/**
 * Milliseconds since the call, corrected for the load of the machine. Limits are promises for an idle machine, but tests run
 * on any: the time this process waited for a processor, relative to the time it had one, measures how much slower
 * everything is. Times are compared with limits only after this correction, and never by a lower limit.
 */
export function startStopwatch(): () => number {
  const begun = performance.now();
  const before = processorNs();
  return () => withoutPause(performance.now() - begun) / slowdown(before, processorNs());
}

/** The same for a time in which other processes work, too: what those waited for a processor does not count. */
export function startStopwatchFor(...pids: readonly number[]): () => number {
  const begun = performance.now();
  const before = processorNs();
  const waited = () => pids.reduce((sum, pid) => sum + (processorNs(pid)?.waiting ?? 0), 0) / 1_000_000;
  const waitedBefore = waited();
  return () => {
    const elapsed = performance.now() - begun - (waited() - waitedBefore);
    return withoutPause(elapsed) / slowdown(before, processorNs());
  };
}

/**
 * How many times as long as on an idle machine the work of these processes takes, from now until it is asked: they wait for a processor.
 * For times that are compared with others, not with a limit.
 */
export function watchSlowdown(...pids: readonly number[]): () => number {
  const total = () => pids.map((pid) => processorNs(pid)).reduce(added, { running: 0, waiting: 0 });
  const before = total();
  return () => slowdown(before, total());
}

function withoutPause(ms: number): number {
  return Math.max(0, ms - pauseMs);
}

function added(one: ProcessorNs | undefined, other: ProcessorNs | undefined): ProcessorNs | undefined {
  if (one === undefined || other === undefined) return undefined;
  return { running: one.running + other.running, waiting: one.waiting + other.waiting };
}

interface ProcessorNs {
  readonly running: number;
  readonly waiting: number;
}

function slowdown(before: ProcessorNs | undefined, after: ProcessorNs | undefined): number {
  if (before === undefined || after === undefined || after.running === before.running) return assumedSlowdown;
  return Math.min(maxSlowdown, 1 + (after.waiting - before.waiting) / (after.running - before.running));
}

function processorNs(pid: number | 'self' = 'self'): ProcessorNs | undefined {
  try {
    const [running, waiting] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number);
    return running === undefined || waiting === undefined ? undefined : { running, waiting };
  } catch {
    return undefined;
  }
}
