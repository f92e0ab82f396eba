import { workerData } from 'node:worker_threads';
import { removeStall, writeStall } from '../../../platform/sockets/stall-file.js';

/** What the thread is given. */
export interface StallThread {
  readonly file: string;
  /** Its only element changes with every beat of the main thread. */
  readonly beats: Int32Array;
  /** Both threads count them, not the clock: a computer that was asleep has made none. */
  readonly tickMs: number;
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- given by watch-stalls.ts
const { file, beats, tickMs } = workerData as StallThread;
/** The main thread may be late by one. */
const mostMissed = 1;
let last = 0;
let missed = 0;

function tick(): void {
  const beat = Atomics.load(beats, 0);
  if (beat !== last) {
    if (missed > mostMissed) removeStall(file);
    last = beat;
    missed = 0;
    return;
  }
  missed++;
  if (missed <= mostMissed) return;
  try {
    writeStall(file, missed * tickMs, missed === mostMissed + 1);
  } catch {
    // Then there is no sign of life.
  }
}

setInterval(tick, tickMs);
