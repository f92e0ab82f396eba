import type { ServerResponse } from 'node:http';

/** What waits for the clients of one principal to read it. */
export interface Unread {
  /** To be called after something was written. A client that stops reading is disconnected after a while. */
  watch(response: ServerResponse): void;
  readonly bytes: number;
}

/** What a socket takes without its client reading. */
const unnoticedBytes = 65_536;

/** `stalledAfterMs`: how long a client may read nothing while something waits for it. */
export function createUnread(stalledAfterMs: number): Unread {
  const lagging = new Set<ServerResponse>();

  return {
    watch(response) {
      if (response.writableLength <= unnoticedBytes || lagging.has(response)) return;
      const { socket } = response;
      // Node.js counts how much of a long write the client has taken: one that reads slowly is not disconnected.
      socket?.setTimeout(stalledAfterMs);
      const forget = () => {
        if (response.writableLength > 0 && !response.destroyed) return;
        lagging.delete(response);
        // A response that has ended leaves the connection to Node.js, which has set another time.
        if (!response.writableFinished) socket?.setTimeout(0);
        for (const event of ['drain', 'finish', 'close']) response.off(event, forget);
      };
      lagging.add(response);
      for (const event of ['drain', 'finish', 'close']) response.on(event, forget);
    },
    get bytes() {
      let sum = 0;
      for (const response of lagging) sum += response.writableLength;
      return sum;
    },
  };
}
