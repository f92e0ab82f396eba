import type { CancelSignal } from '../../jsonrpc/cancellation.js';
import { maxRootsWaitMs } from '../../limits.js';
import { settlesWithin } from '../../platform/time-limit.js';
import { orAborted } from './or-aborted.js';

/**
 * Holds the calls of a server that is offered roots until it has got them: the filesystem server asks for them when it starts
 * and decides by them what a call may do. A call that came first would be decided by whatever is configured.
 */
export interface FirstRoots {
  /** The server has asked for roots. */
  asked(answer: Promise<unknown>): void;
  /** Resolves when a call may be sent; undefined if that is now. */
  hold(signal: CancelSignal | undefined): Promise<void> | undefined;
}

/** Servers ask when they see the capabilities of the client, some of them a moment later. */
const questionDelayMs = 250;
/** Some servers do not answer a ping. */
const reachedMs = 2_000;
/** What a server does with the answer cannot be seen; it looks at a few directories. On a busy computer that takes as much longer as a ping does. */
const useDelayMs = 50;
const useDelayPings = 4;
const maxUseDelayMs = 1_000;

/** `reached`: resolves when the server has received everything sent to it so far. */
export function createFirstRoots(reached: () => Promise<unknown>): FirstRoots {
  let announce = () => {};
  const question = new Promise<void>((resolve) => {
    announce = resolve;
  });
  const answers: Promise<unknown>[] = [];
  const mayAskUntil = performance.now() + questionDelayMs;
  let isOver = false;
  let first: Promise<void> | undefined;

  async function untilUsed(): Promise<void> {
    if (answers.length === 0) await settlesWithin(Math.max(0, mayAskUntil - performance.now()), question);
    if (answers.length > 0) {
      await settlesWithin(maxRootsWaitMs, Promise.allSettled(answers));
      const sentAt = performance.now();
      const isReached = await settlesWithin(reachedMs, reached());
      const useMs = useDelayMs + (isReached ? useDelayPings * (performance.now() - sentAt) : 0);
      await new Promise((resolve) => setTimeout(resolve, Math.min(maxUseDelayMs, useMs)));
    }
    isOver = true;
  }

  return {
    asked(answer) {
      answers.push(answer);
      announce();
    },
    hold(signal) {
      if (isOver) return undefined;
      first ??= untilUsed();
      return signal === undefined ? first : orAborted(first, signal);
    },
  };
}
