import { DownstreamFailure, failureOf, NotSent } from '../../contract/downstream-failure.js';
import type { CancelSignal } from '../../jsonrpc/cancellation.js';

/** Limits how many calls run at once and how many wait; refuses the rest. Calls run in order of arrival. */
export interface Gate {
  /** Admits the call if it need not wait. Every admitted call must `leave` when it has ended. */
  tryEnter(): boolean;
  /** Resolves when the call may run. */
  enter(signal?: CancelSignal): Promise<void>;
  leave(): void;
  /** Other limits from now on. */
  resize(maxRunning: number, maxWaiting: number): void;
  readonly running: number;
}

export function createGate(givenRunning: number, givenWaiting: number): Gate {
  let maxRunning = givenRunning;
  let maxWaiting = givenWaiting;
  const waiting = new Set<() => void>();
  let running = 0;

  function tryEnter(): boolean {
    if (running >= maxRunning) return false;
    running++;
    return true;
  }

  function admitNext(): void {
    for (const admit of waiting) {
      if (!tryEnter()) return;
      admit();
    }
  }

  return {
    tryEnter,
    async enter(signal) {
      if (signal?.aborted === true) throw new NotSent('cancelled', failureOf(signal).message);
      if (tryEnter()) return;
      if (waiting.size >= maxWaiting) {
        throw new DownstreamFailure('busy', `it is busy (calls running: ${running}, waiting: ${waiting.size})`);
      }
      await new Promise<void>((resolve, reject) => {
        const admit = () => {
          waiting.delete(admit);
          signal?.removeEventListener('abort', cancel);
          resolve();
        };
        const cancel = () => {
          waiting.delete(admit);
          reject(new NotSent('cancelled', 'the call was cancelled while it was queued'));
        };
        waiting.add(admit);
        signal?.addEventListener('abort', cancel, { once: true });
      });
    },
    leave() {
      running--;
      admitNext();
    },
    resize(nextRunning, nextWaiting) {
      maxRunning = nextRunning;
      maxWaiting = nextWaiting;
      admitNext();
    },
    get running() {
      return running;
    },
  };
}
