import { exitCodes } from './screen/exit-codes.js';
import { Interrupted } from './screen/interrupted.js';

const unchanged = 'Nothing was changed.';
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ctrl-C and other requests to end, while a command has something to end first. */
export interface Interrupts {
  /** Aborted by the first one, with `Interrupted` as its reason. */
  readonly signal: AbortSignal;
  /** The same as Ctrl-C, where the terminal does not send a signal. */
  readonly interrupt: () => void;
  /** From now on they end the process at once, as usual. */
  readonly release: () => void;
}

/** `message`: what is said when the command has ended. */
export function watchInterrupts(message: string): Interrupts {
  const controller = new AbortController();
  const interrupt = () => {
    // The second time nothing is waited for; the watchdog ends what is left.
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort(new Interrupted(message));
  };
  for (const signal of signals) process.on(signal, interrupt);
  return {
    signal: controller.signal,
    interrupt,
    release: () => {
      for (const signal of signals) process.off(signal, interrupt);
    },
  };
}

/** Waits for work that Ctrl-C ends: its signal is aborted, and what is waited for fails as interrupted. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, release } = watchInterrupts(unchanged);
  const interrupted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Interrupted(unchanged)), { once: true });
  });
  try {
    return await Promise.race([work(signal), interrupted]);
  } finally {
    release();
  }
}
