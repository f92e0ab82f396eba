import type { ServerConfig } from '../../config/config.js';
import { NotSent } from '../../contract/downstream-failure.js';
import { begin } from '../../jsonrpc/reply.js';
import { settlesWithin } from '../../platform/time-limit.js';
import { createRetryAfter } from '../failures/retry-after.js';
import type { CallOptions, Downstream } from '../ports/downstream.js';
import { EntryChanged } from '../rules/asking-call.js';
import { createGate } from './gate.js';
import { createRetirement } from './retirement.js';
import { createServerLife, type Surroundings } from './server-life.js';
import { type Listing, listingOf, NotStarted, type Ready, type Supervisor } from './supervised-server.js';
import { within } from './within.js';

type Action<T> = (downstream: Downstream) => PromiseLike<T>;
type Forward<T> = (successor: Supervisor) => PromiseLike<T>;

/**
 * `waitMs`: how long a call waits for its server to start. The start itself continues. `previous`: resolves when the process
 * that served these names before has ended; nothing is started until then.
 */
export function createSupervisor(
  given: ServerConfig,
  givenWaitMs: number,
  surroundings: Surroundings,
  previous?: Promise<void>,
): Supervisor {
  let server = given;
  let waitMs = givenWaitMs;
  const { log } = surroundings;
  const retryAfter = createRetryAfter();
  const gate = createGate(server.limits.maxConcurrentCalls, server.limits.maxQueuedCalls);
  const isUsed = () => gate.running > 0;
  const retirement = createRetirement(() => !isUsed());
  const circumstances = { server: () => server, isUsed, retired: () => retirement.refusal(), retryAfter };
  const life = createServerLife(circumstances, surroundings, previous);

  async function wakeFor({ signal, agent }: CallOptions): Promise<Ready> {
    try {
      return await life.inTime({ signal, limitMs: waitMs }, life.wake(agent));
    } catch (cause) {
      throw new NotStarted('the server could not be started', { cause });
    }
  }

  /** Every request to the server goes through here: it enforces the limits and waits while the server is being stopped. */
  function use<T>(options: CallOptions, action: Action<T>, forward: Forward<T>): PromiseLike<T> {
    if (options.signal?.aborted !== true && gate.tryEnter()) return useInTurn(options, action, forward);
    return gate.enter(options.signal).then(() => useInTurn(options, action, forward));
  }

  function useInTurn<T>(options: CallOptions, action: Action<T>, forward: Forward<T>): PromiseLike<T> {
    let ready = life.ready();
    const send = (to: Ready) => {
      ready = to;
      const refusal = retryAfter.refusal();
      if (refusal !== undefined) throw refusal;
      return action(to.downstream);
    };
    const received = (result: T) => {
      left();
      return result;
    };
    const failed = (error: unknown) => forward(successorAfter(error));
    const now = ready;
    const sent = now === undefined ? wakeFor(options).then(send) : begin(() => send(now));
    return sent.then(received, (error: unknown) => {
      if (ready === undefined || !(error instanceof NotSent)) return failed(error);
      return sendAgain(ready.ended, options, action).then(received, failed);
    });
  }

  /** The connection had ended before anything was sent over it. */
  async function sendAgain<T>(ended: Promise<void>, options: CallOptions, action: Action<T>): Promise<T> {
    await within(waitMs, ended, options.signal);
    return action((await wakeFor(options)).downstream);
  }

  function successorAfter(error: unknown): Supervisor {
    retryAfter.note(error);
    try {
      return retirement.successorAfter(error);
    } finally {
      // Before anything is forwarded: the successor waits until this server is unused.
      left();
    }
  }

  function left(): void {
    gate.leave();
    retirement.check();
    life.used();
  }

  async function close(): Promise<void> {
    const closed = life.close();
    retirement.end();
    await closed;
  }

  return {
    get server() {
      return server;
    },
    async list(options = {}) {
      const known = life.known();
      if (known !== undefined) return known;
      const live = () => life.inTime(options, life.wake(options.agent).then(settledListing));
      return retirement.whileUsed(live, (successor) => successor.list(options));
    },

    readyTool(name) {
      const tools = life.ready()?.tools;
      return tools?.isSettled === true ? tools.get(name) : undefined;
    },

    wake: (options = {}) =>
      retirement.whileUsed(
        () => life.inTime(options, life.wake(options.agent)),
        (successor) => successor.wake(options),
      ),

    hasFailed: life.hasFailed,
    isOverdue: life.isOverdue,
    markOverdue: life.markOverdue,
    lastWords: life.lastWords,

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

    isConnected: () => life.ready() !== undefined || (life.isAsleep() && life.known() !== undefined),

    adjust(next, nextWaitMs) {
      const isCachedElsewhere = next.cacheKey !== server.cacheKey;
      server = next;
      waitMs = nextWaitMs;
      gate.resize(next.limits.maxConcurrentCalls, next.limits.maxQueuedCalls);
      life.adjusted(isCachedElsewhere);
    },

    async retire(limitMs, successor) {
      const unused = retirement.begin(successor);
      const label = `${server.toolbox}/${server.name}`;
      const what = successor === undefined ? 'is gone' : 'has changed';
      if (!life.isAsleep()) log.info(`${label}: its entry ${what}; it ends when its calls have`);
      life.abort();
      const isUnused = await settlesWithin(limitMs, unused);
      if (!isUnused) log.warn(`${label}: calls were ended ${limitMs} ms after its entry changed`);
      await close();
    },

    close,
  };
}

async function settledListing(ready: Ready): Promise<Listing> {
  await ready.tools.settled();
  return listingOf(ready);
}
