import { InFlight } from '../../jsonrpc/in-flight.js';
import { type Agent, canAnswer, OnlyDuringCalls, type Question } from '../../workbench/ports/agent.js';

/** Passes requests that a legacy server makes during a call (elicitation, sampling, roots) to the agent that made the call. */
export interface Questions {
  /** Runs a call during which the agent can be asked. Questions still open at its end are withdrawn. */
  during<T>(agent: Agent | undefined, call: () => Promise<T>): Promise<T>;
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
}

// A question that finds no call waits this long for one.
const callLimitMs = 10 * 60_000;

type Answer = Readonly<Record<string, unknown>>;

interface Caller {
  readonly id: number;
  readonly agent: Agent;
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

/** `starter`: for whom the server was started; asked when no call runs, e.g. for its roots. */
export function createQuestions(starter: Agent | undefined, pauseClocks: () => () => void): Questions {
  const callers = new InFlight<Caller>();
  let nextCaller = 0;
  const open = new Set<OpenQuestion>();
  const waiting = new Set<() => void>();

  async function askStarter(question: Question, signal: AbortSignal): Promise<Answer> {
    if (starter?.gone.aborted === true) throw unsupported(question);
    try {
      return await put(starter, question, signal);
    } catch (error) {
      if (!(error instanceof OnlyDuringCalls)) throw error;
    }
    // Servers request their roots once, at their start, whether or not a call is in flight then.
    const isCalling = callers.values().some(({ agent }) => agent.id === starter?.id);
    if (!isCalling && !(await callBegins(signal))) throw unsupported(question);
    return askCallers(question, signal);
  }

  /** Resolves with the next call of the agent that the server was started for; false if there is none in time. */
  function callBegins(signal: AbortSignal): Promise<boolean> {
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
  }

  async function askCallers(question: Question, signal: AbortSignal): Promise<Answer> {
    const resume = pauseClocks();
    try {
      return await askLatest(question, signal);
    } finally {
      resume();
    }
  }

  async function askLatest(question: Question, signal: AbortSignal): Promise<Answer> {
    if (new Set(callers.values().map(({ agent }) => agent.id)).size > 1) throw ambiguous(question);
    const asked = { callers: new Set(callers.values()), withdrawal: new AbortController() };
    open.add(asked);
    try {
      return await askInTurn(
        callers.values().toReversed(),
        question,
        AbortSignal.any([signal, asked.withdrawal.signal]),
      );
    } finally {
      open.delete(asked);
    }
  }

  /**
   * The protocol does not say which call a question belongs to. All are of one agent, and the latest is the most likely; if
   * it ends while the question is open, the question belongs to another. Once all calls have ended, no answer is needed.
   */
  async function askInTurn(running: readonly Caller[], question: Question, withdrawn: AbortSignal): Promise<Answer> {
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

  function ended(caller: Caller): void {
    callers.delete(caller.id);
    for (const question of open) {
      question.callers.delete(caller);
      if (question.callers.size === 0) question.withdrawal.abort();
    }
  }

  return {
    async during(agent, call) {
      if (agent === undefined) return call();
      const caller = { id: nextCaller++, agent };
      callers.set(caller.id, caller);
      if (agent.id === starter?.id) for (const begun of waiting) begun();
      try {
        return await call();
      } finally {
        ended(caller);
      }
    },

    async ask(question, signal) {
      // A question outside of calls must not suspend the timeouts of calls that come later.
      return callers.values().length === 0 ? askStarter(question, signal) : askCallers(question, signal);
    },
  };
}

async function put(agent: Agent | undefined, question: Question, signal: AbortSignal): Promise<Answer> {
  if (agent === undefined || !canAnswer(agent.capabilities, question)) throw unsupported(question);
  return agent.ask(question, signal);
}

/** With calls of several agents in flight nobody is asked: a question must not reach an agent that it is not for. */
function ambiguous({ method }: Question): UnsupportedQuestion {
  return new UnsupportedQuestion(`${method} cannot be answered: calls of several clients are in flight`);
}

function unsupported({ method }: Question): UnsupportedQuestion {
  return new UnsupportedQuestion(`The client in front of the workbench does not support ${method}`);
}
