import type { ServerConfig } from '../../config/config.js';
import { DownstreamFailure, NotSent } from '../../contract/downstream-failure.js';
import { messageOf } from '../../contract/errors.js';
import type { Log } from '../../platform/log.js';
import { settlesWithin } from '../../platform/time-limit.js';
import { createCrashHistory, isCrash } from '../failures/crash-history.js';
import { createRetryAfter } from '../failures/retry-after.js';
import type { Agent } from '../ports/agent.js';
import type { CallOptions, ConnectDownstream, Downstream } from '../ports/downstream.js';
import { type Observer, silentObserver } from '../ports/observer.js';
import type { KnownTools } from '../ports/tool-cache.js';
import { EntryChanged } from '../rules/asking-call.js';
import { connectServer, knownFrom, Unready } from './connect-server.js';
import { createGate } from './gate.js';
import { createIdleTimer } from './idle-timer.js';
import { createRetirement } from './retirement.js';
import { createStartWatch, failureFacts } from './start-watch.js';
import { type Listing, listingOf, NotStarted, type Ready, type State, type Supervisor } from './supervised-server.js';
import { within } from './within.js';

/**
 * `waitMs`: how long a call waits for its server to start. The start itself continues. `previous`: resolves when the process
 * that served these names before has ended; nothing is started until then.
 */
export function createSupervisor(
  given: ServerConfig,
  connect: ConnectDownstream,
  givenWaitMs: number,
  learn: (server: ServerConfig, known: KnownTools) => void,
  log: Log,
  observer: Observer = silentObserver,
  previous?: Promise<void>,
): Supervisor {
  let server = given;
  let waitMs = givenWaitMs;
  const label = `${server.toolbox}/${server.name}`;
  const crashes = createCrashHistory();
  const retryAfter = createRetryAfter();
  const gate = createGate(server.limits.maxConcurrentCalls, server.limits.maxQueuedCalls);
  let state: State = { is: 'asleep', known: undefined };
  const idleness = createIdleTimer(sleepIfUnused);
  let hasFailed = false;
  const supervised = { server: () => server, connect, learn, log };
  let isMovedEarly = false;
  const watch = createStartWatch(() => server, observer);
  const events = { started: watch.started, ended: onEnded, moved: onMoved, ready: onReady };
  const retirement = createRetirement(() => gate.running === 0);
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
        return Promise.reject(retirement.refusal() ?? new DownstreamFailure('unreachable', 'the workbench is closing'));
      case 'asleep':
        return start(agent);
    }
  }

  function start(agent: Agent | undefined): Promise<Ready> {
    const refusal = retirement.refusal() ?? crashes.refusal() ?? retryAfter.refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    const abort = new AbortController();
    const { startTimeoutMs } = server.limits;
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
      return await connectServer(supervised, events, signal, agent);
    } catch (error) {
      if (!(error instanceof Unready)) throw error;
      throw await onFailed(error.cause, error.cleanup);
    }
  }

  function onReady(ready: Ready): void {
    state = { is: 'ready', ready, since: performance.now() };
    watch.end(ready.downstream, ready.tools.tools.length);
    hasFailed = false;
    log.info(`${label}: ready`);
    idleness.start(server.limits.idleTimeoutMs);
    if (isMovedEarly) onMoved();
  }

  async function onFailed(error: unknown, cleanup: Promise<void>): Promise<unknown> {
    if (error instanceof DownstreamFailure && isCrash(error)) crashes.crashed(error, 0);
    retryAfter.note(error);
    const explained = watch.endWith(error, retirement.refusal() !== undefined);
    hasFailed = true;
    if (state.is === 'closed') await cleanup;
    else stop(cleanup, undefined);
    return explained;
  }

  function onEnded(failure: DownstreamFailure): void {
    // During a start, the start itself fails with the reason.
    if (state.is !== 'ready') return;
    log.warn(`${label}: ${failure.message}`);
    observer.server(server, { is: 'ended', at: Date.now(), ...failureFacts(failure) });
    if (isCrash(failure)) crashes.crashed(failure, performance.now() - state.since);
    idleness.stop();
    stop(state.ready.downstream.close(), undefined);
  }

  /** What was sent is answered over the old connection; the next call gets another one. */
  function onMoved(): void {
    isMovedEarly = state.is === 'starting';
    if (state.is !== 'ready') return;
    log.info(`${label}: its process is no longer shared; the next call gets one of its own`);
    observer.server(server, { is: 'moved', at: Date.now() });
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

  function sleepIfUnused(): void {
    if (state.is !== 'ready' || gate.running > 0) return;
    log.info(`${label}: idle, stopped until the next call`);
    observer.server(server, { is: 'asleep', at: Date.now() });
    stop(state.ready.downstream.close(), listingOf(state.ready));
  }

  async function liveListing(agent: Agent | undefined): Promise<Listing> {
    const ready = await wake(agent);
    await ready.tools.settled();
    return listingOf(ready);
  }

  async function wakeFor({ signal, agent }: CallOptions): Promise<Ready> {
    try {
      return await watch.inTime({ signal, limitMs: waitMs }, wake(agent));
    } catch (cause) {
      throw new NotStarted('the server could not be started', { cause });
    }
  }

  /** Every request to the server goes through here: it enforces the limits and waits while the server is being stopped. */
  async function use<T>(
    options: CallOptions,
    action: (downstream: Downstream) => Promise<T>,
    forward: (successor: Supervisor) => Promise<T>,
  ): Promise<T> {
    let successor: Supervisor;
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
      successor = retirement.successorAfter(error);
    } finally {
      gate.leave();
      retirement.check();
      // Idle time counts from the end of the last call; the timer does nothing while a call runs.
      if (state.is === 'ready') idleness.refresh();
    }
    // Not before the gate is left: the successor waits until this server is unused.
    return forward(successor);
  }

  async function close(): Promise<void> {
    idleness.stop();
    const last = state;
    state = { is: 'closed' };
    // That it failed, or sleeps, is over as well if its entry is.
    const isForgotten = watch.hasBegun() && retirement.refusal() !== undefined;
    if (last.is !== 'asleep' || isForgotten) observer.server(server, { is: 'stopped', at: Date.now() });
    retirement.end();
    if (last.is === 'starting') {
      last.abort.abort(retirement.refusal() ?? new DownstreamFailure('cancelled', 'the workbench is closing'));
      await last.start.catch(() => {});
    }
    if (last.is === 'ready') await last.ready.downstream.close();
    if (last.is === 'stopping') await last.done;
  }

  return {
    get server() {
      return server;
    },
    async list(options = {}) {
      const known = state.is === 'asleep' || state.is === 'stopping' ? state.known : undefined;
      if (known !== undefined) return known;
      const live = () => watch.inTime(options, liveListing(options.agent));
      return retirement.whileUsed(live, (successor) => successor.list(options));
    },

    readyTool: (name) =>
      state.is === 'ready' && state.ready.tools.isSettled ? state.ready.tools.get(name) : undefined,

    wake: (options = {}) =>
      retirement.whileUsed(
        () => watch.inTime(options, wake(options.agent)),
        (successor) => successor.wake(options),
      ),

    hasFailed: () => hasFailed,
    lastWords: watch.lastWords,

    call: (tool, args, options, judged) =>
      use(
        options,
        (downstream) => {
          if (judged !== undefined && server !== judged) throw new EntryChanged('the entry has changed');
          return downstream.callTool(tool, args, options);
        },
        (successor) => successor.call(tool, args, options, judged),
      ),

    readResource: (uri, options) =>
      use(
        options,
        (downstream) => downstream.readResource(uri, options),
        (successor) => successor.readResource(uri, options),
      ),

    isConnected: () => state.is === 'ready' || (state.is === 'asleep' && state.known !== undefined),

    adjust(next, nextWaitMs) {
      const isCachedElsewhere = next.cacheKey !== server.cacheKey;
      server = next;
      waitMs = nextWaitMs;
      gate.resize(next.limits.maxConcurrentCalls, next.limits.maxQueuedCalls);
      if (state.is === 'ready') {
        const { tools, downstream } = state.ready;
        tools.filter();
        downstream.adjust(next.limits);
        idleness.start(next.limits.idleTimeoutMs);
        if (isCachedElsewhere) learn(server, knownFrom(downstream, { tools: tools.all, omissions: tools.omissions }));
      } else if ('known' in state && state.known !== undefined) {
        const { tools, instructions } = state.known;
        state = { ...state, known: { tools: tools.passing(next), instructions } };
      }
    },

    async retire(limitMs, successor) {
      const unused = retirement.begin(successor);
      const what = successor === undefined ? 'is gone' : 'has changed';
      if (state.is !== 'asleep') log.info(`${label}: its entry ${what}; it ends when its calls have`);
      if (state.is === 'starting') state.abort.abort(retirement.refusal());
      if (!(await settlesWithin(limitMs, unused)))
        log.warn(`${label}: calls were ended ${limitMs} ms after its entry changed`);
      await close();
    },

    close,
  };
}
