import { DownstreamFailure } from '../../contract/downstream-failure.js';

const crashesWithoutDelay = 5;
const maxRefusalMs = 16_000;
const stableAfterMs = 5 * 60_000;

/** Counts consecutive crashes, and failures to reach a remote server, and decides how long further starts are refused. */
export interface CrashHistory {
  /** `readyForMs`: how long the server had been ready before; 0 if it never was. */
  crashed(failure: DownstreamFailure, readyForMs: number): void;
  /** Why no start is allowed now; undefined if one is. */
  refusal(): DownstreamFailure | undefined;
}

export function createCrashHistory(): CrashHistory {
  let count = 0;
  // On the monotonic clock: if the system time were set back an hour, starts would be refused for an hour.
  let refusedUntil = 0;
  let last: DownstreamFailure | undefined;
  return {
    crashed(failure, readyForMs) {
      last = failure;
      count = readyForMs >= stableAfterMs ? 1 : count + 1;
      const doublings = count - crashesWithoutDelay - 1;
      if (doublings < 0) return;
      // Jitter, so that several workbenches whose servers fail together do not retry together.
      const refusalMs = Math.min(1000 * 2 ** doublings, maxRefusalMs) * (1 + Math.random() / 4);
      refusedUntil = performance.now() + refusalMs;
    },
    refusal() {
      const refusedMs = refusedUntil - performance.now();
      if (refusedMs <= 0 || last === undefined) return undefined;
      const what = last.kind === 'lost' ? 'it could not be reached' : 'crash loop: it crashed';
      const loop = `${what} ${count} times in a row, next try in ${Math.ceil(refusedMs / 1000)} s`;
      return new DownstreamFailure('unreachable', `${loop}; last time ${last.message}`, { log: last.log });
    },
  };
}

/** A session that a remote server has forgotten is replaced; servers may keep theirs for a minute only. */
export function isCrash({ kind }: DownstreamFailure): boolean {
  return kind === 'crashed' || kind === 'lost';
}
