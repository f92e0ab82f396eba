import { InFlight } from '../../jsonrpc/in-flight.js';
import { type Agent, canAnswer, type Question } from '../../workbench/ports/agent.js';

/** Passes requests that a legacy server makes during a call (elicitation, sampling, roots) to the agent that made the call. */
export interface Questions {
  /** Runs a call during which the agent can be asked. Questions still open at its end are withdrawn. */
  during<T>(agent: Agent | undefined, call: () => Promise<T>): Promise<T>;
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
}

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

  async function putToStarter(question: Question, signal: AbortSignal): Promise<Answer> {
    if (starter?.gone.aborted === true) throw unsupported(question);
    return put(starter, question, signal);
  }

  async function askCallers(question: Question, signal: AbortSignal): Promise<Answer> {
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
      try {
        return await call();
      } finally {
        ended(caller);
      }
    },

    async ask(question, signal) {
      // A question outside of calls must not suspend the timeouts of calls that come later.
      if (callers.values().length === 0) return putToStarter(question, signal);
      const resume = pauseClocks();
      try {
        return await askCallers(question, signal);
      } finally {
        resume();
      }
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
