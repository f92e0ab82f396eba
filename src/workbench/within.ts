import type { CancelSignal } from '../jsonrpc/cancellation.js';
import { failureOf } from './ports/downstream.js';

/** Thrown when something is not there yet, but goes on and may be there later. */
export class StillWaiting extends Error {
  override readonly name = 'StillWaiting';
}

/** Waits for `work` for a limited time, or until the signal gives up. The work itself goes on. */
export async function within<T>(limitMs: number, work: Promise<T>, signal?: CancelSignal): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let giveUp: (() => void) | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StillWaiting(`not ready after ${limitMs} ms`)), limitMs);
    if (signal === undefined) return;
    giveUp = () => reject(failureOf(signal));
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
    if (giveUp !== undefined) signal?.removeEventListener('abort', giveUp);
  }
}
