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
import { createListening } from './listening.js';
import type { HttpResponse } from './network/network.js';
import {
  brokenOff,
  HttpFailure,
  type HttpProblem,
  isDecidedByStatus,
  mediaType,
  problemFrom,
  problemOf,
  sessionForgotten,
  unreachable,
  withoutResponse,
  wrongContent,
} from './problems.js';
import { createResumption } from './resumption.js';
import { sdkMessage, sdkOptions } from './sdk.js';

/** Marks which exchange a request of the SDK belongs to. It never leaves the program. */
const exchangeHeader = 'x-mcp-workbench-exchange';
/** A server should close the stream after its response. */
const lingerMs = 2_000;
/** A call waits for the answer. */
const maxPingMs = 5_000;

/**
 * Streamable HTTP. The SDK's transport makes the requests: session, revision, derived headers, authorization. It never gets a
 * body: it would parse, validate and change what is in it. For every response it is told `202 Accepted`.
 */
export function createStreamable(host: ChannelHost): Channel {
  const exchanges = new Map<string, Exchange>();
  let lastKey = 0;
  let isOver = false;
  /** On a revision: the handshake is over. */
  let isAgreed = false;
  /** Why the session is over. */
  let forgotten: HttpProblem | undefined;
  const transport = new StreamableHTTPClientTransport(host.url, {
    fetch: (url, init) => request(new URL(url), init),
    ...sdkOptions(host),
  });
  // `transport.start()` would only make a signal that every request is combined with; each has its own.
  const openStream = (lastEventId: string | undefined) => transport.resumeStream(lastEventId ?? '');
  const listening = createListening(host.intake, openStream);
  const resumption = createResumption(host, openStream);
  const answers = createAnswers(() => host.dropped());

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
      if (!isWaiting(exchange)) return accepted(response);
    }
    throw new HttpFailure(problemOf(response, body, hasAuthorization(host)));
  }

  async function answersPing(): Promise<boolean> {
    const key = String(++lastKey);
    const message = { jsonrpc: '2.0', id: `ping-${key}`, method: 'ping' } as const;
    // As if it were modern: a refusal of the ping itself needs no other ping.
    const ping: Exchange = { message, id: undefined, isModern: true, abort: new AbortController() };
    exchanges.set(key, ping);
    const timer = setTimeout(() => ping.abort.abort(), maxPingMs);
    const options = { requestSignal: ping.abort.signal, headers: { [exchangeHeader]: key } };
    await transport.send(sdkMessage(message), options).catch(() => {});
    clearTimeout(timer);
    exchanges.delete(key);
    if (ping.response !== undefined) drain(ping.response.body);
    return ping.response !== undefined;
  }

  function send(message: RpcMessage, headers: HeaderList): void {
    if (isCancelled(message)) return;
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
    if (isOver) return;
    const key = String(++lastKey);
    exchanges.set(key, exchange);
    await run(exchange, key, headers);
    exchanges.delete(key);
    if (forgotten !== undefined && !waiting().some(({ response }) => response === undefined)) endForgotten(forgotten);
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
      if (!exchange.abort.signal.aborted) failed(exchange, problemFrom(error, host.url));
    }
  }

  async function receive(exchange: Exchange, response: HttpResponse): Promise<void> {
    const { id, abort } = exchange;
    const { body, status, url } = response;
    if (id === undefined) return drain(body);
    if (status === 202 || status === 204) {
      drain(body);
      // Some legacy servers send the response on the stream for other messages, which is opened after the handshake.
      if (exchange.isModern || !isAgreed) failed(exchange, withoutResponse(response));
      return;
    }
    const type = mediaType(response.headers);
    if (type === 'text/event-stream') return receiveEvents(exchange, response);
    if (type !== 'application/json') {
      body.destroy();
      return failed(exchange, wrongContent(response));
    }
    try {
      await host.intake.json(body);
    } catch (error) {
      if (!abort.signal.aborted) failed(exchange, brokenOff(url, error));
      return;
    }
    if (isWaiting(exchange)) failed(exchange, withoutResponse(response));
  }

  async function receiveEvents(exchange: Exchange, { body, url }: HttpResponse): Promise<void> {
    const { id = '', isModern: isFinal, abort } = exchange;
    const stream = { lastEventId: undefined as string | undefined, retryMs: undefined as number | undefined };
    let linger: NodeJS.Timeout | undefined;
    let failure: unknown;
    try {
      await host.intake.events(body, {
        event(name, data) {
          if (name === 'message') host.intake.message(data);
          if (!host.isPending(id)) linger ??= setTimeout(() => body.destroy(), lingerMs).unref();
        },
        id(lastEventId) {
          stream.lastEventId = lastEventId;
        },
        retry(ms) {
          stream.retryMs = ms;
        },
      });
    } catch (error) {
      failure = error;
    }
    clearTimeout(linger);
    if (isOver || abort.signal.aborted || !host.isPending(id)) return;
    // Since 2026-07-28 a stream is not resumed.
    if (isFinal || stream.lastEventId === undefined) failed(exchange, brokenOff(url, failure));
    else await resumption.run(id, abort.signal, stream.lastEventId, stream.retryMs);
  }

  function failed(exchange: Exchange, problem: HttpProblem): void {
    if (isOver || exchange.id === undefined) return;
    if (problem.kind === 'forgotten') {
      host.failed(exchange.id, problem);
      // Others that were sent in the session will get the same answer: they can be sent again too, once they have it.
      if (forgotten === undefined) setTimeout(() => endForgotten(problem), lingerMs).unref();
      forgotten ??= problem;
      return;
    }
    // Calls that have a response stream are not given up because another could not be sent.
    const isAlone = problem.isUnsent === true && waiting().every((other) => other === exchange);
    host.failed(exchange.id, isAlone ? problem : { ...problem, ...(problem.isUnsent && unreachable) });
    if (isAlone) host.ended(problem);
  }

  function isWaiting({ id }: Exchange): boolean {
    return id !== undefined && host.isPending(id);
  }

  function waiting(): Exchange[] {
    return [...exchanges.values()].filter(({ id }) => id !== undefined);
  }

  function endForgotten(problem: HttpProblem): void {
    if (isOver) return;
    for (const { id } of waiting()) if (id !== undefined) host.failed(id, brokenOff(host.url));
    host.ended(problem);
  }

  /** With 2026-07-28 the end of the response stream is the cancellation; before, a message is, and the stream is not needed. */
  function isCancelled(message: RpcMessage): boolean {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return false;
    const requestId = message.params?.['requestId'];
    const exchange = [...exchanges.values()].find(({ id }) => id !== undefined && id === requestId);
    if (isModern(message)) exchange?.abort.abort();
    else setTimeout(() => exchange?.abort.abort(), lingerMs).unref();
    return isModern(message);
  }

  return {
    send,
    setRevision(revision) {
      isAgreed = true;
      transport.setProtocolVersion(revision);
    },
    async close() {
      isOver = true;
      listening.stop();
      for (const { abort } of exchanges.values()) abort.abort();
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
