import * as http from 'node:http';
import type { Socket } from 'node:net';
import { codeOf, NetworkFailure, shownUrl } from './network-failure.js';
import { reasonOf } from './phrases.js';
import type { PooledRequest, SocketPool } from './socket-pool.js';

export interface Message {
  readonly url: URL;
  readonly method: string;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: string | Buffer | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface SentMessage extends Message {
  /** Of the request line: a path, or for a proxy the whole URL. */
  readonly path: string;
}

/**
 * Sends a request once, on an idle connection of the pool or on the fresh one, and returns the head of the response. If the
 * connection ends before the body does, the body fails.
 */
export function exchange(
  pool: SocketPool,
  fresh: Socket | undefined,
  message: SentMessage,
): Promise<http.IncomingMessage> {
  const { url, signal } = message;
  const options: PooledRequest = {
    agent: pool,
    fresh,
    host: url.hostname,
    method: message.method,
    path: message.path,
    setHost: false,
  };
  return new Promise((resolve, reject) => {
    let problem: unknown;
    let response: http.IncomingMessage | undefined;
    const request = begin(options, message);
    request.once('socket', (socket) => {
      if (fresh !== undefined && fresh !== socket) fresh.destroy();
      // Before Node's own listener, which would fail the body with a message of its own.
      socket.prependListener('close', onClose);
      request.once('close', () => socket.off('close', onClose));
    });
    request.once('response', (received) => {
      response = received;
      pool.noteResponse(received);
      resolve(received);
    });
    request.on('error', (error) => {
      problem ??= error;
      onClose();
    });
    request.once('close', () => {
      signal?.removeEventListener('abort', onAbort);
      onClose();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    request.end(message.body);

    function onAbort(): void {
      const reason: unknown = signal?.reason;
      const error = reason instanceof Error ? reason : new Error('aborted', { cause: reason });
      reject(error);
      (response ?? request).destroy(error);
    }

    function onClose(): void {
      if (response === undefined) reject(noResponse(url, problem, fresh !== undefined));
      else if (!response.complete) response.destroy(brokenOff(url, problem));
    }
  });
}

function begin(options: PooledRequest, { url, headers, body }: SentMessage): http.ClientRequest {
  let request: http.ClientRequest | undefined;
  try {
    request = http.request(options);
    for (const [name, values] of headers) request.setHeader(name, values.length === 1 ? String(values[0]) : values);
    // Node.js sends the body of a DELETE without its length: it would pass for another request.
    if (body !== undefined) request.setHeader('content-length', Buffer.byteLength(body));
    return request;
  } catch (cause) {
    request?.on('error', () => {});
    request?.destroy();
    options.fresh?.destroy();
    throw new NetworkFailure(`no request to ${shownUrl(url)}: ${reasonOf(cause)}`, { wasSent: false, cause });
  }
}

class ConnectionLost extends Error {
  readonly code = 'ECONNRESET';
}

function noResponse(url: URL, cause: unknown = new ConnectionLost(), isFirst: boolean): NetworkFailure {
  // What most servers do with a request that they expect to be encrypted.
  const mayBeTls = isFirst && url.protocol === 'http:' && codeOf(cause) === 'ECONNRESET';
  const advice = mayBeTls ? 'check that the server runs, and whether the URL must begin with https://' : undefined;
  return new NetworkFailure(`no response from ${shownUrl(url)}: ${reasonOf(cause, advice)}`, { wasSent: true, cause });
}

export function brokenOff(url: URL, cause: unknown = new ConnectionLost()): NetworkFailure {
  return new NetworkFailure(`the response of ${shownUrl(url)} broke off: ${reasonOf(cause)}`, { wasSent: true, cause });
}
