import type { Config, ServerConfig } from '../config/config.js';
import type { Overview } from '../config/overview.js';
import { overviewOf } from '../config/overview.js';
import { WorkbenchError } from '../contract/errors.js';
import type { OpenToolboxInput, OpenToolboxResult, ToolIdentifier } from '../contract/types.js';
import type { JsonObject } from '../jsonrpc/json.js';
import type { Log } from '../platform/log.js';
import { createLoginQuestions } from './asking/login-questions.js';
import { createFinder } from './calls/find-tool.js';
import { resourceNotFound, toolNotFound } from './calls/not-found.js';
import { createCallReports } from './calls/report-calls.js';
import { createResourceRoutes } from './calls/resource-routes.js';
import { createToolCalls, type UseTool } from './calls/tool-calls.js';
import { isWithheld } from './calls/withheld-tool.js';
import { createSessionLock, type LockOptions } from './lock/session-lock.js';
import { createOpener } from './opener.js';
import { type Catalog, createCatalog } from './opening/catalog.js';
import type { CallOptions, ConnectDownstream } from './ports/downstream.js';
import type { MaskFor } from './ports/mask.js';
import type { Observer } from './ports/observer.js';
import type { ToolCache } from './ports/tool-cache.js';
import { createRuledCalls } from './rules/ruled-calls.js';
import { unmasked } from './rules/unmasked.js';
import { connectFailed, connectFailedFor, readFailed } from './servers/failures.js';
import { createMemoryCache } from './servers/memory-cache.js';
import { silentObserver } from './servers/silent-observer.js';
import type { Listing, StartOptions } from './servers/supervised-server.js';
import { createSupervisor } from './servers/supervisor.js';
import type { OpenOptions } from './servers/toolbox.js';
import { createToolboxes } from './servers/toolboxes.js';

type ServerPlace = Pick<ToolIdentifier, 'toolbox' | 'server'>;

/** The toolboxes of one configuration and their servers. */
export interface Workbench {
  /** A summary of the configuration. Starts no server. */
  overview(): Overview;
  /** Connects to the toolbox's servers and lists their tools. */
  openToolbox(request: string | OpenToolboxInput, options?: OpenOptions): Promise<OpenToolboxResult>;
  /** Calls a tool of any configured server, in an opened toolbox or not. */
  readonly useTool: UseTool;
  /** Throws if a call of this tool would be refused now: because it does not exist, or for a filter, a rule or the lock. Calls nothing. */
  assertUsable(identifier: ToolIdentifier, options?: CallOptions): Promise<void>;
  /** The known tools of this name that can be called; if there are none, those with the nearest names. Starts no server. */
  knownTools(name: string): Promise<readonly ToolIdentifier[]>;
  /** A text about a call of this server, without the server's secrets. */
  masked(text: string, place: ServerPlace): string;
  /** Starts one server if need be, and lists its tools. */
  inspect(place: ServerPlace, options?: StartOptions): Promise<Listing>;
  /** How long a server takes to list its tools again, in ms. */
  roundTrip(place: ServerPlace): Promise<number>;
  /** Reads a resource that a tool result linked to, from the server that returned it. */
  readResource(uri: string, options?: CallOptions): Promise<JsonObject>;
  /** Ends every server. Resolves when no process it started is left. */
  close(): Promise<void>;
}

/** A workbench whose configuration can be replaced. */
export interface LiveWorkbench extends Workbench {
  /** Takes another configuration. Servers whose entry stays the same continue; calls in flight end as they would have. */
  apply(config: Config): void;
  /** Adds a line to the notes of the next answer of `openToolbox`; undefined: the last one no longer holds. */
  note(text: string | undefined): void;
}

/** What a workbench can do without. */
export interface WorkbenchOptions {
  readonly cache?: ToolCache;
  readonly observer?: Observer;
  readonly lock?: LockOptions | undefined;
  readonly maskFor?: MaskFor;
}

export function createWorkbench(
  given: Config,
  connect: ConnectDownstream,
  log: Log,
  options: WorkbenchOptions = {},
): LiveWorkbench {
  const { cache = createMemoryCache(), observer = silentObserver, lock: lockOptions, maskFor = unmasked } = options;
  let config = given;
  let closing: Promise<unknown> | undefined;
  const learn: Catalog['learn'] = (server, known) => catalog.learn(server, known);
  const entryOf = (server: ServerConfig) =>
    boxes.current.get(server.toolbox)?.servers.get(server.name)?.server ?? server;
  const lock = lockOptions && createSessionLock(lockOptions, entryOf, log);
  const surroundings = { connect: lock?.around(connect) ?? connect, learn, log, observer };
  const boxes = createToolboxes((server, waitMs, previous) => createSupervisor(server, waitMs, surroundings, previous));
  const catalog = createCatalog(() => Array.from(boxes.current.values(), (box) => box.config), cache, lock?.check);
  boxes.apply(config);
  const routes = createResourceRoutes();
  const logins = createLoginQuestions(log);
  const ruledCalls = createRuledCalls(maskFor);
  const find = createFinder({ boxes: () => boxes.current, catalog, lock, openTimeoutMs: () => config.openTimeoutMs });
  const isClosed = () => closing !== undefined;
  const reports = createCallReports(observer);
  const useTool = createToolCalls({ find, catalog, routes, logins, ruledCalls, reports, assertOpen });
  const opener = createOpener({
    ...{ find, catalog, logins, lock, reports, assertOpen },
    config: () => config,
    boxes: () => boxes.current,
  });

  function assertOpen(): void {
    if (isClosed()) throw new WorkbenchError('WORKBENCH_CLOSED', 'The workbench is shutting down');
  }

  return {
    overview: () => overviewOf(config),

    openToolbox: (input, opening = {}) => opener.open(input, opening),

    useTool,
    knownTools: (name) => catalog.named(name),

    masked(text, { toolbox, server }) {
      const known = boxes.current.get(toolbox)?.servers.get(server);
      return known === undefined ? text : maskFor(known.server)(text);
    },

    async assertUsable(id, { agent, signal } = {}) {
      assertOpen();
      const server = find.server(id);
      if (server.server.disabled) throw await connectFailedFor(server.server, 'it is disabled in the configuration');
      const limited = { agent, signal, limitMs: config.openTimeoutMs, isFrozen: lockOptions?.isFrozen };
      const withheld = await isWithheld(id.name, server, catalog, limited).catch((cause: unknown) => {
        throw connectFailed(id, cause, 'The result was not read.');
      });
      if (withheld) throw toolNotFound(id, [], []);
    },

    async inspect(place, starting) {
      assertOpen();
      const server = find.server(place);
      try {
        if (server.server.disabled) throw new Error('it is disabled in the configuration');
        await server.wake(starting);
        return await server.list(starting);
      } catch (cause) {
        throw connectFailed(place, cause, '');
      }
    },

    async roundTrip(place) {
      const { tools } = await find.server(place).wake();
      const began = performance.now();
      await tools.refresh();
      return performance.now() - began;
    },

    async readResource(uri, reading = {}) {
      assertOpen();
      const origin = routes.find(uri);
      if (origin === undefined) throw resourceNotFound(uri);
      const server = find.server(origin);
      try {
        const limited = { ...reading, limitMs: config.openTimeoutMs, isFrozen: lockOptions?.isFrozen };
        if (!(await isWithheld(origin.name, server, catalog, limited))) return await server.readResource(uri, reading);
      } catch (cause) {
        throw readFailed(uri, origin, cause);
      }
      throw resourceNotFound(uri);
    },

    async close() {
      closing ??= boxes.close();
      await closing;
    },

    apply(next) {
      if (isClosed()) return;
      config = next;
      boxes.apply(next);
      catalog.prune();
    },

    note: (text) => opener.note(text),
  };
}
