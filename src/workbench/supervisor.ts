import type { ServerConfig } from '../config/config.js';
import { messageOf } from '../contract/errors.js';
import type { Tool } from '../contract/types.js';
import type { CancelSignal } from '../jsonrpc/cancellation.js';
import type { Log } from '../platform/log.js';
import type { ToolResult } from '../results/tool-result.js';
import { createCrashHistory } from './crash-history.js';
import { createGate } from './gate.js';
import type { Agent } from './ports/agent.js';
import {
  type CallOptions,
  type ConnectDownstream,
  type Downstream,
  DownstreamFailure,
  NotSent,
  StartFailure,
} from './ports/downstream.js';
import { type Observer, silentObserver } from './ports/observer.js';
import type { KnownTools, ListedTools } from './ports/tool-cache.js';
import { createRetryAfter } from './retry-after.js';
import { createStartWatch, failureFacts } from './start-watch.js';
import { createToolList, type ToolList, type ToolSnapshot } from './tool-list.js';
import { StillWaiting, within } from './within.js';

/** A `known` listing survives sleep, so that listing a sleeping server does not start it. */
type State =
  | { readonly is: 'asleep'; readonly known: Listing | undefined }
  | { readonly is: 'starting'; readonly start: Promise<Ready>; readonly abort: AbortController }
  | { readonly is: 'ready'; readonly ready: Ready; readonly since: number }
  | { readonly is: 'stopping'; readonly done: Promise<void>; readonly known: Listing | undefined }
  | { readonly is: 'closed' };

interface Ready {
  /** Resolves when the connection has broken by itself. */
  readonly ended: Promise<void>;
  readonly downstream: Downstream;
  readonly tools: ToolList;
}

/** The tools of a server as a value that does not change after the connection has ended. */
export interface Listing {
  readonly tools: ToolSnapshot;
  readonly instructions: string | undefined;
}

export interface StartOptions {
  /** The agent that the server is started for. */
  readonly agent?: Agent | undefined;
  readonly signal?: CancelSignal | undefined;
  /** How long to wait for a start, which continues. Without a limit: for as long as it takes. */
  readonly limitMs?: number;
}

/** One configured server, running or not. Starts it on demand, never twice at a time. */
export interface Supervisor {
  readonly server: ServerConfig;
  /** The tools. Starts the server, unless it is asleep and its tools are known. */
  list(options?: StartOptions): Promise<Listing>;
  /** Runs one call. It is sent at most once: a call whose outcome is unknown is never retried. */
  call(tool: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<ToolResult>;
  /** The tool, if the server is ready and its list is up to date. */
  readyTool(name: string): Tool | undefined;
  /** Its live tools. Starts the server if needed. */
  wake(options?: StartOptions): Promise<{ readonly tools: ToolList }>;
  /** Whether the last start that is over has failed. */
  hasFailed(): boolean;
  /** What the server wrote last, as a phrase, while it is starting. */
  lastWords(): Promise<string | undefined>;
  /** Reads a resource that a result of this server linked to. */
  readResource(uri: string, options: CallOptions): Promise<Readonly<Record<string, unknown>>>;
  /** Whether it is ready, or asleep after its idle timeout. */
  isConnected(): boolean;
  /** Stops it for good. */
  close(): Promise<void>;
}

/** The server could not be started, so nothing was sent to it. The cause says why. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted';
}

/** `waitMs`: how long a call waits for its server to start. The start itself continues. */
export function createSupervisor(
  server: ServerConfig,
  connect: ConnectDownstream,
  waitMs: number,
  learn: (known: KnownTools) => void,
  log: Log,
  observer: Observer = silentObserver,
): Supervisor {
  const { limits } = server;
  const label = `${server.toolbox}/${server.name}`;
  const crashes = createCrashHistory();
  const retryAfter = createRetryAfter();
  const gate = createGate(limits.maxConcurrentCalls, limits.maxQueuedCalls);
  let state: State = { is: 'asleep', known: undefined };
  let idleTimer: NodeJS.Timeout | undefined;
  let hasFailed = false;
  const watch = createStartWatch(server, observer);

  function wake(agent?: Agent): Promise<Ready> {
    switch (state.is) {
      case 'ready':
        return Promise.resolve(state.ready);
      case 'starting':
        return state.start;
      case 'stopping':
        return state.done.then(() => wake(agent));
      case 'closed':
        return Promise.reject(new DownstreamFailure('unreachable', 'the workbench is closing'));
      case 'asleep':
        return start(agent);
    }
  }

  function start(agent: Agent | undefined): Promise<Ready> {
    const refusal = crashes.refusal() ?? retryAfter.refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    const abort = new AbortController();
    const late = new DownstreamFailure(
      'timeout',
      `it was not ready within ${limits.startTimeoutMs} ms (startTimeoutMs)`,
    );
    const timer = setTimeout(() => abort.abort(late), limits.startTimeoutMs);
    const attempt = startOnce(abort.signal, agent).finally(() => clearTimeout(timer));
    state = { is: 'starting', start: attempt, abort };
    return attempt;
  }

  async function startOnce(signal: AbortSignal, agent: Agent | undefined): Promise<Ready> {
    let markEnded = () => {};
    const ended = new Promise<void>((resolve) => {
      markEnded = resolve;
    });
    const listener = {
      started: watch.started,
      ended(failure: DownstreamFailure) {
        onEnded(failure);
        markEnded();
      },
      toolsChanged() {
        if (tools === undefined) changedEarly = true;
        else tools.changed();
      },
    };
    let downstream: Downstream | undefined;
    let tools: ToolList | undefined;
    let changedEarly = false;
    watch.begin();
    try {
      downstream = await connect(server, listener, signal, agent);
      const { instructions, about } = downstream;
      const learnTools = (listed: ListedTools) => learn({ ...listed, instructions, about });
      tools = await createToolList(server, downstream, signal, learnTools, log);
      if (changedEarly) tools.changed();
      signal.throwIfAborted();
      const ready = { downstream, tools, ended };
      state = { is: 'ready', ready, since: performance.now() };
      watch.end(downstream, tools.tools.length);
      hasFailed = false;
      log.info(`${label}: ready`);
      watchIdleness();
      return ready;
    } catch (error) {
      if (error instanceof DownstreamFailure && isCrash(error)) crashes.crashed(error, 0);
      retryAfter.note(error);
      const explained = watch.endWith(error);
      hasFailed = true;
      const cleanup = error instanceof StartFailure ? error.cleanup : downstream?.close();
      if (state.is === 'closed') await cleanup;
      else stop(cleanup ?? Promise.resolve(), undefined);
      throw await explained;
    }
  }

  function onEnded(failure: DownstreamFailure): void {
    // During a start, the start itself fails with the reason.
    if (state.is !== 'ready') return;
    log.warn(`${label}: ${failure.message}`);
    observer.server(server, { is: 'ended', at: Date.now(), ...failureFacts(failure) });
    if (isCrash(failure)) crashes.crashed(failure, performance.now() - state.since);
    clearTimeout(idleTimer);
    stop(state.ready.downstream.close(), undefined);
  }

  /** A new start waits for the cleanup, so that two processes of one server never overlap. */
  function stop(closing: Promise<void>, known: Listing | undefined): void {
    // A failed cleanup must not end the workbench: the watchdog removes what is left.
    const logFailure = (error: unknown) => log.warn(`${label}: cleanup failed: ${messageOf(error)}`);
    const done = closing.catch(logFailure).finally(() => {
      if (state.is === 'stopping') state = { is: 'asleep', known };
    });
    state = { is: 'stopping', done, known };
  }

  function watchIdleness(): void {
    if (limits.idleTimeoutMs === 0) return;
    idleTimer = setTimeout(() => {
      if (state.is !== 'ready' || gate.running > 0) return;
      log.info(`${label}: idle, stopped until the next call`);
      observer.server(server, { is: 'asleep', at: Date.now() });
      stop(state.ready.downstream.close(), listingOf(state.ready));
    }, limits.idleTimeoutMs);
    idleTimer.unref();
  }

  async function inTime<T>({ signal, limitMs }: StartOptions, work: Promise<T>): Promise<T> {
    if (limitMs === undefined && signal === undefined) return work;
    try {
      return await within(limitMs, work, signal);
    } catch (error) {
      throw error instanceof StillWaiting ? new StillWaiting(error.message, await watch.lastWords()) : error;
    }
  }

  async function liveListing(agent: Agent | undefined): Promise<Listing> {
    const ready = await wake(agent);
    await ready.tools.settled();
    return listingOf(ready);
  }

  async function wakeFor({ signal, agent }: CallOptions): Promise<Ready> {
    try {
      return await inTime({ signal, limitMs: waitMs }, wake(agent));
    } catch (cause) {
      throw new NotStarted('the server could not be started', { cause });
    }
  }

  /** Every request to the server goes through here: it enforces the limits and waits while the server is being stopped. */
  async function use<T>(options: CallOptions, action: (downstream: Downstream) => Promise<T>): Promise<T> {
    if (options.signal?.aborted === true || !gate.tryEnter()) await gate.enter(options.signal);
    try {
      const { downstream, ended } = state.is === 'ready' ? state.ready : await wakeFor(options);
      const refusal = retryAfter.refusal();
      if (refusal !== undefined) throw refusal;
      try {
        return await action(downstream);
      } catch (error) {
        if (!(error instanceof NotSent)) throw error;
        await within(waitMs, ended, options.signal);
      }
      return await action((await wakeFor(options)).downstream);
    } catch (error) {
      retryAfter.note(error);
      throw error;
    } finally {
      gate.leave();
      // Idle time counts from the end of the last call; the timer does nothing while a call runs.
      if (state.is === 'ready') idleTimer?.refresh();
    }
  }

  return {
    server,

    async list(options = {}) {
      const known = state.is === 'asleep' || state.is === 'stopping' ? state.known : undefined;
      if (known !== undefined) return known;
      return inTime(options, liveListing(options.agent));
    },

    readyTool: (name) =>
      state.is === 'ready' && state.ready.tools.isSettled ? state.ready.tools.get(name) : undefined,

    wake: (options = {}) => inTime(options, wake(options.agent)),

    hasFailed: () => hasFailed,

    lastWords: watch.lastWords,

    call: (tool, args, options) => use(options, (downstream) => downstream.callTool(tool, args, options)),

    readResource: (uri, options) => use(options, (downstream) => downstream.readResource(uri, options)),

    isConnected: () => state.is === 'ready' || (state.is === 'asleep' && state.known !== undefined),

    async close() {
      clearTimeout(idleTimer);
      const last = state;
      state = { is: 'closed' };
      if (last.is !== 'asleep') observer.server(server, { is: 'stopped', at: Date.now() });
      if (last.is === 'starting') {
        last.abort.abort(new DownstreamFailure('cancelled', 'the workbench is closing'));
        await last.start.catch(() => {});
      }
      if (last.is === 'ready') await last.ready.downstream.close();
      if (last.is === 'stopping') await last.done;
    },
  };
}

/** A session that a remote server has forgotten is replaced; servers may keep theirs for a minute only. */
function isCrash({ kind }: DownstreamFailure): boolean {
  return kind === 'crashed' || kind === 'lost';
}

function listingOf({ tools, downstream }: Ready): Listing {
  return { tools: tools.snapshot(), instructions: downstream.instructions };
}
