import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { parseConfig } from '../../src/config/read/load.js';
import { createConnectors } from '../../src/downstream/connect.js';
import { Cancellation } from '../../src/jsonrpc/cancellation.js';
import { thisComputer } from '../../src/platform/computer.js';
import type { Log } from '../../src/platform/log.js';
import { createMetaCalls } from '../../src/session/questions/meta-calls.js';
import { createWorkbench } from '../../src/workbench/workbench.js';
import { markerVariable } from '../support/processes.js';
import { createFlatServer, fixture } from './flat-server.js';

/** The fallback handler of the workbench's server. */
const handledLast = new Set(['tools/call', 'resources/read']);

export interface Adapter {
  readonly url: string;
  close(): Promise<void>;
}

interface AdapterOptions {
  /** The setting `protocol` of the fixture. */
  readonly protocol: 'legacy' | '2026-07-28';
  readonly marker: string;
  readonly log: Log;
}

/** A workbench over HTTP, for the suite only: on the loopback interface, on a free port. */
export async function startAdapter(options: AdapterOptions): Promise<Adapter> {
  const modern = serveModern(options);
  const legacy = serveLegacy(options);

  async function answer(request: Request): Promise<Response> {
    const refusal =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins());
    if (refusal !== undefined) return refusal;
    return (await isLegacyRequest(request)) ? legacy.fetch(request) : modern.fetch(request);
  }

  const http = createServer((incoming, outgoing) => {
    void toRequest(incoming, outgoing)
      .then(answer)
      .then((response) => send(response, outgoing))
      .catch((error: unknown) => {
        options.log.error(`HTTP: ${String(error)}`);
        outgoing.destroy();
      });
  });
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    async close() {
      http.closeAllConnections();
      http.close();
      await Promise.all([modern.close(), legacy.close()]);
    },
  };
}

interface Serving {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/** Requests are independent, so one workbench serves them all. */
function serveModern(options: AdapterOptions): Serving {
  const workbench = startWorkbench(options);
  const metaCalls = createMetaCalls(workbench, new Cancellation(), options.log);
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const server = createFlatServer(workbench, metaCalls, options.log, 'modern');
      // HTTP 404 is for a method without a handler, not for one that a handler refuses. The header was checked before.
      if (!handledLast.has(requestInfo?.headers.get('mcp-method') ?? '')) delete server.fallbackRequestHandler;
      return server;
    },
    { legacy: 'reject' },
  );
  return {
    fetch: (request) => handler.fetch(request),
    async close() {
      await handler.close();
      await workbench.close();
    },
  };
}

/** Each session is one agent with a workbench of its own. */
function serveLegacy(options: AdapterOptions): Serving {
  const sessions = new Map<string, { transport: WebStandardStreamableHTTPServerTransport; close(): Promise<void> }>();

  async function open(): Promise<WebStandardStreamableHTTPServerTransport> {
    const workbench = startWorkbench(options);
    const close = async () => {
      await transport.close();
      await workbench.close();
    };
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, { transport, close }),
      onsessionclosed: async (id) => {
        sessions.delete(id);
        await close();
      },
    });
    await createFlatServer(
      workbench,
      createMetaCalls(workbench, new Cancellation(), options.log),
      options.log,
      'legacy',
    ).connect(transport);
    return transport;
  }

  return {
    async fetch(request) {
      const id = request.headers.get('mcp-session-id');
      if (id === null) return (await open()).handleRequest(request);
      return sessions.get(id)?.transport.handleRequest(request) ?? new Response('No such session', { status: 404 });
    },
    async close() {
      await Promise.all(Array.from(sessions.values(), (session) => session.close()));
    },
  };
}

function startWorkbench({ protocol, marker, log }: AdapterOptions) {
  const server = {
    command: process.execPath,
    args: [fileURLToPath(new URL('fixture-server.mjs', import.meta.url))],
    env: { [markerVariable]: marker },
    protocol,
    roots: true,
  };
  const config = {
    toolboxes: { [fixture.toolbox]: { description: 'For the suite', mcpServers: { [fixture.server]: server } } },
  };
  const file = path.join(tmpdir(), 'workbench-config.json');
  const parsed = parseConfig(JSON.stringify(config), { path: file, env: {}, cwd: '/project', home: tmpdir() });
  const computer = thisComputer(process.env);
  return createWorkbench(parsed, createConnectors(computer, log).of({ computer, log }).connect, log);
}

async function toRequest(incoming: IncomingMessage, outgoing: ServerResponse): Promise<Request> {
  const { method = 'GET', url = '/', headers } = incoming;
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  return new Request(new URL(url, `http://${headers.host ?? 'localhost'}`), {
    method,
    headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
    signal: gone.signal,
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  if (response.body === null) outgoing.end();
  // A client cancels by disconnecting before the stream ends.
  else await pipeline(Readable.fromWeb(response.body), outgoing).catch(() => {});
}
