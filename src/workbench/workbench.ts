import type { Config, ServerConfig } from '../config/config.js';
import type { Overview } from '../config/overview.js';
import { overviewOf } from '../config/overview.js';
import { WorkbenchError } from '../contract/errors.js';
import type { OpenToolboxInput, OpenToolboxResult, Tool, ToolIdentifier } from '../contract/types.js';
import type { Log } from '../platform/log.js';
import type { ToolResult } from '../results/tool-result.js';
import { createLoginQuestions } from './asking/login-questions.js';
import { explanationOf, withExplanation } from './calls/explanation.js';
import { resourceNotFound, serverNotFound, taskRequired, toolboxNotFound, toolNotFound } from './calls/not-found.js';
import { reportFailure, reportOpening, reportResult } from './calls/report-calls.js';
import { createResourceRoutes } from './calls/resource-routes.js';
import { refuseRoots } from './calls/unoffered-roots.js';
import { isWithheld } from './calls/withheld-tool.js';
import { jsonChars } from './listing/listed-tool.js';
import { needsTasks } from './listing/needs-tasks.js';
import { createSessionLock, type LockOptions } from './lock/session-lock.js';
import { type Catalog, createCatalog } from './opening/catalog.js';
import type { Request } from './opening/open-answer.js';
import { openBudget } from './opening/open-budget.js';
import { openEverything } from './opening/open-everything.js';
import { openToolbox } from './opening/open-toolbox.js';
import type { CallOptions, ConnectDownstream } from './ports/downstream.js';
import { type MaskFor, unmasked } from './ports/mask.js';
import { type Observer, silentObserver } from './ports/observer.js';
import type { ToolCache } from './ports/tool-cache.js';
import { EntryChanged } from './rules/asking-call.js';
import { assertCallable, createRuledCalls } from './rules/ruled-calls.js';
import { isDifference, isReachable, judgeName } from './rules/verdict.js';
import { callFailed, connectFailed, isRpcError, readFailed } from './servers/failures.js';
import { createMemoryCache } from './servers/memory-cache.js';
import type { Listing, StartOptions, Supervisor } from './servers/supervised-server.js';
import { createSupervisor } from './servers/supervisor.js';
import type { OpenOptions, Toolbox } from './servers/toolbox.js';
import { createToolboxes } from './servers/toolboxes.js';

/** In place of a toolbox's name: the known tools of all toolboxes. */
const everything = '*';

/** The toolboxes of one configuration and their servers. */
export interface Workbench {
  /** A summary of the configuration. Starts no server. */
  overview(): Overview;
  /** Connects to the toolbox's servers and lists their tools. */
  openToolbox(request: string | OpenToolboxInput, options?: OpenOptions): Promise<OpenToolboxResult>;
  /** Calls a tool of any configured server, in an opened toolbox or not. */
  useTool(
    identifier: ToolIdentifier,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<ToolResult>;
  /** Starts one server if need be, and lists its tools. */
  inspect(place: Pick<ToolIdentifier, 'toolbox' | 'server'>, options?: StartOptions): Promise<Listing>;
  /** How long a server takes to list its tools again, in ms. */
  roundTrip(place: Pick<ToolIdentifier, 'toolbox' | 'server'>): Promise<number>;
  /** Reads a resource that a tool result linked to, from the server that returned it. */
  readResource(uri: string, options?: CallOptions): Promise<Readonly<Record<string, unknown>>>;
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

export function createWorkbench(
  given: Config,
  connect: ConnectDownstream,
  log: Log,
  cache: ToolCache = createMemoryCache(),
  observer: Observer = silentObserver,
  lockOptions?: LockOptions,
  maskFor: MaskFor = unmasked,
): LiveWorkbench {
  let config = given;
  let pendingNote: string | undefined;
  const learn: Catalog['learn'] = (server, known) => catalog.learn(server, known);
  const entryOf = (server: ServerConfig) =>
    boxes.current.get(server.toolbox)?.servers.get(server.name)?.server ?? server;
  const lock = lockOptions && createSessionLock(lockOptions, entryOf, log);
  const connectServer = lock?.around(connect) ?? connect;
  const boxes = createToolboxes((server, waitMs, previous) =>
    createSupervisor(server, connectServer, waitMs, learn, log, observer, previous),
  );
  const catalog = createCatalog(() => Array.from(boxes.current.values(), (box) => box.config), cache, lock?.check);
  boxes.apply(config);
  const routes = createResourceRoutes();
  const logins = createLoginQuestions(log);
  const ruledCalls = createRuledCalls(maskFor);
  let closing: Promise<unknown> | undefined;

  function assertOpen(): void {
    if (closing !== undefined) throw new WorkbenchError('WORKBENCH_CLOSED', 'The workbench is shutting down');
  }

  function findToolbox(name: string): Toolbox {
    const toolbox = boxes.current.get(name);
    if (toolbox === undefined) throw toolboxNotFound(name, [...boxes.current.keys()]);
    return toolbox;
  }

  function findServer(toolbox: Toolbox, name: string): Supervisor {
    const server = toolbox.servers.get(name);
    if (server !== undefined) return server;
    const elsewhere = [...boxes.current.values()]
      .filter(({ servers }) => servers.has(name))
      .map(({ config: box }) => box.name);
    throw serverNotFound({ toolbox: toolbox.config.name, server: name }, [...toolbox.servers.keys()], elsewhere);
  }

  async function findTool(server: Supervisor, id: ToolIdentifier, options: CallOptions): Promise<Tool> {
    try {
      return await lookUpTool(server, id, options);
    } catch (cause) {
      throw connectFailed(id, cause);
    }
  }

  /** A tool that is not in the known list may be new: lists once more before "not found". */
  async function lookUpTool(server: Supervisor, id: ToolIdentifier, { signal, agent }: CallOptions): Promise<Tool> {
    const deadline = performance.now() + config.openTimeoutMs;
    const options = () => ({ agent, signal, limitMs: Math.max(0, deadline - performance.now()) });
    const known = (await server.list(options())).tools.get(id.name);
    if (known !== undefined) return known;
    const { tools } = await server.wake(options());
    await Promise.all([tools.refresh(), lock?.refresh()]);
    const fresh = tools.get(id.name);
    if (fresh !== undefined) return fresh;
    const names = tools.tools.map((tool) => tool.name);
    // A tool that a filter or rule withholds here must not be answered with where else it is.
    const verdict = tools.withheld.get(id.name) ?? judgeName(server.server, id.name);
    if (lock !== undefined && isDifference(verdict)) throw lock.refusal(server.server, id, verdict);
    throw toolNotFound(id, names, isReachable(verdict) ? await catalog.whereIs(id.name) : []);
  }

  const useTool: Workbench['useTool'] = async (id, args = {}, options = {}) => {
    const began = performance.now();
    try {
      assertOpen();
      const isApproved =
        options.budget?.approval !== undefined && (await ruledCalls.isCarriedOn({ tool: id, args, options }));
      let result: ToolResult;
      try {
        result = await logins.around(id, options, () => callOnce(id, args, options, isApproved));
        if (isApproved) await ruledCalls.ended(result, { tool: id, args, options });
      } catch (error) {
        const again = (is: boolean) => logins.around(id, options, () => callOnce(id, args, options, is));
        result = await ruledCalls.sendAfter(error, { tool: id, args, options }, again, isApproved);
      }
      reportResult(observer, id, result, began, options.agent);
      return result;
    } catch (error) {
      reportFailure(observer, id, error, began, options.agent);
      throw error;
    }
  };

  /** `isApproved`: a person has agreed to it, if that is needed. */
  async function callOnce(
    id: ToolIdentifier,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions,
    isApproved: boolean,
  ): Promise<ToolResult> {
    const server = findServer(findToolbox(id.toolbox), id.server);
    if (server.server.disabled) throw connectFailed(id, 'it is disabled in the configuration');
    let tool = server.readyTool(id.name);
    if (tool === undefined) {
      if (server.server.rules.length > 0) await assertKnownCallable(server.server, id.name, isApproved);
      tool = await findTool(server, id, options);
    }
    if (needsTasks(tool)) throw taskRequired(id);
    const entry = server.server;
    assertCallable(entry, tool, isApproved);
    let result: ToolResult;
    try {
      result = await server.call(id.name, args, options, entry);
    } catch (cause) {
      if (cause instanceof EntryChanged) throw cause;
      throw callFailed(id, cause, isRpcError(cause) ? await explanationOf(tool, args) : undefined);
    }
    if (result.isInputRequired && !server.server.roots) refuseRoots(result, id);
    routes.learn(result, id);
    return result.isError ? withExplanation(result, await explanationOf(tool, args)) : result;
  }

  /** Before the server is started for a call that somebody has to be asked about. */
  async function assertKnownCallable(server: ServerConfig, name: string, isApproved: boolean): Promise<void> {
    const tool = (await catalog.known(server))?.tools.find((known) => known.name === name);
    if (tool !== undefined) assertCallable(server, tool, isApproved);
  }

  /** The note counts as part of the answer's budget. It stays if there is no answer. */
  async function withNote(
    request: Request,
    answerTo: (request: Request) => Promise<OpenToolboxResult>,
  ): Promise<OpenToolboxResult> {
    const note = pendingNote;
    if (note === undefined) return answerTo(request);
    pendingNote = undefined;
    try {
      const budgetChars = Math.max(0, request.budgetChars - jsonChars({ notes: [note] }, request));
      const answer = await answerTo({ ...request, budgetChars });
      return { ...answer, notes: [note, ...(answer.notes ?? [])] };
    } catch (error) {
      pendingNote ??= note;
      throw error;
    }
  }

  async function open(input: string | OpenToolboxInput, options: OpenOptions): Promise<OpenToolboxResult> {
    assertOpen();
    const { toolbox, query, tools, detail } = typeof input === 'string' ? { toolbox: input } : input;
    const request = {
      ...openBudget(config.openBudgetChars, options.agent?.client?.name),
      ...(query?.trim() && { query }),
      ...(tools && { tools }),
      ...(detail && { detail }),
    };
    if (lock !== undefined) await lock.refresh();
    return withNote(request, (fitting) =>
      toolbox === everything
        ? openEverything(boxes.current, catalog, fitting)
        : openToolbox(findToolbox(toolbox), catalog, config.openTimeoutMs, fitting, { ...options, logins, lock }),
    );
  }

  return {
    overview: () => overviewOf(config),

    async openToolbox(input, options = {}) {
      const began = performance.now();
      const name = typeof input === 'string' ? input : input.toolbox;
      const report = (error?: unknown) => reportOpening(observer, name, error, began, options.agent);
      try {
        const opened = await open(input, options);
        report();
        return opened;
      } catch (error) {
        report(error);
        throw error;
      }
    },

    useTool,

    async inspect(place, options) {
      assertOpen();
      const server = findServer(findToolbox(place.toolbox), place.server);
      try {
        if (server.server.disabled) throw new Error('it is disabled in the configuration');
        await server.wake(options);
        return await server.list(options);
      } catch (cause) {
        throw connectFailed(place, cause, '');
      }
    },

    async roundTrip(place) {
      const { tools } = await findServer(findToolbox(place.toolbox), place.server).wake();
      const began = performance.now();
      await tools.refresh();
      return performance.now() - began;
    },

    async readResource(uri, options = {}) {
      assertOpen();
      const origin = routes.find(uri);
      if (origin === undefined) throw resourceNotFound(uri);
      const server = findServer(findToolbox(origin.toolbox), origin.server);
      const failed = (cause: unknown): never => {
        throw readFailed(uri, origin, cause);
      };
      const limited = { ...options, limitMs: config.openTimeoutMs };
      if (await isWithheld(origin.name, server, catalog, limited).catch(failed)) throw resourceNotFound(uri);
      return server.readResource(uri, options).catch(failed);
    },

    async close() {
      closing ??= boxes.close();
      await closing;
    },

    apply(next) {
      if (closing !== undefined) return;
      config = next;
      boxes.apply(next);
      catalog.prune();
    },

    note(text) {
      pendingNote = text;
    },
  };
}
