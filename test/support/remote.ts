import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { ServerEntry, TestConfig } from './configs.js';
import { type FixtureProcess, listening, stopFixture } from './fixture-process.js';
import { temporaryDirectory } from './launch.js';

const program = fileURLToPath(new URL('../fixtures/http-bridge.mjs', import.meta.url));

/** A rule of the bridge, explained at the top of test/fixtures/http-bridge.mjs. */
export interface Rule {
  readonly http?: 'POST' | 'GET' | 'DELETE';
  readonly rpc?: string;
  readonly tool?: string;
  readonly answers?: boolean;
  readonly skip?: number;
  readonly times?: number;
  readonly do: Readonly<Record<string, unknown>>;
}

/** The flags of the bridge. */
export interface RemoteOptions {
  readonly transport?: 'streamable' | 'sse';
  readonly sessions?: boolean;
  readonly answers?: 'json' | 'sse';
  readonly style?: string;
  readonly resumable?: boolean;
  readonly rules?: readonly Rule[];
}

/** An HTTP request that the bridge received. */
export interface HttpRequest {
  /** Of the bridge: it may be started again. */
  readonly pid: number;
  readonly number: number;
  /** When it arrived. */
  readonly at: number;
  readonly http: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The JSON-RPC method; responses have none. */
  readonly rpc?: string;
  readonly id?: unknown;
  readonly tool?: string;
  readonly requestId?: unknown;
  /** The response, once it has ended. */
  readonly status?: number;
  readonly end?: 'sent' | 'dropped' | 'closed by the client';
}

interface BridgeState {
  readonly sessions: number;
  readonly getStreams: number;
  readonly processes: number;
}

/** A server behind HTTP, until the test ends. */
export interface Remote {
  /** The same entry with a `url`. */
  readonly entry: ServerEntry;
  readonly url: string;
  readonly log: () => HttpRequest[];
  /** The requests with this JSON-RPC method. */
  readonly sent: (rpc: string) => HttpRequest[];
  readonly control: (commands?: object) => Promise<BridgeState>;
  readonly rules: (...rules: Rule[]) => Promise<BridgeState>;
  /** Kills the bridge, and with it the server. */
  readonly kill: () => Promise<void>;
  /** Starts it again on the same port. */
  readonly restart: () => Promise<void>;
}

interface Bridge {
  readonly child: FixtureProcess;
  readonly port: number;
}

/** Starts a bridge before a server that has a command. */
export async function overHttp(entry: ServerEntry, options: RemoteOptions = {}): Promise<Remote> {
  const { command = '', args = [], env = {}, ...settings } = entry;
  const logFile = join(temporaryDirectory(), 'http.jsonl');
  const flags = [...flagsOf(options), ...(args.includes('--modern') ? ['--modern'] : []), '--log', logFile];
  const start = (port: number) =>
    startBridge([program, ...flags, '--port', String(port), '--', command, ...args], { ...process.env, ...env });

  let { child, port } = await start(0);
  onTestFinished(() => stopFixture(child));
  const origin = `http://127.0.0.1:${port}`;
  const url = `${origin}/${options.transport === 'sse' ? 'sse' : 'mcp'}`;
  const log = () => readLog(logFile);

  async function control(commands: object = {}): Promise<BridgeState> {
    const response = await fetch(`${origin}/control`, { method: 'POST', body: JSON.stringify(commands) });
    return (await response.json()) as BridgeState;
  }

  return {
    entry: { ...settings, url },
    url,
    log,
    sent: (rpc) => log().filter((request) => request.rpc === rpc),
    control,
    rules: (...rules) => control({ rules }),
    async kill() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
    async restart() {
      ({ child, port } = await start(port));
    },
  };
}

/** The same configuration with all of its servers behind HTTP. */
export async function allOverHttp(config: TestConfig, options: RemoteOptions): Promise<TestConfig> {
  const toolboxes = await mapValues(config.toolboxes, async (toolbox) => ({
    ...toolbox,
    mcpServers: await mapValues(toolbox.mcpServers, async (entry) => (await overHttp(entry, options)).entry),
  }));
  return { ...config, toolboxes };
}

async function mapValues<T>(
  named: Readonly<Record<string, T>> | ReadonlyMap<string, T>,
  change: (value: T) => Promise<T>,
): Promise<ReadonlyMap<string, T>> {
  const entries = named instanceof Map ? [...named] : Object.entries(named);
  return new Map(await Promise.all(entries.map(async ([name, value]) => [name, await change(value)] as const)));
}

function flagsOf({ transport, sessions, answers, style, resumable, rules }: RemoteOptions): string[] {
  return [
    ...(transport === undefined ? [] : ['--transport', transport]),
    ...(sessions === true ? ['--sessions'] : []),
    ...(answers === undefined ? [] : ['--answers', answers]),
    ...(style === undefined ? [] : ['--style', style]),
    ...(resumable === true ? ['--resumable'] : []),
    ...(rules === undefined ? [] : ['--rules', JSON.stringify(rules)]),
  ];
}

async function startBridge(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Bridge> {
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  return { child, port: Number(await listening(child)) };
}

function readLog(file: string): HttpRequest[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const requests = new Map<string, HttpRequest>();
  for (const line of lines.filter((text) => text !== '')) {
    const { at, ...entry }: HttpRequest = JSON.parse(line);
    const key = `${entry.pid} ${entry.number}`;
    const before = requests.get(key);
    requests.set(key, { ...before, ...entry, at: before?.at ?? at });
  }
  return [...requests.values()];
}
