import { DownstreamFailure, failureOf } from './downstream.js';

/** Lets a bounded number of calls through at once and a bounded number wait; refuses the rest. First come, first served. */
export interface Gate {
  /** Lets the call in at once if it need not wait. Either way `leave` must be called when it has ended. */
  tryEnter(): boolean;
  /** Resolves when the call may run. */
  enter(signal?: AbortSignal): Promise<void>;
  leave(): void;
  readonly running: number;
}

export function createGate(maxRunning: number, maxWaiting: number): Gate {
  let running = 0;
  const waiting = new Set<() => void>();

  function tryEnter(): boolean {
    if (running >= maxRunning) return false;
    running++;
    return true;
  }

  return {
    tryEnter,
    async enter(signal) {
      if (signal?.aborted === true) throw failureOf(signal);
      if (tryEnter()) return;
      if (waiting.size >= maxWaiting) {
        throw new DownstreamFailure('busy', `it is busy (calls running: ${running}, waiting: ${waiting.size})`);
      }
      await new Promise<void>((resolve, reject) => {
        const admit = () => {
          signal?.removeEventListener('abort', giveUp);
          resolve();
        };
        const giveUp = () => {
          waiting.delete(admit);
          reject(new DownstreamFailure('cancelled', 'the call was cancelled while it waited for its turn'));
        };
        waiting.add(admit);
        signal?.addEventListener('abort', giveUp, { once: true });
      });
    },
    leave() {
      const [next] = waiting;
      if (next === undefined) {
        running--;
        return;
      }
      waiting.delete(next);
      next();
    },
    get running() {
      return running;
    },
  };
}
