import { join } from 'node:path';
import type { Config, ServerConfig } from './config/config.js';
import { createLockFiles } from './config/lock-file/lock-files.js';
import type { ToolLocks } from './config/lock-file/tool-lock.js';
import { WorkbenchError } from './contract/errors.js';
import { createToolCacheFiles } from './downstream/cache/tool-cache-files.js';
import { createConnectors, type SessionSurroundings } from './downstream/connect.js';
import { createLogFile } from './downstream/logs/log-file.js';
import { ownLogFile } from './downstream/logs/log-names.js';
import type { LoginBrowser } from './downstream/oauth/login-browser.js';
import { createPool, type PooledProcess, type PoolSession } from './downstream/pool/pool.js';
import type { ProcessLimits } from './downstream/pool/process-quota.js';
import { flushLimitMs } from './limits.js';
import { createFanOut, type SinkPart } from './observe/fan-out.js';
import { failuresPart } from './observe/status/failures-part.js';
import type { StatusPublisher } from './observe/status/serve-status.js';
import { statusPart } from './observe/status/status-part.js';
import type { Computer } from './platform/computer.js';
import { type Log, silentLog } from './platform/log.js';
import { perDirectory } from './platform/per-directory.js';
import { keepHeapSmall } from './platform/small-heap.js';
import { settlesWithin } from './platform/time-limit.js';
import { fileDirectories, ownDirectories } from './platform/usable-directories.js';
import { createEngineLink, type EngineLink, fileOf, type OpenedLink } from './session/engine-link.js';
import { ownMethods, recordStarts } from './session/own-requests.js';
import { localUser, type Principal } from './session/principal.js';
import type { Signing } from './session/questions/request-state.js';
import type { AgentOutput } from './session/transport.js';
import type { ConnectDownstream } from './workbench/ports/downstream.js';
import type { MaskFor } from './workbench/ports/mask.js';
import type { Observer } from './workbench/ports/observer.js';
import type { ToolCache } from './workbench/ports/tool-cache.js';
import { createMemoryCache } from './workbench/servers/memory-cache.js';
import { createWorkbench, type LiveWorkbench, type Workbench } from './workbench/workbench.js';

// Exported with the engine, which always needs a configuration.
export { assemble } from './config/resolve/assemble.js';
export type { EngineLink } from './session/engine-link.js';

/** Resources of the computer, created once for all sessions. */
export interface Shared {
  of(session: LinkOptions): SessionResources;
  /** Writes pending data to files. */
  flush(): Promise<void>;
  /** What gets the events of sessions. */
  readonly sinks?: readonly SinkPart[];
  readonly processes?: (() => PooledProcess[]) | undefined;
  /** Adds a line to the log file of this process. */
  readonly keepLine?: ((line: string) => void) | undefined;
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
  /** A workbench for a program that has no agent. */
  createWorkbench(config: Config): Workbench;
  /** Serves the calls of one session, with questions and servers of its own. */
  openLink(config: Config, output: AgentOutput, options: LinkOptions): EngineLink;
  /** Adds a line to the log file of this process, for `mcp-workbench logs`. */
  keepLine(line: string): void;
  /** The processes of servers, if sessions share them, and which session uses them. */
  processes(): PooledProcess[];
  /** Ends every session and every server, then flushes files. False if a file could not be written in time. */
  close(): Promise<boolean>;
}

/** The session whose calls are served, as far as it is not that of this process. */
export interface LinkOptions {
  readonly id: string;
  readonly principal: Principal;
  /** Its servers get this environment and directory. */
  readonly computer?: Computer | undefined;
  /** Who waits for the browser of a user who logs in at a server; a port of this computer if nothing else does. */
  readonly browser?: LoginBrowser | undefined;
  /** Gets the lines about this session and its servers. */
  readonly log?: Log | undefined;
  /** The process that the client has started. */
  readonly front?: number | undefined;
  /** Why it is not served by a host, if it tried. */
  readonly why?: string | undefined;
  /** It tried to use a host; running without one is no choice of the user. */
  readonly wantedHost?: boolean | undefined;
  /** What is not in the lock is blocked. */
  readonly isFrozen?: boolean | undefined;
  /** Of the states that a modern agent returns with its answers, if they have to be valid longer than this session. */
  readonly signing?: Signing | undefined;
  /** It is a command of ours, which may ask for more than an agent. */
  readonly isCommand?: boolean | undefined;
  /** What servers list is not compared with the lock, nor added to it: the user is about to look at it. */
  readonly isReview?: boolean | undefined;
}

/** What `close` of the engine ends as well: a session, or a workbench of its own. */
interface Open {
  close(): Promise<void>;
  readonly locks: ToolLocks | undefined;
}

export function createEngine(shared: Shared, log: Log): Engine {
  const open = new Set<Open>();
  const events = createFanOut(shared.sinks ?? [], log);
  let workbenches = 0;
  let closing: Promise<boolean> | undefined;

  function create(config: Config, options: LinkOptions, given: Given): LiveWorkbench {
    if (closing !== undefined) throw new WorkbenchError('WORKBENCH_CLOSED', 'The workbench is shutting down');
    const { id, log: its = log, isFrozen = false, isReview = false } = options;
    const { connectFor, cache } = given.resources;
    const locks = isReview ? undefined : given.resources.locks;
    const { connect, maskFor } = connectFor(id);
    return createWorkbench(config, connect, its, {
      cache,
      observer: given.observer,
      lock: locks && { locks, isFrozen },
      maskFor,
    });
  }

  /** The same, which `close` of the engine closes as well until it has been closed. */
  function closedWithEngine(closeOne: () => Promise<void>, locks: ToolLocks | undefined): () => Promise<void> {
    let ended: Promise<void> | undefined;
    const one: Open = {
      locks,
      close() {
        // Until then its files may be unwritten, and the process must not end.
        ended ??= closeOne().finally(() => open.delete(one));
        return ended;
      },
    };
    open.add(one);
    return () => one.close();
  }

  const flush = (locks: readonly (ToolLocks | undefined)[]) =>
    Promise.all([shared.flush(), events.flush(), ...locks.map((one) => one?.flush())]);

  async function close(): Promise<boolean> {
    events.close();
    const locks = Array.from(open, (one) => one.locks);
    // At once: a client may kill this process while its servers still end.
    const known = flush(locks).catch(() => {});
    await Promise.allSettled(Array.from(open, (one) => one.close()));
    return settlesWithin(flushLimitMs, Promise.all([known, flush(locks)]));
  }

  return {
    keepLine: (line) => shared.keepLine?.(`[${process.pid}] ${line}`),
    processes: () => shared.processes?.() ?? [],
    createWorkbench(config) {
      const options = { id: `workbench-${++workbenches}`, principal: localUser };
      const resources = shared.of(options);
      const workbench: Workbench = create(config, options, { resources });
      return { ...workbench, close: closedWithEngine(() => workbench.close(), resources.locks) };
    },
    openLink(config, output, options) {
      const resources = shared.of(options);
      const { cacheDirectory, locks, keepLine: keep } = resources;
      const { id, principal, computer, front = process.pid, why, wantedHost, log: its = log } = options;
      const file = fileOf(config);
      const since = Date.now();
      const place = { config: file, since, cwd: computer?.cwd, front: options.front, why, wantedHost, cacheDirectory };
      const observer = events.of({ id, principal: principal.key, ...place, calls: () => link.inFlight });
      const starts = options.isCommand === true ? recordStarts(observer, sendTo(output)) : undefined;
      const workbench = create(config, options, { resources, observer: starts?.observer ?? observer });
      observer.report({ is: 'began', at: since });
      const report = {
        serve: (next: string | undefined) => observer.report({ is: 'serves', at: Date.now(), config: next }),
        shown: (call: number, chars: number) => observer.report({ is: 'shown', at: Date.now(), call, chars }),
        close: () => observer.report({ is: 'closed', at: Date.now() }),
      };
      const keepLine = (line: string) => keep?.(`[${front}] ${line}`);
      keepLine(`serves ${file ?? 'the embedded configuration'}`);
      // Its process may live on for long, or be killed.
      const flushOwn = () => settlesWithin(flushLimitMs, flush([locks]));
      const link: OpenedLink = createEngineLink(id, workbench, output, {
        report,
        flush: flushOwn,
        log: its,
        calls: { command: starts?.latestOf, signing: options.signing },
      });
      link.serve(config);
      return Object.assign(link, { keepLine, close: closedWithEngine(() => link.end(), locks) });
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** A command shows how servers start. */
function sendTo(output: AgentOutput): Parameters<typeof recordStarts>[1] {
  return ({ server: { toolbox, name: server }, ...event }) =>
    output.send({ jsonrpc: '2.0', method: ownMethods.server, params: { toolbox, server, event } });
}

interface Given {
  readonly resources: SessionResources;
  readonly observer?: Observer | undefined;
}

interface EngineOptions {
  /** Servers have log files, and the tool cache is stored on disk. */
  readonly keepsFiles: boolean;
  /** It is for a command of ours, which ends soon: it publishes no status, but keeps why servers failed. */
  readonly isCommand?: boolean;
  /** Sessions with equal entries share the processes of servers. */
  readonly sharesServers?: boolean;
  /** How many processes of servers there may be. */
  readonly processes?: ProcessLimits | undefined;
  /** What servers list for the first time is remembered, but no lock is written. */
  readonly readsLocksOnly?: boolean;
  /** Who waits for the browser of a login at a server for everyone, if sessions have users. */
  readonly browser?: LoginBrowser | undefined;
  /** Makes the status of sessions known; without it a socket of this process does. */
  readonly publisher?: StatusPublisher;
}

/** The engine for this computer. */
export function startEngine(computer: Computer, log: Log, options: EngineOptions): Engine {
  const { keepsFiles, isCommand = false, sharesServers, publisher, processes, readsLocksOnly = false } = options;
  keepHeapSmall();
  const connectors = createConnectors(computer, log);
  const pool = sharesServers === true ? createPool(processes) : undefined;
  const caches = perDirectory((directory) =>
    directory === undefined ? createMemoryCache() : createToolCacheFiles(join(directory, 'tools')),
  );
  const ownLogs = perDirectory((directory) =>
    directory === undefined ? undefined : createLogFile(ownLogFile(directory), (work) => work()),
  );
  // A warning about its directory comes with those of the first session.
  const ownLog = () => ownLogs.of(fileDirectories(computer, silentLog).logDirectory);
  const flushFiles = () => [...caches.all(), ...ownLogs.all()].map((files) => files?.flush());

  const connectorOf = (own: SessionSurroundings) => {
    const directories = ownDirectories(own.computer, own.log, keepsFiles);
    return { ...directories, connector: connectors.of({ ...directories, ...own }) };
  };
  // Servers for everyone are those of this process.
  let everyone: ReturnType<PoolSession['everyone']> | undefined;
  const forEveryone = { computer, log, browser: options.browser, isForEveryone: true };
  const everyones = () => (everyone ??= { computer, connector: connectorOf(forEveryone).connector });
  const make = ({ principal, computer: its = computer, log: itsLog = log, browser }: LinkOptions): SessionResources => {
    const { key, identity } = principal;
    const own = { computer: its, log: itsLog };
    const { connector, cacheDirectory, logDirectory } = connectorOf({ ...own, browser });
    const place = { ...own, principal: key, connector, everyone: everyones };
    return {
      connectFor: (id) => (pool === undefined ? connector : { ...connector, connect: pool.of({ id, ...place }) }),
      // Without a directory, what servers of one user list is not for another.
      cache: cacheDirectory === undefined && identity ? createMemoryCache() : caches.of(cacheDirectory),
      cacheDirectory,
      locks: createLockFiles(its, itsLog, { keepsFiles: keepsFiles && !readsLocksOnly }),
      keepLine: ownLogs.of(logDirectory)?.add,
    };
  };
  // Sessions of one principal have one computer, and its resources.
  const made = new WeakMap<Computer, SessionResources>();
  const of = (session: LinkOptions): SessionResources => {
    const resources = (session.computer && made.get(session.computer)) ?? make(session);
    if (session.computer !== undefined) made.set(session.computer, resources);
    return resources;
  };
  const shared = {
    of,
    flush: async () => void (await Promise.all([connectors.flush(), ...flushFiles()])),
    sinks: !keepsFiles ? [] : isCommand ? [failuresPart()] : [statusPart({ cwd: computer.cwd, publisher }, log)],
    processes: pool?.processes,
    keepLine: keepsFiles ? (line: string) => ownLog()?.add(line) : undefined,
  };
  return createEngine(shared, log);
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
