import { InFlight } from '../../jsonrpc/in-flight.js';
import { type Agent, canAnswer, type Question } from '../../workbench/ports/agent.js';

/** Brings questions that a server puts in the middle of a call (before 2026-07-28) to the agent that made the call. */
export interface Questions {
  /** Runs a call during which the agent can be asked. When it has ended, questions that are still open are withdrawn. */
  during<T>(agent: Agent | undefined, call: () => Promise<T>): Promise<T>;
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
}

type Answer = Readonly<Record<string, unknown>>;

interface Caller {
  readonly id: number;
  readonly agent: Agent;
}

/** A question that waits for its answer, and the calls that still run of those it may belong to. */
interface OpenQuestion {
  readonly callers: Set<Caller>;
  readonly withdrawal: AbortController;
}

/** What the server reads when nobody can answer it. */
class NobodyToAsk extends Error {
  override readonly name = 'NobodyToAsk';
  readonly code = -32_601;
}

/** `starter`: for whom the server was started; asked when no call runs, e.g. for its roots. */
export function createQuestions(starter: Agent | undefined, pauseClocks: () => () => void): Questions {
  const callers = new InFlight<Caller>();
  let nextCaller = 0;
  const open = new Set<OpenQuestion>();

  async function askCallers(question: Question, signal: AbortSignal): Promise<Answer> {
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
   * The protocol does not say which call a question belongs to. The latest is the likeliest; when it ends and the
   * question is still open, it was another's. Once all calls have ended nobody waits for an answer.
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
    throw nobody(question);
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
      const resume = pauseClocks();
      try {
        return await (callers.values().length > 0 ? askCallers(question, signal) : put(starter, question, signal));
      } finally {
        resume();
      }
    },
  };
}

async function put(agent: Agent | undefined, question: Question, signal: AbortSignal): Promise<Answer> {
  if (agent === undefined || !canAnswer(agent.capabilities, question)) throw nobody(question);
  return agent.ask(question, signal);
}

function nobody({ method }: Question): NobodyToAsk {
  return new NobodyToAsk(`The client in front of the workbench does not support ${method}`);
}
