import { Interrupted } from './screen/interrupted.js';

/** Waits for work that Ctrl-C ends: its signal is aborted, and what is waited for fails as interrupted. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let interrupt = () => {};
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = () => {
      controller.abort();
      reject(new Interrupted('Nothing was changed.'));
    };
  });
  process.once('SIGINT', interrupt);
  try {
    return await Promise.race([work(controller.signal), interrupted]);
  } finally {
    process.off('SIGINT', interrupt);
  }
}
