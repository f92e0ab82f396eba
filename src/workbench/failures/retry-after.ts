import { DownstreamFailure } from '../../contract/downstream-failure.js';

/** Remembers until when a server asked not to be called. */
export interface RetryAfter {
  note(error: unknown): void;
  /** Why nothing may be sent now; undefined if it may. */
  refusal(): DownstreamFailure | undefined;
}

export function createRetryAfter(): RetryAfter {
  let until = 0;
  return {
    note(error) {
      if (!(error instanceof DownstreamFailure) || error.retryAfterMs === undefined) return;
      until = Math.max(until, performance.now() + error.retryAfterMs);
    },
    refusal() {
      // Nearly every server: the clock is not even read.
      if (until === 0) return undefined;
      const retryAfterMs = until - performance.now();
      if (retryAfterMs <= 0) return undefined;
      return new DownstreamFailure('wait', `asks to wait ${Math.ceil(retryAfterMs / 1000)} s`, { retryAfterMs });
    },
  };
}
