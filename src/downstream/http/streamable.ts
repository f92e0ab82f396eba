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
import { HttpFailure, isDecidedByStatus, isOk, problemFrom, problemOf, sessionForgotten } from './problems.js';
import { createReceiver } from './receive-response.js';
import { bodyHeaders, composeHeaders } from './request-headers.js';
import { createResumption } from './resumption.js';

/** A call waits for the answer. */
const maxPingMs = 5_000;
/** Since the end of the handshake. Some servers send the headers of a stream with its first event. */
const maxListeningMs = 500;

/** Streamable HTTP: a POST for each message, with its response in the body; a GET for what belongs to no request. */
export function createStreamable(host: ChannelHost): Channel {
  const exchanges = createExchanges(host);
  let session: string | undefined;
  /** The one agreed on in the handshake of a legacy server, once that is over. */
  let revision: string | undefined;
  let pings = 0;
  /** A server sends questions that name no call of ours in its stream: those from before it is open are lost, and the call waits for ever. */
  let isListening: Promise<boolean> | undefined;
  const listening = createListening(host.intake, requestStream);
  const resume = createResumption(host, requestStream);
  const answers = createAnswers(() => host.dropped());
  const receive = createReceiver(host, exchanges, resume, () => revision !== undefined);

  function headersWith(own: HeaderList, accepted: readonly string[]): HeaderList {
    const ofSession = [['mcp-session-id', session] as const, ['mcp-protocol-version', revision] as const];
    return composeHeaders(host.headers, [...ofSession, ...own], accepted);
  }

  function post(message: RpcMessage, signal: AbortSignal, own: HeaderList = []): Promise<HttpResponse> {
    const headers = headersWith(
      [...bodyHeaders(message), ...own, ['content-type', 'application/json']],
      ['application/json', 'text/event-stream'],
    );
    return host.network.request({
      url: host.url,
      method: 'POST',
      // A new session begins.
      headers: isInitialize(message) ? headers.filter(([name]) => name !== 'mcp-session-id') : headers,
      body: JSON.stringify(message),
      signal,
    });
  }

  function requestStream(lastEventId: string | undefined, signal?: AbortSignal): Promise<HttpResponse> {
    const own = lastEventId === undefined ? [] : [['last-event-id', lastEventId] as const];
    return host.network.request({
      url: host.url,
      method: 'GET',
      headers: headersWith(own, ['text/event-stream']),
      signal,
    });
  }

  async function refused(exchange: Exchange, response: HttpResponse): Promise<void> {
    const body = await textOf(response.body);
    if (session !== undefined && isForgotten(exchange, response, body)) {
      // 400 may also be about the message; a ping has no faults.
      if (response.status === 404 || !(await answersPing())) throw new HttpFailure(sessionForgotten(response.url));
    }
    if (isResponseTo(exchange, body) && !isDecidedByStatus(response)) {
      host.intake.message({ bytes: Buffer.from(body) });
      if (!exchanges.isWaiting(exchange)) return;
    }
    throw new HttpFailure(problemOf(response, body, hasAuthorization(host)));
  }

  async function answersPing(): Promise<boolean> {
    const message = { jsonrpc: '2.0', id: `ping-${++pings}`, method: 'ping' } as const;
    const ping: Exchange = { message, id: undefined, isModern: false, abort: new AbortController() };
    exchanges.add(ping);
    const timer = setTimeout(() => ping.abort.abort(), maxPingMs);
    const response = await post(message, ping.abort.signal).catch(() => undefined);
    clearTimeout(timer);
    exchanges.remove(ping);
    if (response !== undefined) drain(response.body);
    return response !== undefined && isOk(response);
  }

  function send(message: RpcMessage, headers: HeaderList): void {
    if (exchanges.isCancelled(message)) return;
    if (isInitialized(message)) isListening = settlesWithin(maxListeningMs, listening.answered);
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
    exchanges.add(exchange);
    await run(exchange, headers).catch((error: unknown) => {
      if (!exchange.abort.signal.aborted) exchanges.failed(exchange, problemFrom(error, host.url));
    });
    exchanges.remove(exchange);
  }

  async function run(exchange: Exchange, headers: HeaderList): Promise<void> {
    const { message, abort } = exchange;
    if (isListening !== undefined && isCall(message)) {
      await isListening;
      // Cancelled before it was sent.
      if (!exchanges.isWaiting(exchange)) return;
    }
    const response = await post(message, abort.signal, headers);
    if (!isOk(response)) return refused(exchange, response);
    exchange.response = response;
    // Before the body is read: the next message needs it.
    if (isInitialize(message)) session = sessionOf(response);
    if (isInitialized(message)) listening.open();
    return receive(exchange, response);
  }

  async function endSession(): Promise<void> {
    const { body } = await host.network.request({ url: host.url, method: 'DELETE', headers: headersWith([], []) });
    await textOf(body);
  }

  return {
    send,
    setRevision(agreed) {
      revision = agreed;
    },
    async close() {
      exchanges.end();
      listening.stop();
      if (session !== undefined) await settlesWithin(maxTerminationMs, endSession());
    },
  };
}

function isInitialize(message: RpcMessage): boolean {
  return isRequest(message) && message.method === 'initialize';
}

function isInitialized(message: RpcMessage): boolean {
  return 'method' in message && message.method === 'notifications/initialized';
}

function isCall(message: RpcMessage): boolean {
  return isRequest(message) && message.method === 'tools/call';
}

function sessionOf({ headers }: HttpResponse): string | undefined {
  const { 'mcp-session-id': session } = headers;
  return typeof session === 'string' && session !== '' ? session : undefined;
}
