import { failureOf } from '../../contract/downstream-failure.js';
import type { CancelSignal } from '../../jsonrpc/cancellation.js';

/** Waits for work that others wait for as well, until the signal aborts. The work itself continues. */
export async function orAborted<T>(work: Promise<T>, signal: CancelSignal): Promise<T> {
  let cancel = () => {};
  const aborted = new Promise<never>((_, reject) => {
    cancel = () => reject(failureOf(signal));
  });
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
