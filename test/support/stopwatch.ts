import { readFileSync } from 'node:fs';

/** Where the system does not say how busy it is, figures get this much room. */
const assumedSlowdown = 3;

/**
 * Milliseconds since the call, less what a busy machine added to them. Figures are promises for a machine at rest, and tests
 * run on any: the time that this process spent waiting for a processor, in proportion to the time it had one, tells how
 * much longer everything takes here. Times are never compared with a figure without it.
 */
export function startStopwatch(): () => number {
  const begun = performance.now();
  const before = processorNs();
  return () => (performance.now() - begun) / slowdown(before, processorNs());
}

interface ProcessorNs {
  readonly running: number;
  readonly waiting: number;
}

function slowdown(before: ProcessorNs | undefined, after: ProcessorNs | undefined): number {
  if (before === undefined || after === undefined || after.running === before.running) return assumedSlowdown;
  return 1 + (after.waiting - before.waiting) / (after.running - before.running);
}

function processorNs(): ProcessorNs | undefined {
  try {
    const [running, waiting] = readFileSync('/proc/self/schedstat', 'utf8').split(' ').map(Number);
    return running === undefined || waiting === undefined ? undefined : { running, waiting };
  } catch {
    return undefined;
  }
}
