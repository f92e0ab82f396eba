import * as http from 'node:http';
import * as https from 'node:https';
import type * as net from 'node:net';
import type { Readable } from 'node:stream';
import { NetworkFailure, shownUrl } from './network-failure.js';

export interface HttpRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Iterable<readonly [string, string]>;
  readonly body?: string | Buffer | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Readable;
  readonly url: URL;
  readonly droppedHeaders: boolean;
}

export interface NetworkOptions {
  readonly configured: URL;
  readonly ownHeaders: Iterable<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly lookup?: net.LookupFunction;
}

export interface Network {
  request(request: HttpRequest): Promise<HttpResponse>;
  close(): void;
}

export function createNetwork({ configured }: NetworkOptions): Network {
  const { Agent, request: open } = configured.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true });
  return {
    request: ({ url, method, headers, body, signal }) =>
      new Promise((resolve, reject) => {
        const sent = open(url, { method, headers: Object.fromEntries(headers), agent, signal }, (response) =>
          resolve({
            status: response.statusCode ?? 0,
            statusText: response.statusMessage ?? '',
            headers: response.headers,
            body: response,
            url,
            droppedHeaders: false,
          }),
        );
        sent.on('error', (error: NodeJS.ErrnoException) => {
          const isUnsent = error.code === 'ECONNREFUSED' || error.code === 'ENOTFOUND';
          reject(
            new NetworkFailure(`no connection to ${shownUrl(url)}: ${error.code}`, {
              wasSent: !isUnsent,
              cause: error,
            }),
          );
        });
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}
