import { join } from 'node:path';
import type { Config, ServerConfig } from './config/config.js';
import { createLockFiles } from './config/lock-file/lock-files.js';
import type { ToolLocks } from './config/lock-file/tool-lock.js';
import { WorkbenchError } from './contract/errors.js';
import type { UseToolInput } from './contract/types.js';
import { createToolCacheFiles } from './downstream/cache/tool-cache-files.js';
import { createConnectors } from './downstream/connect.js';
import { createLogFile } from './downstream/logs/log-file.js';
import { ownLogFile } from './downstream/logs/log-names.js';
import { createPool, type PooledProcess } from './downstream/pool/pool.js';
import { flushLimitMs, longestMessageToAgent, responseOverheadBytes } from './limits.js';
import type { StatusPublisher, StatusServer } from './observe/status/serve-status.js';
import { createSessionReports } from './observe/status/session-reports.js';
import type { Computer } from './platform/computer.js';
import { loadPart } from './platform/load-part.js';
import type { Log } from './platform/log.js';
import { perDirectory } from './platform/per-directory.js';
import { settlesWithin } from './platform/time-limit.js';
import { fileDirectories, loginDirectory } from './platform/usable-directories.js';
import type { ToolResult } from './results/tool-result.js';
import { createCalls } from './session/calls.js';
import type { Calls } from './session/lazy-calls.js';
import type { AgentRequest } from './session/questions/agent-request.js';
import { createMetaCalls } from './session/questions/meta-calls.js';
import type { AgentOutput } from './session/transport.js';
import type { ConnectDownstream } from './workbench/ports/downstream.js';
import type { MaskFor } from './workbench/ports/mask.js';
import type { Observer } from './workbench/ports/observer.js';
import type { ToolCache } from './workbench/ports/tool-cache.js';
import { createMemoryCache } from './workbench/servers/memory-cache.js';
import { createWorkbench, type LiveWorkbench, type Workbench } from './workbench/workbench.js';

// Exported with the engine, which always needs a configuration.
export { assemble } from './config/resolve/assemble.js';

/** Resources of the computer, created once for all sessions. */
export interface Shared {
  of(session: SessionOptions): SessionResources;
  /** Writes pending data to files. */
  flush(): Promise<void>;
  /** Loads what makes sessions known to other processes; without it they are not. */
  readonly loadStatus?: (() => Promise<StatusServer>) | undefined;
  readonly processes?: (() => PooledProcess[]) | undefined;
}

/** What a session uses of them. */
export interface SessionResources {
  /** Connects to the servers of the session with this id. */
  readonly connectFor: (id: string) => SessionConnector;
  readonly cache: ToolCache;
  readonly cacheDirectory?: string | undefined;
  /** Without it, nothing is compared with what the user has approved. */
  readonly locks?: ToolLocks | undefined;
  /** Adds a line to the log file of the workbench. */
  readonly keepLine?: ((line: string) => void) | undefined;
}

interface SessionConnector {
  readonly connect: ConnectDownstream;
  /** Replaces secrets in questions about calls; without it, nothing is replaced. */
  readonly maskFor?: MaskFor;
}

/** Serves any number of sessions in one process; each has a workbench of its own. */
export interface Engine {
  /** `observer`: gets what the workbench reports. */
  createWorkbench(config: Config, observer?: Observer): Workbench;
  /** Calls a tool as `use_tool` does: questions of its server go to the agent. */
  callTool(workbench: Workbench, call: UseToolInput, options: CommandCall): Promise<ToolResult>;
  /** Serves one agent, with calls, questions and servers of its own. */
  openSession(config: Config, output: AgentOutput, options?: SessionOptions): ServedSession;
  /** Adds a line to the log file of this process, for `mcp-workbench logs`. */
  keepLine(line: string): void;
  /** The processes of servers, if sessions share them, and which session uses them. */
  processes(): PooledProcess[];
  /** Ends every session and every server, then flushes files. False if a file could not be written in time. */
  close(): Promise<boolean>;
}

/** What belongs to a session, where it is not that of this process. */
export interface SessionOptions {
  /** Its servers get this environment and directory. */
  readonly computer?: Computer | undefined;
  /** Gets the lines about this session and its servers. */
  readonly log?: Log | undefined;
  /** The process that the client has started. */
  readonly front?: number | undefined;
  /** Why it is not served by a host, if it tried. */
  readonly why?: string | undefined;
  /** What is not in the lock is blocked. */
  readonly isFrozen?: boolean | undefined;
}

interface CreateOptions extends Pick<SessionOptions, 'log' | 'isFrozen'> {
  readonly observer?: Observer | undefined;
}

export type CommandCall = Pick<AgentRequest, 'agent' | 'signal' | 'onProgress'>;

export interface ServedSession {
  readonly id: string;
  readonly calls: Calls;
  /** The configuration was edited. */
  apply(config: Config): void;
  /** A line for the agent, in the next answer of `open_toolbox`; undefined: the last one no longer holds. */
  note(text: string | undefined): void;
  /** Adds a line to its log file. */
  keepLine(line: string): void;
  /** The agent has disconnected. Resolves when all its servers have ended. */
  close(): Promise<void>;
}

export function createEngine(shared: Shared, log: Log): Engine {
  // What `close` ends: sessions, and workbenches of their own.
  const open = new Set<() => Promise<void>>();
  const reports = createSessionReports(shared.loadStatus);
  let sessions = 0;
  let workbenches = 0;
  let closing: Promise<boolean> | undefined;
  /** Those of this process. */
  let own: SessionResources | undefined;
  let isMakingOwn = false;

  function resourcesFor(options: SessionOptions): SessionResources {
    if (options.computer !== undefined) return shared.of(options);
    isMakingOwn = own === undefined;
    own ??= shared.of({});
    isMakingOwn = false;
    return own;
  }

  function create(config: Config, id: string, resources: SessionResources, options: CreateOptions = {}): LiveWorkbench {
    if (closing !== undefined) throw new WorkbenchError('WORKBENCH_CLOSED', 'The workbench is shutting down');
    const { connectFor, cache, locks } = resources;
    const { observer, log: its = log, isFrozen = false } = options;
    const { connect, maskFor } = connectFor(id);
    return createWorkbench(config, connect, its, { cache, observer, lock: locks && { locks, isFrozen }, maskFor });
  }

  const keep = ({ keepLine }: SessionResources, pid: number, line: string) => keepLine?.(`[${pid}] ${line}`);

  /** The same function, which `close` of the engine calls as well until it has been called. */
  function closedWithEngine(closeOne: () => Promise<void>): () => Promise<void> {
    const closeOnce = () => {
      open.delete(closeOnce);
      return closeOne();
    };
    open.add(closeOnce);
    return closeOnce;
  }

  async function close(): Promise<boolean> {
    reports.close();
    // At once: a client may kill this process while its servers still end.
    const known = Promise.all([shared.flush(), own?.locks?.flush()]).catch(() => {});
    await Promise.allSettled(Array.from(open, (closeOne) => closeOne()));
    const all = Promise.all([known, shared.flush(), own?.locks?.flush(), reports.flush()]);
    return settlesWithin(flushLimitMs, all);
  }

  /** What a session with files of its own has not written yet; its process may live on for long, or be killed. */
  async function flushFor({ locks }: SessionResources): Promise<void> {
    await settlesWithin(flushLimitMs, Promise.all([shared.flush(), locks?.flush(), reports.flush()]));
  }

  return {
    // A warning about files of ours comes while they are being made.
    keepLine: (line) => void (isMakingOwn || keep(resourcesFor({}), process.pid, line)),
    processes: () => shared.processes?.() ?? [],
    createWorkbench(config, observer) {
      const workbench: Workbench = create(config, `workbench-${++workbenches}`, resourcesFor({}), { observer });
      return { ...workbench, close: closedWithEngine(() => workbench.close()) };
    },
    callTool(workbench, call, options) {
      const { useTool } = createMetaCalls(workbench, options.agent.gone, log);
      const none = { meta: undefined, requestState: undefined, inputResponses: undefined };
      return useTool(call, { ...options, ...none, isModern: false });
    },
    openSession(config, output, options = {}) {
      const id = `session-${++sessions}`;
      let file = fileOf(config);
      const { computer, front, why, log: itsLog = log, isFrozen } = options;
      const resources = resourcesFor(options);
      const { cacheDirectory } = resources;
      const since = Date.now();
      const report = reports.of({ id, config: file, since, cwd: computer?.cwd, front, why, cacheDirectory });
      const workbench = create(config, id, resources, { observer: report.observer, log: itsLog, isFrozen });
      output.maxBytes = longestMessageTo(config);
      const keepLine = (line: string) => keep(resources, front ?? process.pid, line);
      keepLine(`serves ${file ?? 'the embedded configuration'}`);
      const calls = createCalls(id, workbench, output, itsLog);
      const closeSession = async () => {
        report.close();
        calls.close();
        await workbench.close();
        if (resources !== own) await flushFor(resources);
      };
      return {
        id,
        calls,
        apply(next) {
          if (fileOf(next) !== file) report.serve((file = fileOf(next)));
          workbench.apply(next);
          output.maxBytes = longestMessageTo(next);
        },
        note: (text) => workbench.note(text),
        keepLine,
        close: closedWithEngine(closeSession),
      };
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** Undefined for the embedded one. */
function fileOf({ source }: Config): string | undefined {
  return source.kind === 'file' ? source.path : undefined;
}

/** Who raises `maxResultBytes` of any server has a client that accepts as much. */
function longestMessageTo({ toolboxes }: Config): number {
  const servers = [...toolboxes.values()].flatMap((toolbox) => [...toolbox.servers.values()]);
  const results = servers.map(({ limits }) => limits.maxResultBytes + responseOverheadBytes);
  return results.reduce((most, bytes) => Math.max(most, bytes), longestMessageToAgent);
}

interface EngineOptions {
  /** Servers have log files, and the tool cache is stored on disk. */
  readonly keepsFiles: boolean;
  /** Sessions with equal entries share the processes of servers. */
  readonly sharesServers?: boolean;
  /** Makes the status of sessions known; without it a socket of this process does. */
  readonly publisher?: StatusPublisher;
}

/** The engine for this computer. */
export function startEngine(
  computer: Computer,
  log: Log,
  { keepsFiles, sharesServers, publisher }: EngineOptions,
): Engine {
  const connectors = createConnectors(computer, log);
  const pool = sharesServers === true ? createPool() : undefined;
  const caches = perDirectory((directory) =>
    directory === undefined ? createMemoryCache() : createToolCacheFiles(join(directory, 'tools')),
  );
  const ownLogs = perDirectory((directory) =>
    directory === undefined ? undefined : createLogFile(ownLogFile(directory), (work) => work()),
  );
  const flushFiles = () => [...caches.all(), ...ownLogs.all()].map((files) => files?.flush());

  const of = ({ computer: its = computer, log: itsLog = log }: SessionOptions): SessionResources => {
    const { logDirectory, cacheDirectory } = keepsFiles ? fileDirectories(its, itsLog) : noDirectories;
    const dataDirectory = loginDirectory(its, itsLog);
    const connector = connectors.of({ computer: its, log: itsLog, logDirectory, cacheDirectory, dataDirectory });
    return {
      connectFor: (id) =>
        pool === undefined
          ? connector
          : { ...connector, connect: pool.of({ id, computer: its, log: itsLog, connector }) },
      cache: caches.of(cacheDirectory),
      cacheDirectory,
      locks: createLockFiles(its, itsLog, { keepsFiles }),
      keepLine: ownLogs.of(logDirectory)?.add,
    };
  };
  const loadStatus = async () => {
    const { serveStatus } = await loadPart(() => import('./observe/status/serve-status.js'));
    return serveStatus({ cwd: computer.cwd, publisher }, log);
  };
  return createEngine(
    {
      of,
      flush: async () => void (await Promise.all([connectors.flush(), ...flushFiles()])),
      loadStatus: keepsFiles ? loadStatus : undefined,
      processes: pool?.processes,
    },
    log,
  );
}

const noDirectories = { logDirectory: undefined, cacheDirectory: undefined };

/** A server with what its `envCommand` prints. Runs the program, but not the server. */
export async function settleServer(
  server: ServerConfig,
  computer: Computer,
  log: Log,
  signal: AbortSignal,
): Promise<ServerConfig> {
  return (await createConnectors(computer, log).of({ computer, log }).settle(server, signal)).server;
}
