import { DownstreamFailure, failureOf } from './downstream.js';

/** Lets a bounded number of calls through at once and a bounded number wait; refuses the rest. First come, first served. */
export interface Gate {
  /** Resolves when the call may run; `leave` must be called when it has ended. */
  enter(signal?: AbortSignal): Promise<void>;
  leave(): void;
  readonly running: number;
}

export function createGate(maxRunning: number, maxWaiting: number): Gate {
  let running = 0;
  const waiting = new Set<() => void>();
  return {
    async enter(signal) {
      if (signal?.aborted === true) throw failureOf(signal);
      if (running < maxRunning) {
        running++;
        return;
      }
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
