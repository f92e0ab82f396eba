import { maxUnreadBytes } from '../exchange/limits.js';
import { type Refusal, tooMany } from '../exchange/refusal.js';
import type { Unread } from '../exchange/unread.js';

export interface QuotaLimits {
  readonly requestsPerSecond: number;
  readonly inFlight: number;
}

/** How much one principal may ask for. */
export interface Quota {
  /** Counts what it sends, and says why it is not read. `now` in ms. */
  take(now: number): Refusal | undefined;
  /** Why one more request is refused. What belongs to those in flight, such as their cancellation, is not. */
  readonly full: Refusal | undefined;
  /** Its requests that are not answered yet. */
  inFlight: number;
  /** Those whose bodies have not arrived yet. */
  reading: number;
}

const burstSeconds = 2;
const tooManyInFlight = tooMany('Too many requests in flight; retry when some have been answered');

export function createQuota({ requestsPerSecond, inFlight }: QuotaLimits, unread: Unread): Quota {
  const most = requestsPerSecond * burstSeconds;
  let left = most;
  let last = Number.NaN;
  const quota: Quota = {
    inFlight: 0,
    reading: 0,
    get full() {
      return quota.inFlight < inFlight ? undefined : tooManyInFlight;
    },
    take(now) {
      if (!Number.isNaN(last)) left = Math.min(most, left + ((now - last) / 1_000) * requestsPerSecond);
      last = now;
      if (left < 1) return tooMany('Too many requests; retry later');
      left--;
      if (quota.reading >= inFlight) return tooManyInFlight;
      if (unread.bytes > maxUnreadBytes) return tooMany('Responses wait to be read; read them, then retry');
      return undefined;
    },
  };
  return quota;
}
