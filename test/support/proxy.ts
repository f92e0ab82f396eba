import * as http from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';
import { type Listening, listen, serverCertificate } from './loopback.js';

export interface ProxyOptions {
  /** Asks for these, as `user:password`. */
  readonly credentials?: string;
  /** The status of the answer to CONNECT; `close` ends the connection without one. By default tunnels are opened. */
  readonly connectStatus?: number | 'close';
  /** The proxy itself is reached over TLS. */
  readonly isSecure?: boolean;
  /** Where hosts are, by `host:port`: a port on loopback. Others are used as they are. */
  readonly ports?: Readonly<Record<string, number>>;
}

export interface TestProxy extends Listening {
  /** For HTTP_PROXY and HTTPS_PROXY, with the credentials. */
  readonly url: string;
  /** Targets of the tunnels that were opened. */
  readonly tunnels: string[];
  /** URLs of the requests that were forwarded in absolute form. */
  readonly forwarded: string[];
  /** Headers of all that was asked for, refused or not. */
  readonly asked: http.IncomingHttpHeaders[];
}

/** A proxy on loopback: CONNECT, and requests in absolute form. */
export async function startProxy(options: ProxyOptions = {}): Promise<TestProxy> {
  const { credentials, connectStatus = 200, isSecure = false, ports = {} } = options;
  const tunnels: string[] = [];
  const forwarded: string[] = [];
  const asked: http.IncomingHttpHeaders[] = [];
  const expected = `Basic ${Buffer.from(credentials ?? '').toString('base64')}`;
  const isWelcome = ({ headers }: http.IncomingMessage) => {
    asked.push(headers);
    return credentials === undefined || headers['proxy-authorization'] === expected;
  };
  const placeOf = (authority: string) => {
    const port = ports[authority];
    const { hostname, port: ownPort } = new URL(`http://${authority}`);
    return port === undefined
      ? { host: hostname.replace(/^\[|\]$/g, ''), port: Number(ownPort || 80) }
      : { host: '127.0.0.1', port };
  };

  const forward: http.RequestListener = (request, response) => {
    const { url = '', method, headers } = request;
    if (!isWelcome(request)) return void response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end();
    forwarded.push(url);
    const target = new URL(url);
    const { 'proxy-authorization': _own, ...rest } = headers;
    const place = placeOf(`${target.hostname}:${target.port || 80}`);
    const onward = http.request({ ...place, method, path: `${target.pathname}${target.search}`, headers: rest });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.writeHead(502).end());
    request.pipe(onward);
  };

  const server = isSecure ? https.createServer(serverCertificate, forward) : http.createServer(forward);
  server.on('connect', (request: http.IncomingMessage, socket: net.Socket, head: Buffer) => {
    const refuse = (status: number) => socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    socket.on('error', () => {});
    if (connectStatus === 'close') return void socket.destroy();
    if (!isWelcome(request)) return void refuse(407);
    if (connectStatus !== 200) return void refuse(connectStatus);
    const { url: authority = '' } = request;
    tunnels.push(authority);
    const onward = net.connect(placeOf(authority));
    onward.on('error', () => refuse(502));
    socket.on('close', () => onward.destroy());
    onward.on('close', () => socket.destroy());
    onward.on('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
  });
  const listening = await listen(server);
  const userinfo = credentials === undefined ? '' : `${credentials.split(':').map(encodeURIComponent).join(':')}@`;
  const url = `${isSecure ? 'https' : 'http'}://${userinfo}127.0.0.1:${listening.port}`;
  return { ...listening, url, tunnels, forwarded, asked };
}
