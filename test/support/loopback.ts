import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';
import { onTestFinished } from 'vitest';

// Servers on loopback that count what reaches them. Each ends with its test.

const tlsFile = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url));
const options = (certificate: 'server' | 'expired') => ({
  cert: tlsFile(`${certificate}-cert`),
  key: tlsFile(`${certificate}-key`),
});

/** The certificates of test/fixtures/tls, for servers. */
export const serverCertificate = options('server');
export const expiredCertificate = options('expired');

export interface Listening {
  readonly port: number;
  /** Connections so far. */
  readonly connections: () => number;
  /** Takes no more connections; open ones stay. */
  readonly refuse: () => void;
  /** Ends all connections and the server. */
  readonly stop: () => Promise<void>;
}

export async function listen(server: net.Server): Promise<Listening> {
  const sockets = new Set<net.Socket>();
  let connections = 0;
  server.on('connection', (socket: net.Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  return { port: address.port, connections: () => connections, refuse: () => void server.close(), stop };
}

export interface HttpServer extends Listening {
  /** `http://127.0.0.1:1234`. */
  readonly origin: string;
  /** Of every request, in the order of arrival. */
  readonly requests: ReceivedRequest[];
}

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export type Answer = (response: http.ServerResponse, request: ReceivedRequest) => void;

/** An HTTP server that reads each request as a whole, then answers; by default with `ok`. With `tls`, over TLS. */
export async function startHttpServer(
  answer: Answer = (response) => response.end('ok'),
  { tls }: { tls?: https.ServerOptions } = {},
): Promise<HttpServer> {
  const requests: ReceivedRequest[] = [];
  const listener: http.RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const received = { method, url, headers, body: Buffer.concat(chunks).toString() };
      requests.push(received);
      answer(response, received);
    });
  };
  const server = tls === undefined ? http.createServer(listener) : https.createServer(tls, listener);
  const listening = await listen(server);
  return { ...listening, origin: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${listening.port}`, requests };
}

/** A server that handles each connection by itself. */
export function startRawServer(onConnection: (socket: net.Socket) => void): Promise<Listening> {
  return listen(net.createServer(onConnection));
}

/** A port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const { port, stop } = await startRawServer(() => {});
  await stop();
  return port;
}
