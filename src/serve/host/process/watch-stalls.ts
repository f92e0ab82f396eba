import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { removeStall } from '../../../platform/sockets/stall-file.js';
import type { StallThread } from './stall-thread.js';

/** The first calls must not wait for it. */
const delayMs = 1_000;

/**
 * Starts the thread that says for how long the event loop of this process has not turned. Without it, sessions give up a host that
 * is busy for ten seconds, as one that was stopped. Returns what ends it.
 */
export function watchStalls(file: string, { tickMs = 1_000, script = scriptBeside() } = {}): () => void {
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const beating = setInterval(() => Atomics.add(beats, 0, 1), tickMs).unref();
  const starting = setTimeout(start, delayMs).unref();
  let thread: Worker | undefined;

  function start(): void {
    const threads = process.getBuiltinModule('node:worker_threads');
    const data: StallThread = { file, beats, tickMs };
    // As little memory as a thread can do with.
    const resourceLimits = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 };
    thread = new threads.Worker(script, { workerData: data, env: {}, execArgv: [], resourceLimits });
    // It may not be possible to start one.
    thread.on('error', () => {}).unref();
  }

  return () => {
    clearInterval(beating);
    clearTimeout(starting);
    void thread?.terminate();
    removeStall(file);
  };
}

/** Next to this file in the bundle. */
function scriptBeside(): string {
  return join(import.meta.dirname, 'stall-thread.js');
}
