import { join } from 'node:path';
import type { Config, ServerConfig } from './config/config.js';
import { WorkbenchError } from './contract/errors.js';
import type { UseToolInput } from './contract/types.js';
import { createConnectors } from './downstream/connect.js';
import { createLogFile } from './downstream/log-file.js';
import { ownLogFile } from './downstream/log-names.js';
import { createPool, type PooledProcess } from './downstream/pool/pool.js';
import { createToolCacheFiles } from './downstream/tool-cache-files.js';
import { createCalls } from './front/calls.js';
import type { Calls } from './front/lazy-calls.js';
import type { AgentRequest } from './front/questions/agent-request.js';
import { createMetaCalls } from './front/questions/meta-calls.js';
import type { AgentOutput } from './front/stdio-wire.js';
import { longestMessageToAgent, responseOverheadBytes } from './limits.js';
import { createLockFiles } from './lock-file/lock-files.js';
import type { Computer } from './platform/computer.js';
import { cacheDirectoryOf, dataDirectoryOf, logDirectoryOf } from './platform/directories.js';
import { loadPart } from './platform/load-part.js';
import type { Log } from './platform/log.js';
import { directoryProblem } from './platform/own-directory.js';
import { settlesWithin } from './platform/time-limit.js';
import type { ToolResult } from './results/tool-result.js';
import type { StatusPublisher, StatusServer } from './status/serve-status.js';
import { createSessionReports } from './status/session-reports.js';
import { createMemoryCache } from './workbench/memory-cache.js';
import type { ConnectDownstream } from './workbench/ports/downstream.js';
import type { MaskFor } from './workbench/ports/mask.js';
import type { Observer } from './workbench/ports/observer.js';
import type { ToolCache } from './workbench/ports/tool-cache.js';
import type { ToolLocks } from './workbench/ports/tool-lock.js';
import { createWorkbench, type LiveWorkbench, type Workbench } from './workbench/workbench.js';

// Exported with the engine, which always needs a configuration.
export { assemble } from './config/assemble.js';

/** Resources of the computer, created once for all sessions. */
export interface Shared {
  /** Connects to the servers of one session. */
  readonly connectFor: (session: SessionOptions, id: string) => SessionConnector;
  readonly cache: ToolCache;
  /** Without it, nothing is compared with what the user has approved. */
  readonly locks?: ToolLocks | undefined;
  /** Writes pending data to files. */
  flush(): Promise<void>;
  /** Loads what makes sessions known to other processes; without it they are not. */
  readonly loadStatus?: (() => Promise<StatusServer>) | undefined;
  readonly processes?: (() => PooledProcess[]) | undefined;
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
  /** Adds a line to the log file of the workbench, for `mcp-workbench logs`. */
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
  /** What is not in the lock is blocked. */
  readonly isFrozen?: boolean | undefined;
}

export type CommandCall = Pick<AgentRequest, 'agent' | 'signal' | 'onProgress'>;

export interface ServedSession {
  readonly id: string;
  readonly calls: Calls;
  /** The configuration was edited. */
  apply(config: Config): void;
  /** A line for the agent, in the next answer of `open_toolbox`; undefined: the last one no longer holds. */
  note(text: string | undefined): void;
  /** The agent has disconnected. Resolves when all its servers have ended. */
  close(): Promise<void>;
}

// A file on an unresponsive disk must not keep the process alive.
const flushLimitMs = 500;

export function createEngine(shared: Shared, log: Log): Engine {
  // What `close` ends: sessions, and workbenches of their own.
  const open = new Set<() => Promise<void>>();
  const reports = createSessionReports(shared.loadStatus);
  let sessions = 0;
  let workbenches = 0;
  let closing: Promise<boolean> | undefined;

  function create(config: Config, id: string, observer?: Observer, options: SessionOptions = {}): LiveWorkbench {
    if (closing !== undefined) throw new WorkbenchError('WORKBENCH_CLOSED', 'The workbench is shutting down');
    const lock = shared.locks && { locks: shared.locks, isFrozen: options.isFrozen ?? false };
    const { connect, maskFor } = shared.connectFor(options, id);
    return createWorkbench(config, connect, options.log ?? log, shared.cache, observer, lock, maskFor);
  }

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
    await Promise.allSettled(Array.from(open, (closeOne) => closeOne()));
    return settlesWithin(flushLimitMs, Promise.all([shared.flush(), reports.flush()]));
  }

  const keepLine = (line: string) => shared.keepLine?.(`[${process.pid}] ${line}`);

  return {
    keepLine,
    processes: () => shared.processes?.() ?? [],
    createWorkbench(config, observer) {
      const workbench: Workbench = create(config, `workbench-${++workbenches}`, observer);
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
      const { computer, front } = options;
      const report = reports.of({ id, config: file, since: Date.now(), cwd: computer?.cwd, front });
      const workbench = create(config, id, report.observer, options);
      output.maxBytes = longestMessageTo(config);
      keepLine(`serves ${file ?? 'the embedded configuration'}`);
      const calls = createCalls(id, workbench, output, options.log ?? log);
      const closeSession = () => {
        report.close();
        calls.close();
        return workbench.close();
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
export function startEngine(computer: Computer, log: Log, options: EngineOptions): Engine {
  const { keepsFiles, sharesServers, publisher } = options;
  const usable = (directory: string, content: string) => {
    const problem = keepsFiles ? directoryProblem(directory, computer.platform) : undefined;
    if (problem !== undefined) log.warn(`no ${content} are written: ${problem}`);
    return keepsFiles && problem === undefined ? directory : undefined;
  };
  const logDirectory = usable(logDirectoryOf(computer), 'log files of servers');
  const cacheDirectory = usable(cacheDirectoryOf(computer), 'caches');
  const connectors = createConnectors({ platform: computer.platform, logDirectory, cacheDirectory }, log);
  const pool = sharesServers === true ? createPool() : undefined;
  const connectFor = ({ computer: its = computer, log: itsLog = log }: SessionOptions, id: string) => {
    const connector = connectors.of({ computer: its, log: itsLog, dataDirectory: loginDirectory(its, itsLog) });
    return pool === undefined
      ? connector
      : { ...connector, connect: pool.of({ id, computer: its, log: itsLog, connector }) };
  };
  const cache =
    cacheDirectory === undefined ? createMemoryCache() : createToolCacheFiles(join(cacheDirectory, 'tools'));
  const ownLog = logDirectory === undefined ? undefined : createLogFile(ownLogFile(logDirectory), (work) => work());
  const locks = createLockFiles(computer, log, { keepsFiles });
  const flush = async () =>
    void (await Promise.all([connectors.flush(), cache.flush(), locks.flush(), ownLog?.flush()]));
  const loadStatus = async () => {
    const { serveStatus } = await loadPart(() => import('./status/serve-status.js'));
    return serveStatus({ cwd: computer.cwd, cacheDirectory, publisher }, log);
  };
  const status = keepsFiles ? loadStatus : undefined;
  const processes = pool?.processes;
  const keepLine = ownLog?.add;
  return createEngine({ connectFor, cache, locks, flush, loadStatus: status, keepLine, processes }, log);
}

/** A server with what its `envCommand` prints. Runs the program, but not the server. */
export async function settleServer(
  server: ServerConfig,
  computer: Computer,
  log: Log,
  signal: AbortSignal,
): Promise<ServerConfig> {
  return (await createConnectors(computer, log).of({ computer, log }).settle(server, signal)).server;
}

/** Logins are used also where no other files are kept: without them most remote servers cannot be. */
function loginDirectory(computer: Computer, log: Log): string | undefined {
  const directory = dataDirectoryOf(computer);
  const problem = directoryProblem(directory, computer.platform);
  if (problem === undefined) return directory;
  log.warn(`no logins at remote servers are used: ${problem}`);
  return undefined;
}
