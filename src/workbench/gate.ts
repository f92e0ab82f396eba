import type { CancelSignal } from '../jsonrpc/cancellation.js';
import { DownstreamFailure, failureOf } from './ports/downstream.js';

/** Lets a bounded number of calls through at once and a bounded number wait; refuses the rest. First come, first served. */
export interface Gate {
  /** Lets the call in at once if it need not wait. Either way `leave` must be called when it has ended. */
  tryEnter(): boolean;
  /** Resolves when the call may run. */
  enter(signal?: CancelSignal): Promise<void>;
  leave(): void;
  readonly running: number;
}

const mostGone = 1_000;

interface Waiter {
  /** Undefined once it has given up. */
  admit: (() => void) | undefined;
}

export function createGate(maxRunning: number, maxWaiting: number): Gate {
  let running = 0;
  let waiting = 0;
  let queue: Waiter[] = [];
  let first = 0;

  function tryEnter(): boolean {
    if (running >= maxRunning) return false;
    running++;
    return true;
  }

  function next(): (() => void) | undefined {
    // Those who have gone are dropped now and then, not one by one.
    if (first > mostGone) {
      queue = queue.slice(first);
      first = 0;
    }
    while (first < queue.length) {
      const admit = queue[first++]?.admit;
      if (admit !== undefined) return admit;
    }
    return undefined;
  }

  return {
    tryEnter,
    async enter(signal) {
      if (signal?.aborted === true) throw failureOf(signal);
      if (tryEnter()) return;
      if (waiting >= maxWaiting) {
        throw new DownstreamFailure('busy', `it is busy (calls running: ${running}, waiting: ${waiting})`);
      }
      // Those who gave up are still in the queue, but not for ever.
      if (queue.length - first > 2 * waiting + mostGone) {
        queue = queue.slice(first).filter(({ admit }) => admit !== undefined);
        first = 0;
      }
      waiting++;
      await new Promise<void>((resolve, reject) => {
        const waiter: Waiter = {
          admit() {
            waiting--;
            signal?.removeEventListener('abort', giveUp);
            resolve();
          },
        };
        const giveUp = () => {
          waiting--;
          waiter.admit = undefined;
          reject(new DownstreamFailure('cancelled', 'the call was cancelled while it waited for its turn'));
        };
        queue.push(waiter);
        signal?.addEventListener('abort', giveUp, { once: true });
      });
    },
    leave() {
      const admit = next();
      if (admit === undefined) running--;
      else admit();
    },
    get running() {
      return running;
    },
  };
}
