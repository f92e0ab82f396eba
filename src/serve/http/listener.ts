import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { messageOf, WorkbenchError } from '../../contract/errors.js';
import type { Log } from '../../platform/log.js';
import { accepts, type Call, legacyProblem, postProblem, servePost, sessionIdOf } from './endpoint.js';
import { type Bounds, maxConnections, maxHeaderBytes, maxHeaderLines } from './exchange/limits.js';
import { draining, type Refusal, refusal, refuse, unavailable } from './exchange/refusal.js';
import type { Guard } from './guard.js';
import type { Credentials, Identified } from './identity/identify.js';
import type { Member } from './member.js';

export interface ListenerParts {
  readonly guard: Guard;
  /** Of the endpoint. */
  readonly path: string;
  readonly identify: (credentials: Credentials) => Identified | Promise<Identified>;
  readonly memberOf: (identified: Extract<Identified, { readonly principal: unknown }>) => Member;
  /** Answers other paths, such as metadata and health. False if there is nothing there. */
  readonly others: (path: string, request: IncomingMessage, response: ServerResponse) => boolean;
  /** `/livez` and `/readyz`, which anybody may ask for under any name. */
  readonly health: (path: string) => 200 | 503 | undefined;
  /** New sessions and calls are refused. */
  readonly isDraining: () => boolean;
  readonly bounds: Pick<Bounds, 'headersTimeoutMs' | 'bodyTimeoutMs'>;
  readonly log: Log;
}

export interface Listener {
  readonly server: Server;
  listen(host: string, port: number): Promise<number>;
}

/** The door: what is refused here is read no further. */
export function createListener(parts: ListenerParts): Listener {
  const { guard, path: endpoint, identify, memberOf, others, health, isDraining, bounds, log } = parts;
  let port = 0;

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const path = pathOf(request);
    const state = request.method === 'GET' ? health(path) : undefined;
    if (state !== undefined) return refuse(response, { status: state });
    const problem = guard.check(request, port);
    if (problem !== undefined) return refuse(response, problem);
    const headers = guard.corsHeaders(request) ?? {};
    if (path !== endpoint) {
      if (!others(path, request, response)) refuse(response, { status: 404 }, headers);
      return;
    }
    const { method } = request;
    if (method === 'OPTIONS' && request.headers.origin !== undefined) return refuse(response, { status: 204, headers });
    const isSession = method === 'GET' || method === 'DELETE';
    if (method !== 'POST' && !(isSession && sessionIdOf({ request }) !== undefined))
      return refuse(response, { status: 405, headers: { Allow: 'POST' } }, headers);
    const found = identify({ headers: request.headers, rawHeaders: request.rawHeaders, url: request.url });
    if (!(found instanceof Promise)) return admit(request, response, found);
    found.then((identified) => admit(request, response, identified)).catch((error: unknown) => fail(response, error));
  }

  function admit(request: IncomingMessage, response: ServerResponse, identified: Identified): void {
    const headers = guard.corsHeaders(request) ?? {};
    if ('refused' in identified) {
      const { status, challenge } = identified.refused;
      return refuse(response, {
        status,
        headers: { ...headers, ...(challenge !== undefined && { 'WWW-Authenticate': challenge }) },
      });
    }
    const member = memberOf(identified);
    const call: Call = { request, response, member, headers, isDraining, fail: (error) => fail(response, error) };
    const problem = member.user.quota.take(performance.now());
    if (problem !== undefined) refuse(response, problem, headers);
    else if (request.method === 'GET') serveStream(call);
    else if (request.method === 'DELETE') endSession(call);
    else servePostOrRefuse(call);
  }

  function fail(response: ServerResponse, error: unknown): void {
    log.error(`http: ${messageOf(error)}`);
    if (response.headersSent) response.destroy();
    else refuse(response, { status: 500, closes: true });
  }

  // Loaded only here: a start on stdio does without it.
  const { createServer } = process.getBuiltinModule('node:http');
  const { headersTimeoutMs, bodyTimeoutMs } = bounds;
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    try {
      handle(request, response);
    } catch (error) {
      fail(response, error);
    }
  };
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headersTimeoutMs,
      // Bodies that are read have a limit of their own; this is for those of refused requests.
      requestTimeout: headersTimeoutMs + bodyTimeoutMs,
      connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs),
      requireHostHeader: false,
      // Longer than that of usual proxies: the end that sends requests should be the one that closes.
      keepAliveTimeout: 65_000,
    },
    serve,
  );
  // Without it Node.js asks for the body before anything was checked.
  server.on('checkContinue', serve);
  server.maxConnections = maxConnections;
  // One more, so that too many can be told.
  server.maxHeadersCount = maxHeaderLines + 1;
  return {
    server,
    async listen(host, wanted) {
      port = await listen(server, host, wanted);
      return port;
    },
  };
}

function servePostOrRefuse(call: Call): void {
  const problem = postProblem(call.request);
  if (problem !== undefined) refuse(call.response, problem, call.headers);
  else servePost(call);
}

const notAcceptable: Refusal = refusal(406, unavailable, 'Accept has to list text/event-stream');

function serveStream({ request, response, member, headers, isDraining }: Call): void {
  const id = sessionIdOf({ request });
  const problem = legacyProblem({ request }, id) ?? (isDraining() ? draining : undefined);
  if (problem !== undefined || id === undefined) return refuse(response, problem ?? { status: 405 }, headers);
  if (!accepts(request.headers.accept, ['text/event-stream'])) return refuse(response, notAcceptable, headers);
  const why = member.legacy.stream(id, response, headers);
  if (why !== undefined) refuse(response, why, headers);
}

function endSession({ request, response, member, headers }: Call): void {
  const id = sessionIdOf({ request });
  const problem = legacyProblem({ request }, id);
  if (problem !== undefined || id === undefined) return refuse(response, problem ?? { status: 405 }, headers);
  const why = member.legacy.end(id);
  refuse(response, why ?? { status: 204 }, headers);
}

function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      const hint = 'Choose another one: mcp-workbench serve --http HOST:PORT, or "listen" of "http" in the file.';
      reject(new WorkbenchError('HTTP_PORT_TAKEN', `Cannot listen on ${host}:${port}: ${whyNot(error)}`, { hint }));
    };
    server.once('error', onError);
    server.listen(port, host, () => {
      server.off('error', onError);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function whyNot({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE') return 'another program listens there';
  if (code === 'EACCES') return 'this user may not use that port';
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return 'this computer has no such address';
  return message;
}
