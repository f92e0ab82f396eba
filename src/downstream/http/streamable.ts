import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { hasAuthorization } from '../../config/values/authorization-header.js';
import { isRequest, type RpcMessage } from '../../jsonrpc/messages.js';
import { maxTerminationMs } from '../../limits.js';
import { settlesWithin } from '../../platform/time-limit.js';
import type { HeaderList } from '../protocol/wire.js';
import { createAnswers } from './answers.js';
import { drain, textOf } from './bodies.js';
import type { Channel, ChannelHost } from './channel.js';
import { type Exchange, isForgotten, isModern, isResponseTo } from './exchange.js';
import { createExchanges } from './exchanges.js';
import { createListening } from './listening.js';
import type { HttpResponse } from './network/network.js';
import { HttpFailure, isDecidedByStatus, problemFrom, problemOf, sessionForgotten } from './problems.js';
import { createReceiver } from './receive-response.js';
import { createResumption } from './resumption.js';
import { sdkMessage, sdkOptions } from './sdk.js';

/** Marks which exchange a request of the SDK belongs to. It never leaves the program. */
const exchangeHeader = 'x-mcp-workbench-exchange';
/** A call waits for the answer. */
const maxPingMs = 5_000;

/**
 * Streamable HTTP. The SDK's transport makes the requests: session, revision, derived headers, authorization. It never gets a
 * body: it would parse, validate and change what is in it. For every response it is told `202 Accepted`.
 */
export function createStreamable(host: ChannelHost): Channel {
  const exchanges = createExchanges(host);
  /** On a revision: the handshake is over. */
  let isAgreed = false;
  let pings = 0;
  const transport = new StreamableHTTPClientTransport(host.url, {
    fetch: (url, init) => request(new URL(url), init),
    ...sdkOptions(host),
  });
  // `transport.start()` would only make a signal that every request is combined with; each has its own.
  const openStream = (lastEventId: string | undefined) => transport.resumeStream(lastEventId ?? '');
  const listening = createListening(host.intake, openStream);
  const resumption = createResumption(host, openStream);
  const answers = createAnswers(() => host.dropped());
  const receive = createReceiver(host, exchanges, resumption, () => isAgreed);

  async function request(url: URL, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const exchange = exchanges.get(headers.get(exchangeHeader) ?? '');
    headers.delete(exchangeHeader);
    const signal = init.signal ?? undefined;
    const sent = host.network.request({ url, method: methodOf(init), headers, body: bodyOf(init), signal });
    if (init.method === 'GET') return openedStream(headers.get('last-event-id') ?? undefined, sent);
    const response = await sent;
    if (exchange === undefined || !isOk(response)) return refused(exchange, response);
    exchange.response = response;
    return accepted(response);
  }

  async function openedStream(lastEventId: string | undefined, sent: Promise<HttpResponse>): Promise<Response> {
    const response = await sent.catch(() => undefined);
    if (!resumption.take(lastEventId, response)) {
      if (response === undefined) listening.failed();
      else listening.take(response);
    }
    // The SDK takes this for a server without such a stream.
    return new Response(null, { status: 405 });
  }

  async function refused(exchange: Exchange | undefined, response: HttpResponse): Promise<Response> {
    const body = await textOf(response.body);
    if (exchange === undefined) return new Response(null, { status: response.status < 200 ? 500 : response.status });
    if (transport.sessionId !== undefined && isForgotten(exchange, response, body)) {
      // 400 may also be about the message; a ping has no faults.
      if (response.status === 404 || !(await answersPing())) throw new HttpFailure(sessionForgotten(response.url));
    }
    if (isResponseTo(exchange, body) && !isDecidedByStatus(response)) {
      host.intake.message({ bytes: Buffer.from(body) });
      if (!exchanges.isWaiting(exchange)) return accepted(response);
    }
    throw new HttpFailure(problemOf(response, body, hasAuthorization(host)));
  }

  async function answersPing(): Promise<boolean> {
    const message = { jsonrpc: '2.0', id: `ping-${++pings}`, method: 'ping' } as const;
    // As if it were modern: a refusal of the ping itself needs no other ping.
    const ping: Exchange = { message, id: undefined, isModern: true, abort: new AbortController() };
    const key = exchanges.add(ping);
    const timer = setTimeout(() => ping.abort.abort(), maxPingMs);
    const options = { requestSignal: ping.abort.signal, headers: { [exchangeHeader]: key } };
    await transport.send(sdkMessage(message), options).catch(() => {});
    clearTimeout(timer);
    exchanges.remove(key);
    if (ping.response !== undefined) drain(ping.response.body);
    return ping.response !== undefined;
  }

  function send(message: RpcMessage, headers: HeaderList): void {
    if (exchanges.isCancelled(message)) return;
    const exchange: Exchange = {
      message,
      id: isRequest(message) ? message.id : undefined,
      isModern: isModern(message),
      abort: new AbortController(),
    };
    if (exchange.id !== undefined) void begin(exchange, headers);
    else answers.send({ deliver: () => begin(exchange, headers), giveUp: () => exchange.abort.abort() });
  }

  async function begin(exchange: Exchange, headers: HeaderList): Promise<void> {
    if (exchanges.isOver()) return;
    const key = exchanges.add(exchange);
    await run(exchange, key, headers);
    exchanges.remove(key);
  }

  async function run(exchange: Exchange, key: string, headers: HeaderList): Promise<void> {
    try {
      await transport.send(sdkMessage(exchange.message), {
        requestSignal: exchange.abort.signal,
        headers: Object.fromEntries([...headers, [exchangeHeader, key]]),
      });
      // Only now: the SDK has stored the session, which the next message needs.
      if (exchange.response !== undefined) await receive(exchange, exchange.response);
    } catch (error) {
      if (!exchange.abort.signal.aborted) exchanges.failed(exchange, problemFrom(error, host.url));
    }
  }

  return {
    send,
    setRevision(revision) {
      isAgreed = true;
      transport.setProtocolVersion(revision);
    },
    async close() {
      exchanges.end();
      listening.stop();
      if (transport.sessionId !== undefined) await settlesWithin(maxTerminationMs, transport.terminateSession());
    },
  };
}

function methodOf({ method }: RequestInit): 'GET' | 'POST' | 'DELETE' {
  return method === 'GET' || method === 'DELETE' ? method : 'POST';
}

function bodyOf({ body }: RequestInit): string | undefined {
  return typeof body === 'string' ? body : undefined;
}

function isOk({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

function accepted({ headers }: HttpResponse): Response {
  const session = headers['mcp-session-id'];
  return new Response(null, {
    status: 202,
    headers: typeof session === 'string' ? { 'mcp-session-id': session } : {},
  });
}
