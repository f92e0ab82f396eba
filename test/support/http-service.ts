import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as StreamableHTTPClientTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { headerValue } from '../../src/downstream/http/param-headers.js';
import { modernRevision } from '../../src/jsonrpc/revisions.js';
import { type Agent, connectOver, type Flavour, type User } from './agents.js';
import { builtProgram, killQuietly, type LaunchOptions, prepareLaunch, stopWhenTestFinishes } from './launch.js';
import { until } from './until.js';

/** The built program as `serve --http`. */
export interface RunningService {
  readonly pid: number;
  readonly port: number;
  /** Of the endpoint. */
  readonly url: string;
  /** Of the one person; empty if the service has an issuer. */
  readonly token: string;
  readonly marker: string;
  /** Of the configuration. */
  readonly dir: string;
  readonly home: string;
  readonly stderr: () => string;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Starts it again, on the same port and with the same home. */
  again(): Promise<RunningService>;
}

export interface ServiceOptions extends LaunchOptions {
  /** Instead of a free port of 127.0.0.1. */
  readonly address?: string;
}

export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { address = '127.0.0.1:0', args = [], ...rest } = options;
  const launch = prepareLaunch({ ...rest, everyHost: true, args: [] });
  const home = launch.env['HOME'] ?? launch.env['USERPROFILE'] ?? '';
  // Behind the program, which another command may run.
  const end = launch.args.indexOf(rest.program ?? builtProgram) + 1;
  const command = [...launch.args.slice(0, end), 'serve', '--http', ...launch.args.slice(end), ...args];
  const running: { pid: number }[] = [];
  stopWhenTestFinishes(launch.marker, async () => {
    for (const { pid } of running) killQuietly(pid);
  });

  async function start(at: string): Promise<RunningService> {
    const child = spawn(launch.command, [...command, at], {
      env: launch.env,
      cwd: launch.cwd,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const pid = child.pid ?? 0;
    running.push({ pid });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
    let hasExited = false;
    void exited.then(() => (hasExited = true));
    const listens = () => /listening on \S*:(\d+)$/m.exec(stderr)?.[1];
    await until(() => listens() ?? hasExited, { what: 'the service' });
    const port = Number(listens());
    if (!(port > 0)) throw new Error(`the service has ended: ${stderr}`);
    const tokenFile = join(home, '.local', 'share', 'mcp-workbench', 'http-token');
    return {
      ...{ pid, port, marker: launch.marker, dir: launch.dir, home, exited },
      url: `http://127.0.0.1:${port}/mcp`,
      get token() {
        return existsSync(tokenFile) ? readFileSync(tokenFile, 'utf8').trim() : '';
      },
      stderr: () => stderr,
      kill: (signal) => void process.kill(pid, signal),
      again: () => start(`127.0.0.1:${port}`),
    };
  }
  return start(address);
}

/** A real client over HTTP. `token`: its own, or that of the one person. */
export async function connectHttp(
  { url, token: own, pid, marker, dir, stderr }: RunningService,
  flavour: Flavour,
  { user, token = own }: { readonly user?: User; readonly token?: string } = {},
): Promise<Agent> {
  const options = { requestInit: { headers: { Authorization: `Bearer ${token}` } }, fetch: mirroring };
  const Transport = flavour === 'v1' ? StreamableHTTPClientTransportV1 : StreamableHTTPClientTransport;
  return connectOver(new Transport(new URL(url), options), flavour, user, { pid: () => pid, marker, dir, stderr });
}

/** The library repeats arguments in headers only for calls with its own `callTool`, which changes their results. */
function mirroring(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const message = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
  const { name, arguments: args } = message?.params ?? {};
  const toolbox = name === 'use_tool' ? args?.tool?.toolbox : args?.toolbox;
  const isModern = headers.get('mcp-protocol-version') === modernRevision;
  if (isModern && message?.method === 'tools/call' && typeof toolbox === 'string' && !headers.has(param))
    headers.set(param, headerValue(toolbox));
  return fetch(url, { ...init, headers });
}

const param = 'mcp-param-toolbox';

/** A POST as no client would send it. */
export function post(
  { url, token }: Pick<RunningService, 'url' | 'token'>,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}
