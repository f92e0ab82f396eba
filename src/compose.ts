import { join } from 'node:path';
import type { Config } from './config/config.js';
import { WorkbenchError } from './contract/errors.js';
import { createConnector } from './downstream/connect.js';
import { createToolCacheFiles } from './downstream/tool-cache-files.js';
import { createCalls } from './front/calls.js';
import type { Calls } from './front/lazy-calls.js';
import type { AgentOutput } from './front/stdio-wire.js';
import { longestMessageToAgent, responseOverheadBytes } from './limits.js';
import type { Computer } from './platform/computer.js';
import { cacheDirectoryOf, logDirectoryOf } from './platform/directories.js';
import type { Log } from './platform/log.js';
import { directoryProblem } from './platform/own-directory.js';
import { settlesWithin } from './platform/time-limit.js';
import { createMemoryCache } from './workbench/memory-cache.js';
import type { ConnectDownstream } from './workbench/ports/downstream.js';
import type { ToolCache } from './workbench/ports/tool-cache.js';
import { createWorkbench, type LiveWorkbench, type Workbench } from './workbench/workbench.js';

// Exported with the engine, which always needs a configuration.
export { assemble } from './config/assemble.js';

/** Resources of the computer, created once for all sessions. */
export interface Shared {
  readonly connect: ConnectDownstream;
  readonly cache: ToolCache;
  /** Writes pending data to files. */
  flush(): Promise<void>;
}

/** Serves any number of sessions in one process; each has a workbench of its own. */
export interface Engine {
  createWorkbench(config: Config): Workbench;
  /** Serves one agent, with calls, questions and servers of its own. */
  openSession(config: Config, output: AgentOutput): ServedSession;
  /** Ends every session and every server, then flushes files. False if a file could not be written in time. */
  close(): Promise<boolean>;
}

export interface ServedSession {
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
  let sessions = 0;
  let closing: Promise<boolean> | undefined;

  function create(config: Config): LiveWorkbench {
    if (closing !== undefined) throw new WorkbenchError('WORKBENCH_CLOSED', 'The workbench is shutting down');
    return createWorkbench(config, shared.connect, log, shared.cache);
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
    await Promise.allSettled(Array.from(open, (closeOne) => closeOne()));
    return settlesWithin(flushLimitMs, shared.flush());
  }

  return {
    createWorkbench(config) {
      const workbench: Workbench = create(config);
      return { ...workbench, close: closedWithEngine(() => workbench.close()) };
    },
    openSession(config, output) {
      const workbench = create(config);
      output.maxBytes = longestMessageTo(config);
      const calls = createCalls(`session-${++sessions}`, workbench, output, log);
      const closeSession = () => {
        calls.close();
        return workbench.close();
      };
      return {
        calls,
        apply(next) {
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

/** Who raises `maxResultBytes` of any server has a client that accepts as much. */
function longestMessageTo({ toolboxes }: Config): number {
  const servers = [...toolboxes.values()].flatMap((toolbox) => [...toolbox.servers.values()]);
  const results = servers.map(({ limits }) => limits.maxResultBytes + responseOverheadBytes);
  return results.reduce((most, bytes) => Math.max(most, bytes), longestMessageToAgent);
}

/** The engine for this computer. With `keepsFiles`, servers have log files and the tool cache is stored on disk. */
export function startEngine(computer: Computer, log: Log, { keepsFiles }: { readonly keepsFiles: boolean }): Engine {
  const usable = (directory: string, content: string) => {
    const problem = keepsFiles ? directoryProblem(directory, computer.platform) : undefined;
    if (problem !== undefined) log.warn(`no ${content} are written: ${problem}`);
    return keepsFiles && problem === undefined ? directory : undefined;
  };
  const logDirectory = usable(logDirectoryOf(computer), 'log files of servers');
  const cacheDirectory = usable(cacheDirectoryOf(computer), 'caches');
  const connector = createConnector({ ...computer, logDirectory, cacheDirectory }, log);
  const cache =
    cacheDirectory === undefined ? createMemoryCache() : createToolCacheFiles(join(cacheDirectory, 'tools'));
  const flush = async () => void (await Promise.all([connector.flush(), cache.flush()]));
  return createEngine({ connect: connector.connect, cache, flush }, log);
}
