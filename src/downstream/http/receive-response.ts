import { drain } from './bodies.js';
import type { ChannelHost } from './channel.js';
import type { Exchange } from './exchange.js';
import { type Exchanges, lingerMs } from './exchanges.js';
import type { StreamPosition } from './intake.js';
import type { HttpResponse } from './network/network.js';
import { brokenOff, mediaType, withoutResponse, wrongContent } from './problems.js';
import type { Resume } from './resumption.js';

/** Reads the response to a message. */
export type ReceiveResponse = (exchange: Exchange, response: HttpResponse) => Promise<void>;

/** `isAgreed`: on a revision; the handshake is over. */
export function createReceiver(
  host: ChannelHost,
  exchanges: Exchanges,
  resume: Resume,
  isAgreed: () => boolean,
): ReceiveResponse {
  async function receiveBody(exchange: Exchange, response: HttpResponse): Promise<void> {
    const { id, abort } = exchange;
    const { body, status, url } = response;
    if (id === undefined) return drain(body);
    if (status === 202 || status === 204) {
      drain(body);
      // Some legacy servers send the response on the stream for other messages, which is opened after the handshake.
      if (exchange.isModern || !isAgreed()) exchanges.failed(exchange, withoutResponse(response));
      return;
    }
    const type = mediaType(response.headers);
    if (type === 'text/event-stream') return receiveEvents(exchange, response);
    if (type !== 'application/json') {
      body.destroy();
      return exchanges.failed(exchange, wrongContent(response));
    }
    try {
      await host.intake.json(body);
    } catch (error) {
      if (!abort.signal.aborted) exchanges.failed(exchange, brokenOff(url, error));
      return;
    }
    if (exchanges.isWaiting(exchange)) exchanges.failed(exchange, withoutResponse(response));
  }

  async function receiveEvents(exchange: Exchange, { body, url }: HttpResponse): Promise<void> {
    const { id = '', isModern: isFinal, abort } = exchange;
    const position: StreamPosition = {};
    let linger: NodeJS.Timeout | undefined;
    let failure: unknown;
    try {
      await host.intake.events(body, position, () => {
        if (!host.isPending(id)) linger ??= setTimeout(() => body.destroy(), lingerMs).unref();
      });
    } catch (error) {
      failure = error;
    }
    clearTimeout(linger);
    if (exchanges.isOver() || abort.signal.aborted || !host.isPending(id)) return;
    // Since 2026-07-28 a stream is not resumed.
    if (isFinal || position.lastEventId === undefined) exchanges.failed(exchange, brokenOff(url, failure));
    else await resume(id, abort.signal, position);
  }

  return receiveBody;
}
