import { DownstreamFailure } from '../../contract/downstream-failure.js';
import { RpcError } from './failures.js';
import type { Requests } from './requests.js';

const firstDelayMs = 1_000;
const longestDelayMs = 60_000;
/** One that lasted this long was not refused; the next delay is short again. */
const stableMs = 30_000;

interface Subscriber {
  readonly warn: (message: string) => void;
  /** Changes may have been missed. */
  readonly toolsChanged: () => void;
}

/**
 * Asks a modern server for notifications when its tools change. The request is pending as long as the connection lives; a
 * response would only end it. Over HTTP its stream can be lost alone: proxies end streams that are silent.
 */
export function subscribe(requests: Requests, subscriber: Subscriber): void {
  void keepSubscribed(requests, subscriber, firstDelayMs);
}

async function keepSubscribed(requests: Requests, subscriber: Subscriber, delayMs: number): Promise<void> {
  const since = performance.now();
  try {
    await requests.request('subscriptions/listen', { notifications: { toolsListChanged: true } }, {});
  } catch (error) {
    if (error instanceof RpcError) subscriber.warn(`its subscription to tool changes failed: ${error.message}`);
    if (!(error instanceof DownstreamFailure) || error.kind !== 'lost' || requests.isOver()) return;
    const isStable = performance.now() - since > stableMs;
    const nextMs = isStable ? firstDelayMs : delayMs;
    setTimeout(() => {
      if (requests.isOver()) return;
      void keepSubscribed(requests, subscriber, Math.min(nextMs * 2, longestDelayMs));
      subscriber.toolsChanged();
    }, nextMs).unref();
  }
}
