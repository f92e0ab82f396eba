const crashesWithoutDelay = 5;
const maxRefusalMs = 16_000;
const stableAfterMs = 5 * 60_000;

/** Counts consecutive crashes and decides how long further starts are refused. */
export interface CrashHistory {
  /** `readyForMs`: how long the server had been ready before it crashed; 0 if it never was. */
  crashed(readyForMs: number): void;
  /** Milliseconds until the next start is allowed; 0 if it is allowed now. */
  refusedForMs(): number;
  readonly count: number;
}

export function createCrashHistory(): CrashHistory {
  let count = 0;
  // On the monotonic clock: if the system time were set back an hour, starts would be refused for an hour.
  let refusedUntil = 0;
  return {
    crashed(readyForMs) {
      count = readyForMs >= stableAfterMs ? 1 : count + 1;
      const doublings = count - crashesWithoutDelay - 1;
      if (doublings < 0) return;
      // Jitter, so that several workbenches whose servers fail together do not retry together.
      const refusalMs = Math.min(1000 * 2 ** doublings, maxRefusalMs) * (1 + Math.random() / 4);
      refusedUntil = performance.now() + refusalMs;
    },
    refusedForMs: () => Math.max(0, refusedUntil - performance.now()),
    get count() {
      return count;
    },
  };
}
