import * as http from 'node:http';
import type { Socket } from 'node:net';
import { hostOf, portOf } from './addresses.js';
import { codeOf, NetworkFailure, shownUrl } from './network-failure.js';
import type { Proxy } from './proxies.js';

/** The proxy does not open tunnels to this place. It may still forward a request in absolute form. */
export class TunnelRefused extends NetworkFailure {
  readonly isTunnel = true;
}

export function isTunnelRefused(error: unknown): error is TunnelRefused {
  return error instanceof Error && 'isTunnel' in error;
}

/** These mean that the proxy did try: the request itself would get the same answer. */
const triedStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/** Asks a proxy for a connection to the server of the URL, and returns it once it is open. */
export async function openTunnel(toProxy: Socket, url: URL, proxy: Proxy): Promise<Socket> {
  const { statusCode = 0, rest } = await answerToConnect(toProxy, url, proxy).catch((cause: unknown) => {
    throw codeOf(cause) === 'ECONNRESET' ? refused(url, proxy, 'without an answer', cause) : cause;
  });
  if (statusCode >= 200 && statusCode < 300) {
    if (rest.length > 0) toProxy.unshift(rest);
    return toProxy;
  }
  toProxy.destroy();
  if (statusCode === 407) throw proxyAuthenticationFailure(url, proxy);
  if (triedStatuses.has(statusCode)) {
    throw new NetworkFailure(
      `no connection to ${shownUrl(url)}: proxy ${proxy.shown} cannot reach the server (${statusCode}); check the host and the port`,
      { wasSent: false },
    );
  }
  throw refused(url, proxy, String(statusCode));
}

function refused(url: URL, { shown }: Proxy, how: string, cause?: unknown): TunnelRefused {
  return new TunnelRefused(
    `no connection to ${shownUrl(url)}: proxy ${shown} refused the connection (${how}); check that it allows ${hostOf(url)}:${portOf(url)}`,
    { wasSent: false, cause },
  );
}

export function proxyAuthenticationFailure(url: URL, { shown, variable }: Proxy): NetworkFailure {
  return new NetworkFailure(
    `no connection to ${shownUrl(url)}: proxy ${shown} requires authentication (407); check the user and password in ${variable}`,
    { wasSent: false },
  );
}

interface Answer {
  readonly statusCode: number | undefined;
  /** What came with the response and belongs to the tunnel. */
  readonly rest: Buffer;
}

function answerToConnect(toProxy: Socket, url: URL, { authorization }: Proxy): Promise<Answer> {
  const authority = `${url.hostname}:${portOf(url)}`;
  const request = http.request({
    createConnection: () => toProxy,
    method: 'CONNECT',
    path: authority,
    setHost: false,
    headers: {
      host: authority,
      ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
    },
  });
  return new Promise((resolve, reject) => {
    // Node.js emits this for every status.
    request.once('connect', ({ statusCode }, _socket, rest) => resolve({ statusCode, rest }));
    request.on('error', reject);
    request.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
    request.end();
  });
}
