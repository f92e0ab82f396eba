import { setTimeout as delay } from 'node:timers/promises';
import type { RequestId } from '../../jsonrpc/messages.js';
import { streamDelayMs } from './backoff.js';
import { drain } from './bodies.js';
import type { ChannelHost } from './channel.js';
import type { HttpResponse } from './network/network.js';
import { brokenOff, mediaType } from './problems.js';

const mostFailures = 3;

/** Asks for the rest of a response stream. The call itself is not sent again. */
export interface Resumption {
  run(id: RequestId, signal: AbortSignal, lastEventId: string, retryMs: number | undefined): Promise<void>;
  /** The response to a request for a stream, if there was one. False if it is not a stream that is resumed. */
  take(lastEventId: string | undefined, response: HttpResponse | undefined): boolean;
}

/** `open` requests a stream; its response arrives by `take`. */
export function createResumption(host: ChannelHost, open: (lastEventId: string) => Promise<void>): Resumption {
  const expected = new Map<string, (response: HttpResponse | undefined) => void>();

  async function reopen(lastEventId: string): Promise<HttpResponse | undefined> {
    let response: HttpResponse | undefined;
    expected.set(lastEventId, (taken) => {
      response = taken;
    });
    await open(lastEventId).catch(() => {});
    expected.delete(lastEventId);
    if (response?.status === 200 && mediaType(response.headers) === 'text/event-stream') return response;
    if (response !== undefined) drain(response.body);
    return undefined;
  }

  return {
    async run(id, signal, lastEventId, retryMs) {
      const stream = { lastEventId, retryMs };
      let failures = 0;
      while (failures < mostFailures) {
        await delay(streamDelayMs(failures, stream.retryMs), undefined, { signal, ref: false }).catch(() => {});
        if (signal.aborted || !host.isPending(id)) return;
        const response = await reopen(stream.lastEventId);
        failures = response === undefined ? failures + 1 : 0;
        if (response === undefined) continue;
        const stop = () => response.body.destroy();
        signal.addEventListener('abort', stop, { once: true });
        await host.intake
          .events(response.body, {
            event(name, data) {
              if (name === 'message') host.intake.message(data);
              if (!host.isPending(id)) response.body.destroy();
            },
            id(next) {
              stream.lastEventId = next;
            },
            retry(ms) {
              stream.retryMs = ms;
            },
          })
          .catch(() => {});
        signal.removeEventListener('abort', stop);
        if (signal.aborted || !host.isPending(id)) return;
      }
      host.failed(id, brokenOff(host.url));
    },

    take(lastEventId, response) {
      const taken = lastEventId === undefined ? undefined : expected.get(lastEventId);
      taken?.(response);
      return taken !== undefined;
    },
  };
}
