import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import type { RemoteTarget, ServerLimits } from '../../src/config/config.js';
import { createConnectors } from '../../src/downstream/connect.js';
import { thisComputer } from '../../src/platform/computer.js';
import { silentLog } from '../../src/platform/log.js';
import { silentObserver } from '../../src/workbench/servers/silent-observer.js';
import type { Supervisor } from '../../src/workbench/servers/supervised-server.js';
import { createSupervisor } from '../../src/workbench/servers/supervisor.js';
import { serverConfig } from './fake-port.js';
import { type HttpServer, type ReceivedRequest, startHttpServer } from './loopback.js';

/** A message as a server receives it. */
export interface Received {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

export type Script = (response: ServerResponse, message: Received, request: ReceivedRequest) => void;

export const result = ({ id }: Received, value: object) => ({ jsonrpc: '2.0', id, result: value });
export const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

/** Answers with a JSON body. */
export function answer(
  response: ServerResponse,
  body: object,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** The results of a legacy server that has the tools `a` and `b`. */
export function legacyResult({ method }: Received): object | undefined {
  if (method === 'initialize') {
    return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } };
  }
  if (method !== 'tools/list') return undefined;
  return { tools: ['a', 'b'].map((name) => ({ name, inputSchema: { type: 'object' } })) };
}

interface ScriptedOptions {
  readonly probe?: Script;
  /** Without it there is no stream for what belongs to no request. */
  readonly stream?: (response: ServerResponse) => void;
}

/** A legacy server over Streamable HTTP. The script answers the calls of its tools, `probe` and `stream` what they are named after. */
export function startScripted(script: Script, { probe, stream }: ScriptedOptions = {}): Promise<HttpServer> {
  let sessions = 0;
  return startHttpServer((response, request) => {
    const message: Received = request.body === '' ? {} : JSON.parse(request.body);
    const known = legacyResult(message);
    if (request.method === 'GET' && stream !== undefined) stream(response);
    else if (request.method !== 'POST') response.writeHead(request.method === 'GET' ? 405 : 200).end();
    else if (message.method === 'initialize') {
      answer(response, result(message, known ?? {}), 200, { 'mcp-session-id': `session-${++sessions}` });
    } else if (message.method === 'server/discover') {
      if (probe === undefined) response.writeHead(400).end();
      else probe(response, message, request);
    } else if (known !== undefined) answer(response, result(message, known));
    else if (message.id === undefined) response.writeHead(202).end();
    else script(response, message, request);
  });
}

export type Say = (message: object) => void;

/** A legacy server over SSE. The script answers the calls of its tools; `say` writes to the stream. */
export function startScriptedSse(script: (response: ServerResponse, message: Received, say: Say) => void) {
  const streams: ServerResponse[] = [];
  return startHttpServer((response, request) => {
    if (request.method === 'GET') {
      streams.push(response);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: endpoint\ndata: /messages\n\n');
      return;
    }
    const message: Received = JSON.parse(request.body);
    const say: Say = (value) => void streams.at(-1)?.write(`data: ${JSON.stringify(value)}\n\n`);
    const known = legacyResult(message);
    if (known === undefined && message.id !== undefined) return script(response, message, say);
    // Not kept, so that every message needs a connection.
    response.writeHead(202, { connection: 'close' }).end();
    if (known !== undefined) say(result(message, known));
  });
}

/** A real connection to a remote server, as the workbench has it. It is closed when the test ends. */
export function superviseRemote(
  url: string,
  transport: RemoteTarget['transport'] = 'auto',
  limits: Partial<ServerLimits> = {},
  headers: Readonly<Record<string, string>> = {},
): Supervisor {
  const target = { kind: 'remote', url, headers: new Map(Object.entries(headers)), transport } as const;
  const computer = thisComputer({});
  const { connect } = createConnectors(computer, silentLog).of({ computer, log: silentLog });
  const surroundings = { connect, learn: () => {}, log: silentLog, observer: silentObserver };
  const supervisor = createSupervisor(serverConfig({ target, limits }), 10_000, surroundings);
  onTestFinished(() => supervisor.close());
  return supervisor;
}
