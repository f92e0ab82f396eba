import type * as net from 'node:net';
import * as tls from 'node:tls';
import { connectTimeoutMs, tcpKeepAliveMs } from '../../../limits.js';
import { hostOf, literalAddress, portOf } from './addresses.js';
import { type AddressPolicy, AddressRefused, guardedLookup, isAddressRefused, isAllowed } from './guard.js';
import { isNetworkFailure, NetworkFailure, shownUrl } from './network-failure.js';
import { reasonOf } from './phrases.js';
import type { Proxy } from './proxies.js';
import { openTunnel } from './tunnel.js';

/** Node.js allows 250 ms, less than a handshake takes over a satellite. The last address has no such limit. */
const nextAddressAfterMs = 1_000;

/** How to reach the server of a URL. */
export interface Route {
  readonly url: URL;
  readonly proxy: Proxy | undefined;
  /** The proxy itself gets the request, with the whole URL in it: no tunnel. */
  readonly isAbsolute: boolean;
  readonly policy: AddressPolicy;
}

export interface Dialer {
  readonly lookup: net.LookupFunction;
  /** `net.connect`, but for tests. */
  readonly connect: (options: net.TcpNetConnectOpts) => net.Socket;
  /** Undefined: that of this process. */
  readonly secureContext: tls.SecureContext | undefined;
  /** Every socket, from the moment it begins to connect. */
  readonly sockets: Set<net.Socket>;
}

export interface Connection {
  /** Ready for a request. No byte of one has been sent. */
  readonly socket: net.Socket;
  /** Of the server; undefined if only the proxy knows it. */
  readonly address: string | undefined;
}

/** Fails with a `NetworkFailure`, an `AddressRefused`, or the reason of the signal. */
export async function establish(dialer: Dialer, route: Route, signal: AbortSignal | undefined): Promise<Connection> {
  const attempt = new Attempt(dialer);
  const timer = setTimeout(() => attempt.stop(new ConnectTimeout()), connectTimeoutMs);
  const abort = () => attempt.stop(new ConnectTimeout());
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await reach(attempt, route);
  } catch (error) {
    attempt.stop();
    signal?.throwIfAborted();
    if (isNetworkFailure(error) || isAddressRefused(error)) throw error;
    throw connectFailure(route, attempt, error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** DNS, proxy, TCP and TLS took too long together. */
class ConnectTimeout extends Error {
  readonly code = 'ETIMEDOUT';
}

/** The sockets of one connection: TLS to the server inside TLS to a proxy has three. */
class Attempt {
  readonly dialer: Dialer;
  /** Until the tunnel is open, failures are the proxy's. */
  isAtProxy = false;
  private readonly sockets: net.Socket[] = [];
  private stopped: Error | undefined;

  constructor(dialer: Dialer) {
    this.dialer = dialer;
  }

  /** Waits until a socket is connected. */
  async ready<S extends net.Socket>(socket: S, event: 'connect' | 'secureConnect'): Promise<S> {
    this.sockets.push(socket);
    this.dialer.sockets.add(socket);
    socket.once('close', () => this.dialer.sockets.delete(socket));
    await new Promise<void>((resolve, reject) => {
      socket.once(event, resolve);
      // It stays: an error without a listener would end the process, and each request has a listener of its own.
      socket.on('error', reject);
      socket.once('close', () => reject(this.stopped ?? new ConnectionClosed()));
      if (this.stopped !== undefined) socket.destroy(this.stopped);
    });
    return socket;
  }

  stop(reason: Error = new ConnectionClosed()): void {
    this.stopped ??= reason;
    for (const socket of this.sockets.toReversed()) socket.destroy(this.stopped);
  }
}

class ConnectionClosed extends Error {
  readonly code = 'ECONNRESET';
}

async function reach(attempt: Attempt, { url, proxy, isAbsolute, policy }: Route): Promise<Connection> {
  if (proxy === undefined) {
    const socket = await dial(attempt, url, policy);
    const { remoteAddress: address } = socket;
    return { socket: await securedFor(url, attempt, socket), address };
  }
  attempt.isAtProxy = true;
  // The user named the proxy: it may be anywhere.
  const plain = await dial(attempt, proxy.url, 'any');
  const toProxy = await securedFor(proxy.url, attempt, plain);
  if (isAbsolute) return { socket: toProxy, address: undefined };
  const tunnel = await openTunnel(toProxy, url, proxy);
  attempt.isAtProxy = false;
  return { socket: await securedFor(url, attempt, tunnel), address: undefined };
}

async function dial(attempt: Attempt, url: URL, policy: AddressPolicy): Promise<net.Socket> {
  const socket = await attempt.ready(
    attempt.dialer.connect({
      host: hostOf(url),
      port: portOf(url),
      lookup: guardedLookup(attempt.dialer.lookup, policy),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: tcpKeepAliveMs,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: nextAddressAfterMs,
    }),
    'connect',
  );
  // Already checked, in the URL or in the look-up; this is the address that counts.
  if (!isAllowed(socket.remoteAddress ?? '', policy)) throw new AddressRefused(policy);
  return socket;
}

async function securedFor(url: URL, attempt: Attempt, socket: net.Socket): Promise<net.Socket> {
  if (url.protocol === 'http:') return socket;
  const host = hostOf(url);
  // Server names are names: TLS does not allow an address there.
  const servername = literalAddress(url) === undefined ? host : '';
  const { secureContext } = attempt.dialer;
  const options = { socket, host, servername, ALPNProtocols: ['http/1.1'], ...(secureContext && { secureContext }) };
  return attempt.ready(tls.connect(options), 'secureConnect');
}

function connectFailure({ url, proxy }: Route, { isAtProxy }: Attempt, cause: unknown): NetworkFailure {
  const options = { wasSent: false, cause };
  if (!isAtProxy || proxy === undefined) {
    return new NetworkFailure(`no connection to ${shownUrl(url)}: ${reasonOf(cause)}`, options);
  }
  const advice = `check ${proxy.variable}, or add ${hostOf(url)} to NO_PROXY`;
  return new NetworkFailure(
    `no connection to ${shownUrl(url)}: proxy ${proxy.shown}: ${reasonOf(cause, advice)}`,
    options,
  );
}
