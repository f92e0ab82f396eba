import type { ServerConfig } from '../../config/config.js';
import { DownstreamFailure } from '../../contract/downstream-failure.js';
import { messageOf } from '../../contract/errors.js';
import type { Log } from '../../platform/log.js';
import { createCrashHistory, isCrash } from '../failures/crash-history.js';
import type { RetryAfter } from '../failures/retry-after.js';
import type { Agent } from '../ports/agent.js';
import type { ConnectDownstream } from '../ports/downstream.js';
import type { Observer } from '../ports/observer.js';
import type { KnownTools } from '../ports/tool-cache.js';
import { connectServer, knownFrom, Unready } from './connect-server.js';
import { createIdleTimer } from './idle-timer.js';
import { createStartWatch, failureFacts, type StartWatch } from './start-watch.js';
import { type Listing, listingOf, type Ready, type State } from './supervised-server.js';

/** What the servers of a workbench have in common. */
export interface Surroundings {
  readonly connect: ConnectDownstream;
  /** Gets what a server lists. */
  readonly learn: (server: ServerConfig, known: KnownTools) => void;
  readonly log: Log;
  readonly observer: Observer;
}

/** Of one server, as they are at the moment. */
export interface Circumstances {
  readonly server: () => ServerConfig;
  /** Whether a call runs. */
  readonly isUsed: () => boolean;
  /** Why it must not be started any more, if its entry has changed or is gone. */
  readonly retired: () => DownstreamFailure | undefined;
  readonly retryAfter: RetryAfter;
}

/** Starts a server, puts it to sleep and ends it: one process at a time. */
export interface ServerLife
  extends Pick<StartWatch, 'inTime' | 'lastWords' | 'hasFailed' | 'isOverdue' | 'markOverdue'> {
  /** Undefined unless it can be used at once. */
  ready(): Ready | undefined;
  /** Its tools, if they are known and it does not run. */
  known(): Listing | undefined;
  /** Whether nothing of it runs. */
  isAsleep(): boolean;
  /** Starts it if need be. */
  wake(agent?: Agent): Promise<Ready>;
  /** A call has ended. */
  used(): void;
  /** Its entry was adjusted. `isCachedElsewhere`: what it lists has to be learnt again. */
  adjusted(isCachedElsewhere: boolean): void;
  /** Gives up a start. */
  abort(): void;
  /** Stops it for good. */
  close(): Promise<void>;
}

/** `previous`: resolves when the process that served these names before has ended; nothing is started until then. */
export function createServerLife(
  { server, isUsed, retired, retryAfter }: Circumstances,
  { connect, learn, log, observer }: Surroundings,
  previous?: Promise<void>,
): ServerLife {
  const label = `${server().toolbox}/${server().name}`;
  const crashes = createCrashHistory();
  const idleness = createIdleTimer(isUsed, sleep);
  const watch = createStartWatch(server, observer);
  const events = { started: watch.started, ended: onEnded, moved: onMoved, ready: onReady };
  let state: State = { is: 'asleep', known: undefined };
  let isMovedEarly = false;
  if (previous !== undefined) stop(previous, undefined);

  function wake(agent?: Agent): Promise<Ready> {
    switch (state.is) {
      case 'ready':
        return Promise.resolve(state.ready);
      case 'starting':
        return state.start;
      case 'stopping':
        return state.done.then(() => wake(agent));
      case 'closed':
        return Promise.reject(retired() ?? new DownstreamFailure('unreachable', 'the workbench is closing'));
      case 'asleep':
        return start(agent);
    }
  }

  function start(agent: Agent | undefined): Promise<Ready> {
    const refusal = retired() ?? crashes.refusal() ?? retryAfter.refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    const abort = new AbortController();
    const { startTimeoutMs } = server().limits;
    const late = new DownstreamFailure('timeout', `it was not ready within ${startTimeoutMs} ms (startTimeoutMs)`);
    const timer = setTimeout(() => abort.abort(late), startTimeoutMs);
    const attempt = startOnce(abort.signal, agent).finally(() => clearTimeout(timer));
    state = { is: 'starting', start: attempt, abort };
    return attempt;
  }

  async function startOnce(signal: AbortSignal, agent: Agent | undefined): Promise<Ready> {
    isMovedEarly = false;
    watch.begin();
    try {
      return await connectServer({ server, connect, learn, log }, events, signal, agent);
    } catch (error) {
      if (!(error instanceof Unready)) throw error;
      throw await onFailed(error.cause, error.cleanup);
    }
  }

  function onReady(ready: Ready): void {
    state = { is: 'ready', ready, since: performance.now() };
    watch.end(ready.downstream, ready.tools.tools.length);
    log.info(`${label}: ready`);
    idleness.start(server().limits.idleTimeoutMs);
    if (isMovedEarly) onMoved();
  }

  async function onFailed(error: unknown, cleanup: Promise<void>): Promise<unknown> {
    if (error instanceof DownstreamFailure && isCrash(error)) crashes.crashed(error, 0);
    retryAfter.note(error);
    const explained = watch.endWith(error, retired() !== undefined);
    if (state.is === 'closed') await cleanup;
    else stop(cleanup, undefined);
    return explained;
  }

  function onEnded(failure: DownstreamFailure): void {
    // During a start, the start itself fails with the reason.
    if (state.is !== 'ready') return;
    log.warn(`${label}: ${failure.message}`);
    observer.report({ is: 'ended', at: Date.now(), server: server(), ...failureFacts(failure) });
    if (isCrash(failure)) crashes.crashed(failure, performance.now() - state.since);
    idleness.stop();
    stop(state.ready.downstream.close(), undefined);
  }

  /** What was sent is answered over the old connection; the next call gets another one. */
  function onMoved(): void {
    isMovedEarly = state.is === 'starting';
    if (state.is !== 'ready') return;
    log.info(`${label}: its process is no longer shared; the next call gets one of its own`);
    observer.report({ is: 'moved', at: Date.now(), server: server() });
    idleness.stop();
    stop(state.ready.downstream.close(), listingOf(state.ready));
  }

  /** A new start waits for the cleanup, so that two processes of one server never overlap. */
  function stop(closing: Promise<void>, known: Listing | undefined): void {
    // A failed cleanup must not end the workbench: the watchdog removes what is left.
    const logFailure = (error: unknown) => log.warn(`${label}: cleanup failed: ${messageOf(error)}`);
    const done = closing.catch(logFailure).finally(() => {
      if (state.is === 'stopping') state = { is: 'asleep', known: state.known };
    });
    state = { is: 'stopping', done, known };
  }

  function sleep(): void {
    if (state.is !== 'ready') return;
    log.info(`${label}: idle, stopped until the next call`);
    observer.report({ is: 'asleep', at: Date.now(), server: server() });
    stop(state.ready.downstream.close(), listingOf(state.ready));
  }

  return {
    inTime: (options, work) => watch.inTime(options, work),
    lastWords: watch.lastWords,
    ready: () => (state.is === 'ready' ? state.ready : undefined),
    known: () => (state.is === 'asleep' || state.is === 'stopping' ? state.known : undefined),
    isAsleep: () => state.is === 'asleep',
    wake,
    hasFailed: watch.hasFailed,
    isOverdue: watch.isOverdue,
    markOverdue: watch.markOverdue,
    used: () => idleness.refresh(),

    adjusted(isCachedElsewhere) {
      if (state.is === 'ready') {
        const { tools, downstream } = state.ready;
        const { limits } = server();
        tools.filter();
        downstream.adjust(limits);
        idleness.start(limits.idleTimeoutMs);
        if (isCachedElsewhere) learn(server(), knownFrom(downstream, { tools: tools.all, omissions: tools.omissions }));
      } else if ('known' in state && state.known !== undefined) {
        const { tools, instructions } = state.known;
        state = { ...state, known: { tools: tools.passing(server()), instructions } };
      }
    },

    abort() {
      if (state.is === 'starting') state.abort.abort(retired());
    },

    async close() {
      idleness.stop();
      const last = state;
      state = { is: 'closed' };
      // Once the entry is gone, clear its failed or asleep status too.
      const isForgotten = watch.hasBegun() && retired() !== undefined;
      if (last.is !== 'asleep' || isForgotten) observer.report({ is: 'stopped', at: Date.now(), server: server() });
      if (last.is === 'starting') {
        last.abort.abort(retired() ?? new DownstreamFailure('cancelled', 'the workbench is closing'));
        await last.start.catch(() => {});
      }
      if (last.is === 'ready') await last.ready.downstream.close();
      if (last.is === 'stopping') await last.done;
    },
  };
}
