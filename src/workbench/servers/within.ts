import { failureOf } from '../../contract/downstream-failure.js';
import type { CancelSignal } from '../../jsonrpc/cancellation.js';

/** Thrown when work has not finished within its limit. The work continues. */
export class StillWaiting extends Error {
  override readonly name = 'StillWaiting';
  /** What the server that is waited for wrote last, as a phrase. */
  readonly lastWords: string | undefined;

  constructor(message: string, lastWords?: string) {
    super(message);
    this.lastWords = lastWords;
  }
}

/** Waits for `work` until the limit, if there is one, or until the signal aborts. The work itself continues. */
export async function within<T>(limitMs: number | undefined, work: Promise<T>, signal?: CancelSignal): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let cancel: (() => void) | undefined;
  const end = new Promise<never>((_, reject) => {
    const late = () => reject(new StillWaiting(`not ready after ${limitMs} ms`));
    if (limitMs !== undefined) timer = setTimeout(late, limitMs);
    if (signal === undefined) return;
    cancel = () => reject(failureOf(signal));
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
    if (cancel !== undefined) signal?.removeEventListener('abort', cancel);
  }
}
