import { pause } from './pause.js';

/**
 * Concurrent callers share one run, but never a run that began before their call: it may have missed a later change.
 * `restMs`: how long to wait before the next run, given how long the last one took.
 */
export function shareRuns<T>(run: () => Promise<T>, restMs: (tookMs: number) => number): () => Promise<T> {
  let previous: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;

  function start(): Promise<T> {
    next = undefined;
    const begun = performance.now();
    const running = run();
    const rest = () => pause(restMs(performance.now() - begun));
    previous = running.then(rest, rest);
    return running;
  }

  return () => (next ??= previous.then(start));
}
