import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { InFlight } from '../../../jsonrpc/in-flight.js';
import { isRequest, isRequestId, type RequestId, type RpcMessage, type RpcRequest } from '../../../jsonrpc/messages.js';
import { messagePieces } from '../../../results/message-pieces.js';
import type { RefusedRequest } from '../../../session/transport.js';
import { OnlyDuringCalls } from '../../../workbench/asking/only-during-calls.js';
import { createEventStream, type EventStream } from '../exchange/event-stream.js';
import type { Exchange } from '../exchange/exchange.js';
import type { Ticking } from '../exchange/ticks.js';
import { type ClientSession, openClientSession } from '../sessions/client-session.js';
import type { User } from '../sessions/service.js';
import type { Stated } from '../sessions/session-ids.js';

/** A session of a legacy client, with the exchanges that are open and the stream for everything else. */
export interface LegacySession {
  readonly client: ClientSession;
  /** False if its id is in flight. */
  start(request: RpcRequest, exchange: Exchange): boolean;
  refuse(request: RefusedRequest, exchange: Exchange): boolean;
  /** A notification or a response. */
  notify(message: RpcMessage): void;
  /** False if there is one. */
  openStream(response: ServerResponse, headers: OutgoingHttpHeaders): boolean;
  /** When its id expires, in ms since 1970. */
  readonly validUntil: number;
}

/** For what belongs to no request. */
interface Stream extends Ticking {
  readonly events: EventStream;
  readonly response: ServerResponse;
}

/** The id of the handshake that is repeated when a session is opened: no client gets an answer to it. */
const handshakeId = 'mcp-workbench/handshake';

/** `closed`: it is no longer open. */
export function openLegacySession(user: User, { caller, validUntil }: Stated, closed: () => void): LegacySession {
  const { revision, client, capabilities } = caller;
  const running = new InFlight<Exchange>();
  let stream: Stream | undefined;
  const own: ClientSession = openClientSession(user, { client: client?.name ?? '', send, closed: leave });
  const { session } = own;
  const clientInfo = client ?? { name: 'unknown', version: '0' };
  const handshake = { protocolVersion: revision, capabilities, clientInfo };
  session.receive({ jsonrpc: '2.0', id: handshakeId, method: 'initialize', params: handshake });
  session.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });

  function send(message: RpcMessage, inReplyTo?: RequestId): void {
    if (!('method' in message)) {
      const exchange = running.get(message.id);
      if (exchange === undefined) return;
      end(message.id, exchange);
      exchange.answer(message, own.output.maxBytes);
      return;
    }
    const exchange = running.get(inReplyTo);
    if (exchange !== undefined && !exchange.isOver) exchange.event(message, own.output.maxBytes);
    else if (stream !== undefined) stream.events.send(messagePieces(message, own.output.maxBytes));
    // Nobody would ever answer it.
    else if (isRequest(message)) throw new OnlyDuringCalls('The client has no stream open that it could be asked in');
  }

  function begin(request: RpcRequest | Pick<RpcRequest, 'id'>, exchange: Exchange): boolean {
    const { id } = request;
    if (running.has(id)) return false;
    if ('jsonrpc' in request) exchange.pending = { request, caller };
    running.set(id, exchange);
    // A connection that closes cancels nothing: the call goes on, and its response is dropped. It still counts.
    exchange.onGone = () => void user.quota.inFlight++;
    own.busy++;
    own.usedAt = performance.now();
    return true;
  }

  function end(id: RequestId, exchange: Exchange): void {
    running.delete(id);
    if (exchange.isOver) user.quota.inFlight--;
    own.busy--;
    own.usedAt = performance.now();
  }

  function closeStream(): void {
    if (stream === undefined) return;
    user.service.ticks.delete(stream);
    stream.response.end();
    stream = undefined;
    own.isConnected = false;
    own.usedAt = performance.now();
  }

  /** What its client waits for would never come. */
  function leave(): void {
    closed();
    closeStream();
    for (const exchange of running.values()) {
      end(exchange.id, exchange);
      exchange.finish();
    }
  }

  return {
    client: own,
    start(request, exchange) {
      if (!begin(request, exchange)) return false;
      session.receive(request);
      return true;
    },
    refuse(refused, exchange) {
      if (!begin({ id: refused.id }, exchange)) return false;
      session.refuse(refused);
      return true;
    },
    notify(message) {
      own.usedAt = performance.now();
      session.receive(message);
      const isCancelled = 'method' in message && message.method === 'notifications/cancelled';
      const id = isCancelled ? message.params?.['requestId'] : undefined;
      const exchange = running.get(id);
      if (exchange === undefined || !isRequestId(id)) return;
      // A cancelled request gets no response.
      end(id, exchange);
      exchange.finish();
    },
    openStream(response, headers) {
      if (stream !== undefined) return false;
      const events = createEventStream(response, headers, user.unread);
      const tick = (now: number) => {
        // A response that waits for another one on its connection is not closed with it.
        if (response.req.socket.destroyed) closeStream();
        else events.tick(now);
      };
      stream = { events, response, tick };
      own.isConnected = true;
      user.service.ticks.add(stream);
      response.on('close', () => {
        if (stream?.response === response) closeStream();
      });
      return true;
    },
    validUntil,
  };
}
