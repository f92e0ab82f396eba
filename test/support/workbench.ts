import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { handled } from './handled.js';
import { type LaunchOptions, prepareLaunch, stopWhenTestFinishes } from './launch.js';
import { until } from './until.js';

/** One JSON-RPC message, as received. */
export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: { readonly [field: string]: unknown };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The built program on bare pipes, for input that no client would send. */
export interface RunningWorkbench {
  readonly pid: number;
  readonly marker: string;
  readonly dir: string;
  /** Everything on stdout and stderr so far. */
  readonly lines: readonly string[];
  stderr(): string;
  write(bytes: string | Uint8Array): void;
  send(message: object): void;
  /** Sends a request under a new id and waits for its response. */
  request(method: string, params?: object): Promise<Message>;
  notify(method: string, params?: object): void;
  /** Waits for the response to a request sent with `send`. */
  answerTo(id: unknown): Promise<Message>;
  /** Closes stdin, as a client that disconnects. */
  end(): void;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export function startWorkbench(options: LaunchOptions): RunningWorkbench {
  const { command, args, env, cwd, marker, dir } = prepareLaunch(options);
  const child = spawn(command, args, { env, cwd, stdio: 'pipe' });
  const stderr: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => stderr.push(text));
  // A test may write to a program that has just exited.
  child.stdin.on('error', () => {});
  // 'close', not 'exit': by then both pipes are read to the end.
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  stopWhenTestFinishes(marker, async () => {
    child.stdin.end();
    const gone = await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, 30_000).unref())]);
    if (gone === undefined) throw new Error(`the workbench did not end when its stdin did:\n${stderr.join('')}`);
  });
  return {
    ...overPipes(child.stdin, child.stdout),
    pid: child.pid ?? 0,
    marker,
    dir,
    stderr: () => stderr.join(''),
    kill: (signal) => child.kill(signal),
    exited,
  };
}

type Piped = Omit<RunningWorkbench, 'pid' | 'marker' | 'dir' | 'stderr' | 'kill' | 'exited'>;

/** Messages over the pipes of a session. */
export function overPipes(stdin: Writable, stdout: Readable): Piped {
  const lines: string[] = [];
  let requests = 0;
  createInterface({ input: stdout }).on('line', (line) => lines.push(line));
  const write = (bytes: string | Uint8Array) => void stdin.write(bytes);
  const send = (message: object) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answerTo = (id: unknown) =>
    handled(
      until(() => lines.map(parse).find((message) => message?.id === id && message?.method === undefined), {
        what: `an answer to ${String(id)}`,
        withinMs: 50_000,
      }),
    );
  return {
    lines,
    write,
    send,
    answerTo,
    request(method, params) {
      requests += 1;
      const id = `request-${requests}`;
      send({ id, method, params });
      return answerTo(id);
    },
    notify: (method, params) => send({ method, params }),
    end: () => stdin.end(),
  };
}

function parse(line: string): Message | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The legacy handshake, with any revision. Returns the response to `initialize`. */
export async function initialize(
  workbench: RunningWorkbench,
  protocolVersion = '2025-11-25',
  capabilities: object = {},
): Promise<Message> {
  const clientInfo = { name: 'raw', version: '1.0.0' };
  const answer = await workbench.request('initialize', { protocolVersion, capabilities, clientInfo });
  workbench.notify('notifications/initialized');
  return answer;
}

/** Parameters of a request in the 2026-07-28 revision, which needs no handshake. */
export function modern(params: object = {}, capabilities: object = {}, meta: object = {}, client = 'raw'): object {
  return {
    ...params,
    _meta: {
      ...meta,
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: client, version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    },
  };
}
