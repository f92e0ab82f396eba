import type { ServerResponse } from 'node:http';
import { stalledAfterMs } from './limits.js';
import type { Ticking, Ticks } from './ticks.js';

/** What waits for the clients of one principal to read it. */
export interface Unread {
  /** To be called after something was written. A client that stops reading is disconnected after a while. */
  watch(response: ServerResponse): void;
  readonly bytes: number;
}

/** What a socket takes without its client reading. */
const unnoticedBytes = 65_536;

export function createUnread(ticks: Ticks): Unread {
  const lagging = new Map<ServerResponse, Ticking>();

  return {
    watch(response) {
      if (response.writableLength <= unnoticedBytes || lagging.has(response)) return;
      let least = response.writableLength;
      let since = performance.now();
      const watch: Ticking = {
        tick(now) {
          const waits = response.writableLength;
          if (waits < least || waits === 0) since = now;
          least = Math.min(least, waits);
          if (now - since > stalledAfterMs) response.destroy();
        },
      };
      const forget = () => {
        if (response.writableLength > 0 && !response.destroyed) {
          least = response.writableLength;
          return;
        }
        lagging.delete(response);
        ticks.delete(watch);
        for (const event of ['drain', 'finish', 'close']) response.off(event, forget);
      };
      lagging.set(response, watch);
      ticks.add(watch);
      for (const event of ['drain', 'finish', 'close']) response.on(event, forget);
    },
    get bytes() {
      let sum = 0;
      for (const response of lagging.keys()) sum += response.writableLength;
      return sum;
    },
  };
}
