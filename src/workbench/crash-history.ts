const freeCrashes = 5;
const longestRefusalMs = 16_000;
const stableAfterMs = 5 * 60_000;

/** Remembers crashes in a row, and for how long a server that crashes again and again is left alone. */
export interface CrashHistory {
  /** `readyForMs`: how long the server had worked before it crashed; 0 if it never did. */
  crashed(readyForMs: number): void;
  /** Milliseconds until the next start is allowed; 0 if it is now. */
  refusedForMs(): number;
  readonly count: number;
}

export function createCrashHistory(): CrashHistory {
  let count = 0;
  // By a clock that nobody sets: with the time of day set back an hour, the server would be refused for an hour.
  let refusedUntil = 0;
  return {
    crashed(readyForMs) {
      count = readyForMs >= stableAfterMs ? 1 : count + 1;
      const doublings = count - freeCrashes - 1;
      if (doublings < 0) return;
      // Jitter, so that several workbenches whose servers fail together do not retry together.
      const refusalMs = Math.min(1000 * 2 ** doublings, longestRefusalMs) * (1 + Math.random() / 4);
      refusedUntil = performance.now() + refusalMs;
    },
    refusedForMs: () => Math.max(0, refusedUntil - performance.now()),
    get count() {
      return count;
    },
  };
}
