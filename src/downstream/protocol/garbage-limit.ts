import { maxGarbageLinesPerMinute } from '../../limits.js';

const minuteMs = 60_000;

/** Counts input that is not a message. */
export interface GarbageLimit {
  /** The number within a minute once it is too much. */
  count(): number | undefined;
}

/** A minute begins with the first piece of garbage. */
export function createGarbageLimit(): GarbageLimit {
  let since = Number.NEGATIVE_INFINITY;
  let pieces = 0;
  return {
    count() {
      const now = performance.now();
      if (now - since > minuteMs) {
        since = now;
        pieces = 0;
      }
      return ++pieces < maxGarbageLinesPerMinute ? undefined : pieces;
    },
  };
}
