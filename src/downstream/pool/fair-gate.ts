import { DownstreamFailure, failureOf } from '../../contract/downstream-failure.js';
import type { CancelSignal } from '../../jsonrpc/cancellation.js';

/**
 * Limits how many calls of all sessions run on one connection. Those that wait are admitted by turns: one of each session,
 * whichever has most. How many may wait is limited by the gate of each session.
 */
export interface FairGate {
  /** Resolves when the call may run; undefined if that is now. Every admitted call must `leave` when it has ended. */
  enter(session: string, signal: CancelSignal): Promise<void> | undefined;
  leave(): void;
  resize(maxRunning: number): void;
  /** While a session is on hold, none of its calls is admitted. */
  readonly hold: (session: string, isOnHold: boolean) => void;
}

export function createFairGate(givenRunning: number): FairGate {
  let maxRunning = givenRunning;
  let running = 0;
  // In the order of their turns; no session without calls that wait is in it.
  const waiting = new Map<string, Set<() => void>>();
  const onHold = new Set<string>();

  function admitNext(): void {
    for (const [session, calls] of waiting) {
      if (running >= maxRunning) return;
      const [admit] = calls;
      if (admit === undefined || onHold.has(session)) continue;
      running++;
      forget(session, admit);
      // Behind all others: a Map that is changed while it is iterated visits it again after them.
      if (calls.size > 0) {
        waiting.delete(session);
        waiting.set(session, calls);
      }
      admit();
    }
  }

  function forget(session: string, admit: () => void): void {
    const calls = waiting.get(session);
    calls?.delete(admit);
    if (calls?.size === 0) waiting.delete(session);
  }

  function wait(session: string, signal: CancelSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const admit = () => {
        signal.removeEventListener('abort', cancel);
        resolve();
      };
      const cancel = () => {
        forget(session, admit);
        const isOwn = signal.reason instanceof DownstreamFailure;
        const queued = new DownstreamFailure('cancelled', 'the call was cancelled while it was queued');
        reject(isOwn ? failureOf(signal) : queued);
      };
      const calls = waiting.get(session) ?? new Set();
      waiting.set(session, calls.add(admit));
      signal.addEventListener('abort', cancel, { once: true });
    });
  }

  return {
    enter(session, signal) {
      if (running >= maxRunning || waiting.has(session) || onHold.has(session)) return wait(session, signal);
      running++;
      return undefined;
    },
    leave() {
      running--;
      admitNext();
    },
    resize(next) {
      maxRunning = next;
      admitNext();
    },
    hold(session, isOnHold) {
      if (isOnHold) onHold.add(session);
      else if (onHold.delete(session)) admitNext();
    },
  };
}
