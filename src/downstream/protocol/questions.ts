import { DownstreamFailure } from '../../contract/downstream-failure.js';
import { messageOf } from '../../contract/errors.js';
import { InFlight } from '../../jsonrpc/in-flight.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import { begin } from '../../jsonrpc/reply.js';
import { maxWaitForAnswersMs } from '../../limits.js';
import {
  type Asker,
  askedQuestion,
  countQuestion,
  newBudget,
  RefusedQuestion,
} from '../../workbench/asking/asked-question.js';
import { canAnswer } from '../../workbench/asking/can-answer.js';
import { isOnlyDuringCalls } from '../../workbench/asking/only-during-calls.js';
import { inTurn } from '../../workbench/asking/question-turns.js';
import type { Agent, Question, QuestionBudget } from '../../workbench/ports/agent.js';

/** Passes requests that a legacy server makes during a call (elicitation, sampling, roots) to the agent that made the call. */
export interface Questions {
  /** Runs a call during which the agent can be asked. Questions still open at its end are withdrawn. */
  during<T>(agent: Agent | undefined, call: () => PromiseLike<T>, budget?: QuestionBudget): PromiseLike<T>;
  ask(question: Question, signal: AbortSignal): Promise<JsonObject>;
}

/** What questions mean for the sessions that share a connection. */
export interface Sharing {
  /** The server asked while calls of several sessions were in flight, so no agent was asked. */
  askedAmbiguously(): void;
}

// A question that finds no call waits this long for one.
const callLimitMs = 10 * 60_000;

interface Caller {
  readonly id: number;
  readonly agent: Agent;
  readonly budget: QuestionBudget;
}

/** A question without an answer so far, and the calls in flight that it may belong to. */
interface OpenQuestion {
  readonly callers: Set<Caller>;
  readonly withdrawal: AbortController;
}

/** The error the server gets when no agent can be asked. */
class UnsupportedQuestion extends Error {
  override readonly name = 'UnsupportedQuestion';
  readonly code = -32_601;
}

/** `starter`: for whom the server was started; asked for its roots when no call runs, if the server is offered roots. */
export function createQuestions(
  asker: Asker & { readonly offersRoots: boolean },
  starter: Agent | undefined,
  pauseClocks: () => () => void,
  sharing?: Sharing,
): Questions {
  const callers = new InFlight<Caller>();
  /** Sessions with a call that was given up: the server may still work on it, and ask. */
  const givenUp = new Set<string>();
  // For questions between two calls.
  let betweenCalls = newBudget();
  let nextCaller = 0;
  const open = new Set<OpenQuestion>();
  const beginning = createBeginning();

  async function askStarter(question: Question, signal: AbortSignal): Promise<JsonObject> {
    if (starter?.gone.aborted === true) throw unsupported(question);
    try {
      return await put(starter, question, signal);
    } catch (error) {
      if (!isOnlyDuringCalls(error)) throw error;
    }
    // Servers request their roots once, at their start, whether or not a call is in flight then.
    if (callersOf(starter).length === 0 && !(await beginning.wait(signal))) throw unsupported(question);
    return askCallers(starter, question, signal);
  }

  function callersOf(agent: Agent | undefined): readonly Caller[] {
    return callers.values().filter((caller) => caller.agent.id === agent?.id);
  }

  function isAmbiguous(): boolean {
    return new Set([...callers.values().map(({ agent }) => agent.id), ...givenUp]).size > 1;
  }

  /** Asks the session of this agent, whichever of its calls is in flight. */
  async function askCallers(agent: Agent | undefined, question: Question, signal: AbortSignal): Promise<JsonObject> {
    const running = callersOf(agent);
    // It may have waited for its turn until its call was over.
    if (running.length === 0) throw outsideOfCalls(question);
    const budgets = running.map(({ budget }) => budget);
    const leftMs = Math.min(...budgets.map(({ waitedMs }) => maxWaitForAnswersMs - waitedMs));
    if (leftMs <= 0) return askLatest(running, question, signal);
    const since = performance.now();
    let resume: (() => void) | undefined = pauseClocks();
    const end = () => {
      resume?.();
      resume = undefined;
    };
    const timer = setTimeout(end, leftMs).unref();
    try {
      return await askLatest(running, question, signal);
    } finally {
      clearTimeout(timer);
      end();
      for (const budget of budgets) budget.waitedMs += performance.now() - since;
    }
  }

  async function askLatest(running: readonly Caller[], question: Question, signal: AbortSignal): Promise<JsonObject> {
    const asked = { callers: new Set(running), withdrawal: new AbortController() };
    open.add(asked);
    try {
      return await askInTurn(running.toReversed(), question, AbortSignal.any([signal, asked.withdrawal.signal]));
    } finally {
      open.delete(asked);
    }
  }

  /**
   * The protocol does not say which call a question belongs to. All are of one agent, and the latest is the most likely; if
   * it ends while the question is open, the question belongs to another. Once all calls have ended, no answer is needed.
   */
  async function askInTurn(
    running: readonly Caller[],
    question: Question,
    withdrawn: AbortSignal,
  ): Promise<JsonObject> {
    for (const caller of running) {
      if (!callers.has(caller.id)) continue;
      try {
        return await put(caller.agent, question, withdrawn);
      } catch (error) {
        if (withdrawn.aborted || callers.has(caller.id)) throw error;
      }
    }
    throw unsupported(question);
  }

  /** `error`: how the call failed, if it did. */
  function ended(caller: Caller, error?: unknown): void {
    callers.delete(caller.id);
    for (const question of open) {
      question.callers.delete(caller);
      if (question.callers.size === 0) question.withdrawal.abort(withdrawnAfter(error));
    }
  }

  return {
    during(agent, call, budget = newBudget()) {
      if (agent === undefined) return call();
      const caller = { id: nextCaller++, agent, budget };
      if (betweenCalls.asked > 0) betweenCalls = newBudget();
      callers.set(caller.id, caller);
      if (agent.id === starter?.id) beginning.begun();
      return begin(call).then(
        (result) => {
          ended(caller);
          return result;
        },
        (error: unknown) => {
          if (isUnanswered(error)) givenUp.add(agent.id);
          ended(caller, error);
          throw error;
        },
      );
    },

    async ask(question, signal) {
      const latest = callers.values().at(-1);
      // Roots are answered by the client itself, not by a user.
      const isRoots = question.method === 'roots/list';
      if (isRoots && !asker.offersRoots) throw notOffered();
      if (!canAnswer((latest?.agent ?? starter)?.capabilities ?? {}, question)) throw unsupported(question);
      if (latest === undefined && !isRoots) throw outsideOfCalls(question);
      if (latest !== undefined && isAmbiguous()) {
        sharing?.askedAmbiguously();
        throw ambiguous(question);
      }
      const shown = askedQuestion(question, asker);
      countQuestion(latest?.budget ?? betweenCalls);
      // A question outside of calls must not suspend the timeouts of calls that come later.
      if (latest === undefined) return askStarter(shown, signal);
      const { agent } = latest;
      if (isRoots) return askCallers(agent, shown, signal);
      return inTurn(agent, asker, signal, () => askCallers(agent, shown, signal));
    },
  };
}

/** The next call of the agent that the server was started for. */
function createBeginning() {
  const waiting = new Set<() => void>();
  return {
    begun(): void {
      for (const begun of waiting) begun();
    },
    /** False if there is none in time. */
    wait(signal: AbortSignal): Promise<boolean> {
      return new Promise((resolve) => {
        const settle = (hasBegun: boolean) => {
          clearTimeout(timer);
          waiting.delete(begun);
          signal.removeEventListener('abort', cancel);
          resolve(hasBegun);
        };
        const begun = () => settle(true);
        const cancel = () => settle(false);
        const timer = setTimeout(cancel, callLimitMs).unref();
        waiting.add(begun);
        signal.addEventListener('abort', cancel, { once: true });
      });
    },
  };
}

async function put(agent: Agent | undefined, question: Question, signal: AbortSignal): Promise<JsonObject> {
  if (agent === undefined || !canAnswer(agent.capabilities, question)) throw unsupported(question);
  return agent.ask(question, signal);
}

/** Whether the call was sent and got no answer. */
function isUnanswered(error: unknown): boolean {
  return error instanceof DownstreamFailure && (error.kind === 'cancelled' || error.kind === 'timeout');
}

/** Why the questions of a call are withdrawn when it has ended; the agent shows it to the user. */
function withdrawnAfter(error: unknown): DownstreamFailure {
  if (error === undefined) return new DownstreamFailure('cancelled', 'the call has ended');
  if (error instanceof DownstreamFailure && error.kind === 'cancelled') return error;
  return new DownstreamFailure('cancelled', `the call failed: ${messageOf(error)}`);
}

/** With calls of several agents in flight no agent is asked: a question must not reach an agent that it is not for. */
function ambiguous({ method }: Question): UnsupportedQuestion {
  return new UnsupportedQuestion(`${method} cannot be answered: calls of several clients are in flight`);
}

function outsideOfCalls({ method }: Question): RefusedQuestion {
  return new RefusedQuestion(`refused: ${method} is only possible during a call`);
}

function notOffered(): UnsupportedQuestion {
  return new UnsupportedQuestion('Roots are not offered to this server: "roots" is not true in its entry');
}

function unsupported({ method }: Question): UnsupportedQuestion {
  return new UnsupportedQuestion(`The client in front of the workbench does not support ${method}`);
}
