import * as dns from 'node:dns';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import * as net from 'node:net';
import type { Readable } from 'node:stream';
import { decodeBody } from './decode-body.js';
import { type Dialer, establish, type Route } from './establish.js';
import { brokenOff, exchange, type Message, type SentMessage } from './exchange.js';
import { createGuard, isAddressRefused, urlProblem } from './guard.js';
import { createRequestHeaders } from './headers.js';
import { NetworkFailure, shownUrl } from './network-failure.js';
import { createProxies } from './proxies.js';
import { createRedirects, discard } from './redirects.js';
import { secureContextWith } from './secure-context.js';
import { SocketPool } from './socket-pool.js';
import { isTunnelRefused, proxyAuthenticationFailure } from './tunnel.js';

export { isNetworkFailure, NetworkFailure, shownUrl } from './network-failure.js';

export interface HttpRequest {
  /** On another origin than the configured one, it was learned from a server: see guard.ts. */
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Iterable<readonly [string, string]>;
  readonly body?: string | Buffer | undefined;
  /** Ends the request, or its response, with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Whether a redirect is the response: for bodies that only one server may get. */
  readonly keepsRedirects?: boolean;
}

export interface HttpResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  /** Decoded (gzip, deflate, br). Fails with a `NetworkFailure` if the connection ends before it does. */
  readonly body: Readable;
  /** Where it came from, after redirects. */
  readonly url: URL;
  /** Whether the headers of the configuration were not sent, because the response is from another origin. */
  readonly droppedHeaders: boolean;
}

export interface NetworkOptions {
  readonly configured: URL;
  /** Names of the headers of the configuration entry: never sent to another origin. */
  readonly ownHeaders: Iterable<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A file with authorities that are trusted beside those of this process. */
  readonly certificates?: string | undefined;
  /** For tests: `dns.lookup` by default. */
  readonly lookup?: net.LookupFunction;
  /** For tests: `net.connect` by default. */
  readonly connect?: (options: net.TcpNetConnectOpts) => net.Socket;
}

export interface Network {
  /** Fails with a `NetworkFailure`, or with the reason of the signal. Nothing is ever sent twice. */
  request(request: HttpRequest): Promise<HttpResponse>;
  /** Why a URL must not be opened, as far as the URL itself says; undefined if it may. */
  problemOf(url: URL): string | undefined;
  /** Destroys every connection. */
  close(): void;
}

/** A server could redirect each request to another origin. */
const maxPools = 20;

/** The network as one configured server is allowed to use it. */
export function createNetwork(options: NetworkOptions): Network {
  const { configured, ownHeaders, env, certificates, lookup = dns.lookup, connect = net.connect } = options;
  const guard = createGuard(configured);
  const proxyFor = createProxies(env);
  const own = new Set(Array.from(ownHeaders, (name) => name.toLowerCase()));
  const dialer: Dialer = { lookup, connect, secureContext: secureContextWith(certificates), sockets: new Set() };
  const pools = new Map<string, SocketPool>();
  let hasTunnels = true;
  let isClosed = false;

  async function request(wanted: HttpRequest): Promise<HttpResponse> {
    const { method, body, signal, keepsRedirects = false } = wanted;
    const headers = createRequestHeaders({ ...wanted, configured, ownHeaders: own });
    let url = withoutUser(wanted.url);
    let learnedFrom: URL | undefined;
    const redirects = createRedirects(url);
    for (;;) {
      const route = routeTo(url, learnedFrom);
      const response = await send(route, { url, method, body, signal, headers: headers.to(url) }, learnedFrom);
      const target = keepsRedirects ? undefined : orDestroy(response, () => redirects.next(method, url, response));
      if (target === undefined) return readableResponse(url, response, headers.areDropped());
      await discard(response);
      headers.redirected(url, target);
      [learnedFrom, url] = [url, target];
    }
  }

  function routeTo(url: URL, learnedFrom: URL | undefined): Route {
    const policy = guard.policyFor(url);
    const proxy = proxyFor(url);
    const problem = urlProblem(url, policy, proxy !== undefined);
    if (problem !== undefined) throw refused(url, learnedFrom, problem);
    return { url, policy, proxy, isAbsolute: proxy !== undefined && url.protocol === 'http:' && !hasTunnels };
  }

  async function send(route: Route, message: Message, learnedFrom: URL | undefined): Promise<IncomingMessage> {
    const pool = poolFor(route);
    const sent = inFormOf(route, message);
    await pool.readNews();
    message.signal?.throwIfAborted();
    if (isClosed) throw closed(route.url);
    // Nothing may happen between this question and the use of the connection.
    if (pool.hasIdle()) return answerOf(route, await exchange(pool, undefined, sent));
    const fresh = await open(route, message.signal, learnedFrom);
    if (fresh === undefined) return send({ ...route, isAbsolute: true }, message, learnedFrom);
    return answerOf(route, await exchange(pool, fresh, sent));
  }

  /** Undefined if the proxy has no tunnels and the request must be sent in absolute form. */
  async function open(
    route: Route,
    signal: AbortSignal | undefined,
    learnedFrom: URL | undefined,
  ): Promise<net.Socket | undefined> {
    try {
      const { socket, address } = await establish(dialer, route, signal);
      if (address !== undefined && route.url.origin === configured.origin) guard.connectedTo(address);
      return socket;
    } catch (error) {
      if (isAddressRefused(error)) throw refused(route.url, learnedFrom, error.reason);
      if (!isTunnelRefused(error) || route.url.protocol === 'https:') throw error;
      hasTunnels = false;
      return undefined;
    }
  }

  /** Each way to a server has a pool of its own, so that no request uses a connection that it could not have made. */
  function poolFor({ url, policy, isAbsolute }: Route): SocketPool {
    const key = `${policy} ${url.origin} ${isAbsolute}`;
    const pool = pools.get(key) ?? new SocketPool();
    // Connections of forgotten pools end by themselves.
    if (pools.size >= maxPools) pools.clear();
    pools.set(key, pool);
    return pool;
  }

  return {
    request,
    problemOf: (url) => urlProblem(url, guard.policyFor(url), proxyFor(url) !== undefined),
    close() {
      isClosed = true;
      for (const socket of dialer.sockets) socket.destroy();
    },
  };
}

/** For a proxy without tunnels, the request line has the whole URL, and the headers have the password for the proxy. */
function inFormOf({ url, proxy, isAbsolute }: Route, message: Message): SentMessage {
  const path = `${url.pathname}${url.search}`;
  if (!isAbsolute) return { ...message, path };
  const { authorization } = proxy ?? {};
  const headers = new Map(message.headers);
  if (authorization !== undefined) headers.set('proxy-authorization', [authorization]);
  return { ...message, path: `${url.origin}${path}`, headers };
}

function answerOf({ url, proxy, isAbsolute }: Route, response: IncomingMessage): IncomingMessage {
  if (!isAbsolute || proxy === undefined || response.statusCode !== 407) return response;
  response.destroy();
  throw proxyAuthenticationFailure(url, proxy);
}

function readableResponse(url: URL, response: IncomingMessage, droppedHeaders: boolean): HttpResponse {
  const { statusCode: status = 0, statusMessage: statusText = '', headers } = response;
  const body = decodeBody(response, (cause) => brokenOff(url, cause));
  if (body !== undefined) return { status, statusText, headers, body, url, droppedHeaders };
  response.destroy();
  throw new NetworkFailure(
    `${shownUrl(url)} answered (${status}) in an unknown content encoding; check that the URL is that of an MCP server`,
    { wasSent: true },
  );
}

function closed(url: URL): NetworkFailure {
  return new NetworkFailure(`no connection to ${shownUrl(url)}: it was closed`, { wasSent: false });
}

function refused(url: URL, learnedFrom: URL | undefined, problem: string): NetworkFailure {
  const what =
    learnedFrom === undefined
      ? `refused to connect to ${shownUrl(url)}`
      : `${shownUrl(learnedFrom)} redirects to ${shownUrl(url)}, which is refused`;
  return new NetworkFailure(`${what}: ${problem}; if you trust it, configure that URL`, { wasSent: false });
}

function orDestroy<T>(response: IncomingMessage, decide: () => T): T {
  try {
    return decide();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

function withoutUser(url: URL): URL {
  const plain = new URL(url);
  plain.username = '';
  plain.password = '';
  return plain;
}
