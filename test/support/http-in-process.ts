import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { HttpSettings } from '../../src/config/http/settings.js';
import { findConfiguration } from '../../src/config/read/configuration.js';
import { headerValue } from '../../src/downstream/http/param-headers.js';
import { createLog } from '../../src/platform/log.js';
import { createEngineOf } from '../../src/serve/http/engine-of-service.js';
import { createHttpService, type ServiceParts } from '../../src/serve/http/http-service.js';
import type { Identifier } from '../../src/serve/http/identity/identify.js';
import { createServiceLogins } from '../../src/serve/http/login/service-logins.js';
import { createLiveConfiguration } from '../../src/session/configuration/live-configuration.js';
import { localUser, type Principal } from '../../src/session/principal.js';
import { type TestConfig, withMarker, writeConfig } from './configs.js';
import { type LaunchOptions, preparePlace, stopWhenTestFinishes } from './launch.js';
import { modern } from './workbench.js';

type Options = Pick<LaunchOptions, 'config' | 'configText'> & {
  readonly settings?: Partial<HttpSettings>;
  /** Whose requests come with a token; by default those of one person, whose token is `token`. */
  readonly principals?: Readonly<Record<string, Principal>>;
  readonly identifier?: Identifier;
  readonly secret?: Buffer;
} & Pick<ServiceParts, 'bounds'>;

/** The service in this process, on an engine in this process. The servers are processes. */
export interface ServiceInProcess {
  readonly port: number;
  /** Of the endpoint. */
  readonly url: string;
  readonly marker: string;
  readonly dir: string;
  /** Everything that the service has logged. */
  readonly log: () => string;
  /** Whether the engine was asked for, that is, whether there was a call. */
  readonly hasEngine: () => boolean;
  /** Writes another configuration, which the service uses at once. */
  readonly edit: (config: TestConfig) => Promise<void>;
  readonly close: () => Promise<void>;
}

export const token = 'token';

export async function serveInProcess(options: Options = {}): Promise<ServiceInProcess> {
  const { settings: own, principals = { [token]: localUser }, identifier = admitting(principals), bounds } = options;
  const { marker, dir, home, path, env } = preparePlace(options);
  const computer = { env, cwd: home, platform: process.platform, home };
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line));
  const live = createLiveConfiguration(await findConfiguration(path, computer, log));
  const settings: HttpSettings = {
    ...{ listen: { host: '127.0.0.1', port: 0 }, isLoopback: true, url: undefined, path: '/mcp', auth: undefined },
    ...{
      origins: [],
      secrets: [],
      limits: { requestsPerSecond: 100_000, inFlight: 256, processesPerUser: 20, processes: 500 },
    },
    ...own,
  };
  const { secret = Buffer.alloc(32, 1) } = options;
  const logins = createServiceLogins({ settings, origin: () => 'http://127.0.0.1', computer, log });
  // The sockets are those of the program.
  const publisher = () => ({ publish() {}, close() {} });
  const engine = createEngineOf({ computer, settings, secret, isFrozen: false, logins, live, publisher, log });
  let hasEngine = false;
  const engineOf = () => ((hasEngine = true), engine());
  const service = createHttpService({ settings, computer, live, identifier, secret, engineOf, logins, log, bounds });
  const port = await service.listen();
  let closing: Promise<unknown> | undefined;
  const close = async () => {
    // The second one skips the waiting.
    closing ??= Promise.all([service.close(), service.close()]).then(() => engine.close());
    await closing;
  };
  stopWhenTestFinishes(marker, close);
  const edit = async (config: TestConfig) => {
    writeConfig(dir, withMarker(config, marker));
    live.take(await findConfiguration(path, computer, log));
  };
  const url = `http://127.0.0.1:${port}${settings.path}`;
  return { port, url, marker, dir, log: () => lines.join(''), hasEngine: () => hasEngine, edit, close };
}

function admitting(principals: Readonly<Record<string, Principal>>): Identifier {
  return {
    identify({ headers: { authorization = '' } }) {
      const principal = new Map(Object.entries(principals)).get(authorization.replace('Bearer ', ''));
      return principal === undefined
        ? { refused: { status: 401, challenge: 'Bearer', why: 'token-wrong' } }
        : { principal };
    },
    isReady: () => true,
    metadata: undefined,
    close() {},
  };
}

/** A principal of an issuer. */
export function principalNamed(subject: string): Principal {
  const key = Buffer.from(subject.padEnd(16, '.')).toString('hex').slice(0, 32);
  return { key, identity: { issuer: 'https://issuer.example', subject, issuedAt: 0, claims: new Map() } };
}

/** What a service has answered. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it came. */
  readonly text: string;
  /** The JSON document, or the last event of a stream. */
  readonly message: Received;
  /** The events of a stream. */
  readonly events: readonly Received[];
}

/** A message, whatever it is. */
export interface Received {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly [key: string]: unknown };
  readonly result?: {
    readonly content?: readonly { readonly text: string }[];
    readonly isError?: boolean;
    readonly [key: string]: unknown;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export type HeaderLines = Readonly<Record<string, string>>;

const plain = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };

export interface SendOptions {
  readonly headers?: HeaderLines;
  readonly signal?: AbortSignal;
}

/** POSTs anything. */
export async function send(
  { url }: Pick<ServiceInProcess, 'url'>,
  body: unknown,
  { headers, signal }: SendOptions = {},
): Promise<HttpAnswer> {
  return answerOf(await open({ url }, body, { ...(headers && { headers }), ...(signal && { signal }) }));
}

/** The same, without reading the answer. */
export function open(
  { url }: Pick<ServiceInProcess, 'url'>,
  body: unknown,
  { headers = {}, signal }: SendOptions = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { ...plain, Accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });
}

export async function answerOf(response: Response): Promise<HttpAnswer> {
  const { status, headers } = response;
  const text = await response.text();
  const isStream = headers.get('content-type') === 'text/event-stream';
  const events = isStream ? eventsIn(text) : [];
  const message: Received = isStream ? (events.at(-1) ?? {}) : text === '' ? {} : JSON.parse(text);
  return { status, headers, text, message, events };
}

export function eventsIn(text: string): Received[] {
  return Array.from(text.matchAll(/^data: (.*)$/gm), ([, data = '']) => JSON.parse(data));
}

/** The body of a modern request. */
export function modernBody(id: unknown, method: string, params: object = {}, client = 'raw', meta: object = {}) {
  return { jsonrpc: '2.0', id, method, params: modern(params, {}, meta, client) };
}

/** The headers that a modern request needs. */
export function modernHeaders(method: string, params: object = {}): Record<string, string> {
  const { name, uri, arguments: args } = { name: undefined, uri: undefined, arguments: undefined, ...params };
  const named: unknown = name ?? uri;
  const toolbox = toolboxIn(args);
  return {
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': method,
    ...(typeof named === 'string' && { 'Mcp-Name': headerValue(named) }),
    ...(toolbox !== undefined && { 'Mcp-Param-Toolbox': headerValue(toolbox) }),
  };
}

function toolboxIn(args: unknown): string | undefined {
  if (typeof args !== 'object' || args === null) return undefined;
  if ('toolbox' in args && typeof args.toolbox === 'string') return args.toolbox;
  return 'tool' in args ? toolboxIn(args.tool) : undefined;
}

interface ModernOptions extends SendOptions {
  readonly client?: string;
  readonly meta?: object;
  readonly id?: unknown;
}

/** A modern request, without reading its answer. */
export function openModern(
  service: Pick<ServiceInProcess, 'url'>,
  method: string,
  params: object = {},
  { headers, signal, client, meta, id = 1 }: ModernOptions = {},
): Promise<Response> {
  return open(service, modernBody(id, method, params, client, meta), {
    headers: { ...modernHeaders(method, params), ...headers },
    ...(signal && { signal }),
  });
}

export async function sendModern(...args: Parameters<typeof openModern>): Promise<HttpAnswer> {
  return answerOf(await openModern(...args));
}

/** The parameters of a call of `use_tool` in toolbox `dev`. */
export function using(server: string, name: string, args: object = {}, more: object = {}) {
  return { name: 'use_tool', arguments: { tool: { toolbox: 'dev', server, name }, arguments: args, ...more } };
}

/** The headers of a legacy session that was just begun. */
export async function beginSession(
  service: Pick<ServiceInProcess, 'url'>,
  {
    capabilities = {},
    client = 'raw',
    headers,
  }: { capabilities?: object; client?: string; headers?: HeaderLines } = {},
): Promise<HeaderLines & { readonly 'Mcp-Session-Id': string }> {
  const clientInfo = { name: client, version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
  const answer = await send(
    service,
    { jsonrpc: '2.0', id: 0, method: 'initialize', params },
    { headers: headers ?? {} },
  );
  const id = answer.headers.get('mcp-session-id');
  if (id === null) throw new Error(`no session: ${answer.status} ${answer.text}`);
  return { ...headers, 'Mcp-Session-Id': id, 'MCP-Protocol-Version': '2025-11-25' };
}

export function legacyBody(id: unknown, method: string, params?: object) {
  return { jsonrpc: '2.0', id, method, ...(params && { params }) };
}

/** A connection on which anything can be written. */
export interface RawConnection {
  readonly socket: Socket;
  write(text: string | Uint8Array): void;
  /** Everything that came so far. */
  readonly received: () => string;
  /** When the other end has closed it. */
  readonly closed: Promise<void>;
}

export async function connectRaw(port: number, options: { allowHalfOpen?: boolean } = {}): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', ...options });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  await new Promise((resolve) => socket.once('connect', resolve));
  onTestFinished(() => void socket.destroy());
  return {
    ...{ socket, closed },
    write: (text) => void socket.write(text),
    received: () => Buffer.concat(chunks).toString('utf8'),
  };
}

/** The body of an answer that comes in chunks, as far as it is there. */
export function unchunked(answer: string): string {
  const text = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  const parts: string[] = [];
  for (let at = 0; ; ) {
    const end = text.indexOf('\r\n', at);
    const length = end === -1 ? 0 : Number.parseInt(text.slice(at, end), 16);
    if (!(length > 0)) return parts.join('');
    parts.push(text.slice(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
}

/** The text of a request. `lines`: instead of the usual headers of a POST; `undefined` leaves one out. */
export function requestText(
  port: number,
  body: string,
  lines: Readonly<Record<string, string | undefined>> = {},
  start = 'POST /mcp HTTP/1.1',
): string {
  const headers = {
    ...{ Host: `127.0.0.1:${port}`, ...plain, Accept: '*/*', 'Content-Length': String(Buffer.byteLength(body)) },
    ...lines,
  };
  const all = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return [start, ...all, '', body].join('\r\n');
}
