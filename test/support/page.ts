import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { type CallRow, withNews } from '../../src/inspect/call-log.js';
import type { Board, LiveMessage, ToolRow } from '../../src/page/messages.js';
import type { ServerEntry } from './configs.js';
import { handled } from './handled.js';
import { createHome, type Home } from './homes.js';
import { prepareLaunch, stopWhenTestFinishes } from './launch.js';
import { until } from './until.js';

/** `mcp-workbench page`, as a user runs it. */
export interface RunningPage {
  readonly address: string;
  readonly port: number;
  readonly token: string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  /** What happens when the process that started it is killed. */
  disown(): void;
  readonly exited: Promise<number | null>;
}

const endsWithStdin = new URL('../fixtures/end-with-stdin.mjs', import.meta.url).href;

export async function startPage(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = ['--no-browser'],
): Promise<RunningPage> {
  const launch = prepareLaunch({ env, args: ['page', ...args] });
  // It serves until it is told to end, which a runner that was killed does not do: its end of the pipe closes.
  const child = spawn(launch.command, ['--import', endsWithStdin, ...launch.args], {
    env: launch.env,
    cwd: launch.cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exited = handled(once(child, 'close').then(([code]): number | null => code));
  stopWhenTestFinishes(launch.marker, async () => {
    child.kill('SIGINT');
    await exited;
  });
  await until(() => stdout.includes('\n') || child.exitCode !== null, { what: 'the address of the page' });
  const address = stdout.trim();
  const [, port = '0', token = ''] = /^http:\/\/127\.0\.0\.1:(\d+)\/#([\w-]+)$/.exec(address) ?? [];
  return {
    address,
    port: Number(port),
    token,
    stderr: () => stderr,
    kill: (signal) => void child.kill(signal),
    disown: () => child.stdin.destroy(),
    exited,
  };
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A request as it is: no client that corrects paths or names. */
export function ask(
  { port }: Pick<RunningPage, 'port'>,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    sent.once('error', reject).end();
  });
}

/** What a browser that has the page open has been sent. */
export interface Following {
  board(): Board;
  tools(): readonly ToolRow[];
  calls(): readonly CallRow[];
  server(toolbox: string, server: string): Board['toolboxes'][number]['servers'][number] | undefined;
  /** All that was sent, as text. */
  text(): string;
  close(): void;
}

export async function followPage({ port, token }: Pick<RunningPage, 'port' | 'token'>): Promise<Following> {
  let [text, rest] = ['', ''];
  let board: Board | undefined;
  let tools: readonly ToolRow[] = [];
  let calls: readonly CallRow[] = [];
  function receive(message: LiveMessage): void {
    if (message.is === 'board') board = message.board;
    else if (message.is === 'tools') tools = message.tools;
    else calls = message.isAll ? message.calls : withNews(calls, message.calls);
  }
  const sent = request({ host: '127.0.0.1', port, path: '/api/live', headers: { Authorization: `Bearer ${token}` } });
  sent.once('response', (response) => {
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) receive(JSON.parse(line));
    });
    response.on('error', () => {});
  });
  sent.on('error', () => {}).end();
  const shown = () => {
    if (board === undefined) throw new Error('there is no board yet');
    return board;
  };
  await until(() => board !== undefined, { what: 'the board' });
  return {
    board: shown,
    tools: () => tools,
    calls: () => calls,
    server: (toolbox, server) =>
      shown()
        .toolboxes.find(({ name }) => name === toolbox)
        ?.servers.find((one) => one.server === server),
    text: () => text,
    close: () => void sent.destroy(),
  };
}

/** A home with a configuration of one toolbox. */
export const devHome = (mcpServers: Record<string, ServerEntry>): Home =>
  createHome({ toolboxes: { dev: { description: 'For tests', mcpServers } } });

/** The header of a request that the page answers. */
export const authorized = ({ token }: RunningPage) => ({ Authorization: `Bearer ${token}` });
