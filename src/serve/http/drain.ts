import type { Log } from '../../platform/log.js';
import { answerLost } from '../../session/lost-calls.js';
import type { Exchange } from './exchange/exchange.js';
import { drainCallsMs, drainNoticeMs } from './exchange/limits.js';

/** The end of a service: load balancers notice first, then nothing new is taken, then running calls end. */
export interface Drain {
  readonly hasBegun: boolean;
  /** New sessions and calls are refused. */
  readonly isRefusing: boolean;
  /** Resolves when no call runs any more. Calling it again skips the waiting. */
  run(): Promise<void>;
}

export interface DrainLimits {
  readonly noticeMs: number;
  readonly callsMs: number;
}

const lookEveryMs = 50;
const why = 'the service was stopped';

export function createDrain(
  exchanges: ReadonlySet<Exchange>,
  log: Log,
  { noticeMs, callsMs }: DrainLimits = { noticeMs: drainNoticeMs, callsMs: drainCallsMs },
): Drain {
  let hasBegun = false;
  let isRefusing = false;
  let isHurried = false;
  let running: Promise<void> | undefined;

  const calls = () => [...exchanges].filter(isCall);

  async function wait(limitMs: number, isOver: () => boolean): Promise<void> {
    const until = performance.now() + limitMs;
    // oxlint-disable-next-line no-unmodified-loop-condition -- the next call of `run` modifies it
    while (!isHurried && !isOver() && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }

  async function run(): Promise<void> {
    hasBegun = true;
    await wait(noticeMs, () => false);
    isRefusing = true;
    const count = calls().length;
    if (count > 0)
      log.info(`waiting for ${count} running ${count === 1 ? 'call' : 'calls'}; a second signal ends them`);
    await wait(callsMs, () => calls().length === 0);
    await Promise.all([...exchanges].map(end));
  }

  async function end(exchange: Exchange): Promise<void> {
    const { pending } = exchange;
    if (pending === undefined || !isCall(exchange)) exchange.finish();
    else exchange.answer(await answerLost(pending, log, why), Number.POSITIVE_INFINITY);
  }

  return {
    get hasBegun() {
      return hasBegun;
    },
    get isRefusing() {
      return isRefusing;
    },
    run() {
      if (running !== undefined) isHurried = true;
      running ??= run();
      return running;
    },
  };
}

/** Subscriptions have no end of their own. */
function isCall({ pending }: Exchange): boolean {
  const method = pending?.request.method;
  return method === 'tools/call' || method === 'resources/read';
}
