import { maxRetryAfterMs } from '../../limits.js';

const firstMs = 1_000;
const mostMs = 30_000;
const leastMs = 100;

/** How long to wait before a stream is requested again. `retryMs`: what the server asks for. */
export function streamDelayMs(failures: number, retryMs: number | undefined): number {
  const wanted = retryMs ?? Math.min(firstMs * 1.5 ** failures, mostMs);
  // A timer of more than 24 days would fire at once.
  return Math.min(Math.max(leastMs, wanted), maxRetryAfterMs);
}
