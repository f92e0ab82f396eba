import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Pieces } from '../../../results/held-bytes.js';
import { commentEveryMs } from './limits.js';
import { plainHeaders } from './refusal.js';
import type { Ticking } from './ticks.js';
import type { Unread } from './unread.js';

/** A response of `text/event-stream`. */
export interface EventStream extends Ticking {
  send(pieces: Pieces): void;
  /** Sends a last event, if there is one, and ends the response. */
  end(pieces: Pieces): void;
}

/** Sends the headers at once. A silent stream gets a comment now and then, so that nobody between takes it for dead. */
export function createEventStream(response: ServerResponse, headers: OutgoingHttpHeaders, unread: Unread): EventStream {
  response.writeHead(200, {
    ...plainHeaders,
    ...headers,
    'Content-Type': 'text/event-stream',
    // Proxies such as nginx would keep events back until there are many.
    'X-Accel-Buffering': 'no',
  });
  response.flushHeaders();
  let last = performance.now();

  function write(pieces: Pieces): void {
    last = performance.now();
    response.cork();
    response.write('event: message\ndata: ');
    for (const piece of pieces) response.write(piece);
    response.write('\n\n');
    response.uncork();
    unread.watch(response);
  }

  return {
    send: write,
    end(pieces) {
      if (pieces.length > 0) write(pieces);
      response.end();
    },
    tick(now) {
      // A comment would make a client that does not read look alive.
      if (now - last < commentEveryMs || response.writableLength > 0) return;
      last = now;
      response.write(':\n\n');
      unread.watch(response);
    },
  };
}
