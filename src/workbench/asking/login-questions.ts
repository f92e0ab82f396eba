import { loginIn } from '../../contract/downstream-failure.js';
import type { BegunLogin } from '../../contract/login.js';
import { type CancelSignal, toAbortSignal } from '../../jsonrpc/cancellation.js';
import { declinedLoginMs } from '../../limits.js';
import { loadPart } from '../../platform/load-part.js';
import type { Log } from '../../platform/log.js';
import type { Agent, Question } from '../ports/agent.js';
import { type Asker, askedQuestion } from './asked-question.js';
import { canAnswer } from './can-answer.js';
import { inTurn } from './question-turns.js';

interface AskOptions {
  readonly agent?: Agent | undefined;
  readonly signal?: CancelSignal | undefined;
}

/** Asks users to log in at remote servers, where their client can show a link. */
export interface LoginQuestions {
  /** Runs a call. If it fails for want of a login, and the user logs in, it is run once more. */
  around<T>(asker: Asker, options: AskOptions, call: () => PromiseLike<T>): Promise<T>;
  /** Whether the user has logged in, if the error says that this would help. */
  ask(error: unknown, asker: Asker, options: AskOptions): Promise<boolean>;
}

type BeginLogin = (signal: AbortSignal) => Promise<BegunLogin>;

const anyLink: Question = { method: 'elicitation/create', params: { mode: 'url' } };

export function createLoginQuestions(log: Log): LoginQuestions {
  /** Calls that need the same login share one question, which is withdrawn with the call that asked it. */
  const open = new Map<string, { readonly isLoggedIn: Promise<boolean>; readonly withdrawn: AbortSignal }>();
  const declined = new Map<string, number>();

  async function put(begin: BeginLogin, asker: Asker, agent: Agent, signal: AbortSignal): Promise<boolean> {
    const { askToLogIn } = await loadPart(() => import('./ask-to-log-in.js'));
    return askToLogIn(begin, signal, {
      server: asker.server,
      ask: (question, limit) => inTurn(agent, asker, limit, () => agent.ask(askedQuestion(question, asker), limit)),
      declined: () => void declined.set(keyOf(asker), performance.now()),
      failed: (reason) => log.warn(`${asker.toolbox}/${asker.server}: no login: ${reason}`),
    });
  }

  async function ask(error: unknown, asker: Asker, { agent, signal }: AskOptions): Promise<boolean> {
    const begin = loginIn(error)?.begin;
    if (begin === undefined || agent === undefined || !canAnswer(agent.capabilities, anyLink)) return false;
    const key = keyOf(asker);
    if (performance.now() - (declined.get(key) ?? Number.NEGATIVE_INFINITY) < declinedLoginMs) return false;
    for (let asked = open.get(key); asked !== undefined; asked = open.get(key)) {
      const isLoggedIn = await asked.isLoggedIn;
      if (isLoggedIn || !asked.withdrawn.aborted) return isLoggedIn;
    }
    const withdrawn = signal === undefined ? new AbortController().signal : toAbortSignal(signal);
    if (withdrawn.aborted) return false;
    const isLoggedIn = put(begin, asker, agent, withdrawn).finally(() => open.delete(key));
    open.set(key, { isLoggedIn, withdrawn });
    return isLoggedIn;
  }

  return {
    ask,
    async around(asker, options, call) {
      try {
        return await call();
      } catch (error) {
        if (!(await ask(error, asker, options))) throw error;
      }
      return call();
    },
  };
}

function keyOf({ toolbox, server }: Asker): string {
  return JSON.stringify([toolbox, server]);
}
