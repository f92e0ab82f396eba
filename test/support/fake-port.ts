import type { Config, ServerConfig, ServerLimits } from '../../src/config/config.js';
import { fingerprintOf } from '../../src/config/resolve/entry-identity.js';
import type { ResolvedServer } from '../../src/config/resolve/resolve-server.js';
import { DownstreamFailure } from '../../src/contract/downstream-failure.js';
import type { PackageVersion } from '../../src/contract/package-version.js';
import type { CallToolResult, Tool } from '../../src/contract/types.js';
import { Cancellation } from '../../src/jsonrpc/cancellation.js';
import { builtInSettings } from '../../src/limits.js';
import { sha256 } from '../../src/platform/crypto.js';
import { type ToolResult, ValueResult } from '../../src/results/tool-result.js';
import type { AgentOutput } from '../../src/session/transport.js';
import type { Agent } from '../../src/workbench/ports/agent.js';
import type { CallOptions, ConnectDownstream, DownstreamListener } from '../../src/workbench/ports/downstream.js';

/** A hand-written fake of a server behind the port, driven by the test. */
export class FakeServer {
  starts = 0;
  closes = 0;
  listings = 0;
  running = 0;
  /** Names, or whole definitions. */
  tools: (string | Tool)[] = ['echo'];
  schema: Tool['inputSchema'] = { type: 'object' };
  instructions: string | undefined;
  about: string | undefined;
  package: PackageVersion | undefined;
  /** Its entry at the last start. */
  server: ServerConfig | undefined;
  /** Runs during a start: may wait or throw. */
  onStart: (signal: AbortSignal) => Promise<void> = async () => {};
  onList: (signal: AbortSignal) => Promise<void> = async () => {};
  /** What it wrote last, as the phrase of the port. */
  lastWords: string | undefined;
  onClose: () => Promise<void> = async () => {};
  onCall: (name: string, args: unknown, options: CallOptions) => Promise<CallToolResult | ToolResult> = async (
    name,
    args,
  ) => ({
    content: [{ type: 'text', text: `${name} ${JSON.stringify(args)}` }],
  });
  listener: DownstreamListener | undefined;

  agent: Agent | undefined;
  /** As last adjusted. */
  limits: ServerLimits | undefined;
  onRead: (uri: string) => Promise<Record<string, unknown>> = async (uri) => ({ contents: [{ uri, text: '' }] });

  readonly connect: ConnectDownstream = async (server, listener, signal, agent) => {
    this.agent = agent;
    this.server = server;
    this.starts++;
    listener.started({ lastWords: async () => this.lastWords, log: `/logs/${server.name}.log` });
    await this.onStart(signal);
    this.running++;
    this.listener = listener;
    return {
      instructions: this.instructions,
      about: this.about,
      package: this.package,
      listTools: async (listSignal) => {
        this.listings++;
        await this.onList(listSignal);
        const tools = this.tools.map((tool) =>
          typeof tool === 'string' ? { name: tool, inputSchema: this.schema } : tool,
        );
        return { tools, omissions: {} };
      },
      callTool: async (name, args, options) => asResult(await this.onCall(name, args, options)),
      readResource: (uri) => this.onRead(uri),
      adjust: (limits) => void (this.limits = limits),
      close: async () => {
        this.closes++;
        this.running--;
        await this.onClose();
      },
    };
  };

  crash(reason = 'it exited with code 1'): void {
    this.listener?.ended(new DownstreamFailure('crashed', reason));
  }
}

export function serverConfig(
  settings: Omit<Partial<ServerConfig>, 'limits'> & { limits?: Partial<ServerLimits> } = {},
): ServerConfig {
  const { openTimeoutMs: _, openBudgetChars: __, ...limits } = builtInSettings;
  const server: ResolvedServer = {
    toolbox: 'dev',
    name: 'fs',
    target: { kind: 'stdio', command: 'x', args: [], env: new Map(), cwd: undefined },
    toolFilters: ['*'],
    excludedTools: [],
    rules: [],
    lock: 'note',
    roots: false,
    perSession: false,
    forEveryone: false,
    protocol: 'auto',
    secrets: [],
    disabled: false,
    ...settings,
    limits: { ...limits, ...settings.limits },
  };
  const cacheKey = sha256(JSON.stringify([server.toolbox, server.name]));
  return { cacheKey, fingerprint: fingerprintOf(server), ...server };
}

/** A configuration of one toolbox `dev` with the given servers. */
export function configOf(servers: readonly ServerConfig[], openTimeoutMs = 45_000): Config {
  const toolbox = {
    name: 'dev',
    description: 'For tests',
    servers: new Map(servers.map((server) => [server.name, server])),
  };
  return {
    source: { kind: 'file', path: '/etc/workbench-config.json' },
    toolboxes: new Map([['dev', toolbox]]),
    openTimeoutMs,
    openBudgetChars: undefined,
    shared: true,
    warnings: [],
    files: [],
  };
}

/** An agent with a session of its own. It supports no questions by default. */
export function fakeAgent(more: Partial<Agent> = {}): Agent {
  const ask = () => Promise.reject(new Error('this agent answers no questions'));
  return { id: 'session-1', client: undefined, capabilities: {}, ask, gone: new Cancellation(), ...more };
}

/** An agent that reads everything at once. */
export function outputTo(send: AgentOutput['send']): AgentOutput {
  return { send, maxBytes: Number.POSITIVE_INFINITY, unread: 0 };
}

/** Routes each server of a configuration to the fake of its name. */
export function connectTo(fakes: Readonly<Record<string, FakeServer>>): ConnectDownstream {
  return (server, listener, signal, agent) => {
    const fake = fakes[server.name];
    if (fake === undefined) throw new Error(`no fake for ${server.name}`);
    return fake.connect(server, listener, signal, agent);
  };
}

/** Tests write results as values. */
function asResult(result: CallToolResult | ToolResult): ToolResult {
  return isToolResult(result) ? result : new ValueResult(result);
}

function isToolResult(result: CallToolResult | ToolResult): result is ToolResult {
  return 'toJSON' in result && typeof result.toJSON === 'function';
}

/** A promise to be settled by the test. */
export function pending<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((ok, no) => {
    resolve = ok;
    reject = no;
  });
  return { promise, resolve, reject };
}
