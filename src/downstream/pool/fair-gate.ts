import { DownstreamFailure, failureOf } from '../../contract/downstream-failure.js';
import type { CancelSignal } from '../../jsonrpc/cancellation.js';

/**
 * Limits how many calls of all sessions run on one connection, and of them how many each session has: an equal share, at least one, so
 * that slow calls of one keep no other session out. Waiting calls are admitted by turns: one of each session, whichever has most.
 * How many may wait is limited by the gate of each session.
 */
export interface FairGate {
  /** Resolves when the call may run; undefined if that is now. Every admitted call must `leave` when it has ended. */
  enter(session: string, signal: CancelSignal): Promise<void> | undefined;
  leave(session: string): void;
  /** `sessions`: how many use the connection. */
  resize(maxRunning: number, sessions: number): void;
  /** While a session is on hold, none of its calls is admitted. */
  readonly hold: (session: string, isOnHold: boolean) => void;
}

export function createFairGate(givenRunning: number): FairGate {
  let maxRunning = givenRunning;
  let share = givenRunning;
  let running = 0;
  const runningOf = new Map<string, number>();
  // In the order of their turns; no session without calls that wait is in it.
  const waiting = new Map<string, Set<() => void>>();
  const onHold = new Set<string>();

  function isFull(session: string): boolean {
    return onHold.has(session) || (runningOf.get(session) ?? 0) >= share;
  }

  function begin(session: string): void {
    running++;
    runningOf.set(session, (runningOf.get(session) ?? 0) + 1);
  }

  function end(session: string): void {
    running--;
    const left = (runningOf.get(session) ?? 1) - 1;
    if (left === 0) runningOf.delete(session);
    else runningOf.set(session, left);
  }

  function admitNext(): void {
    for (const [session, calls] of waiting) {
      if (running >= maxRunning) return;
      const [admit] = calls;
      if (admit === undefined || isFull(session)) continue;
      begin(session);
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
      if (running >= maxRunning || waiting.has(session) || isFull(session)) return wait(session, signal);
      begin(session);
      return undefined;
    },
    leave(session) {
      end(session);
      admitNext();
    },
    resize(next, sessions) {
      maxRunning = next;
      share = Math.ceil(next / Math.max(1, sessions));
      admitNext();
    },
    hold(session, isOnHold) {
      if (isOnHold) onHold.add(session);
      else if (onHold.delete(session)) admitNext();
    },
  };
}
