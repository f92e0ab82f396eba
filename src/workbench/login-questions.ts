import { messageOf } from '../contract/errors.js';
import { type CancelSignal, toAbortSignal } from '../jsonrpc/cancellation.js';
import { declinedLoginMs, loginTimeoutMs } from '../limits.js';
import type { Log } from '../platform/log.js';
import { type Agent, canAnswer, type Question } from './ports/agent.js';
import { type Asker, askedQuestion } from './ports/asked-question.js';
import { DownstreamFailure } from './ports/downstream.js';
import type { BegunLogin, Login } from './ports/login.js';
import { inTurn } from './ports/question-turns.js';

interface AskOptions {
  readonly agent?: Agent | undefined;
  readonly signal?: CancelSignal | undefined;
}

/** Asks users to log in at remote servers, where their client can show a link. */
export interface LoginQuestions {
  /** Runs a call. If it fails for want of a login, and the user logs in, it is run once more. */
  around<T>(asker: Asker, options: AskOptions, call: () => Promise<T>): Promise<T>;
  /** Whether the user has logged in, if the error says that this would help. */
  ask(error: unknown, asker: Asker, options: AskOptions): Promise<boolean>;
}

export function createLoginQuestions(log: Log): LoginQuestions {
  /** Calls that need the same login share one question. */
  const open = new Map<string, Promise<boolean>>();
  const declined = new Map<string, number>();

  async function put(login: Login, asker: Asker, agent: Agent, signal: AbortSignal): Promise<boolean> {
    const over = new AbortController();
    const limit = AbortSignal.any([signal, over.signal, AbortSignal.timeout(loginTimeoutMs)]);
    let begun: BegunLogin | undefined;
    try {
      begun = await login.begin(limit);
      const { url, done } = begun;
      const question = askedQuestion(questionFor(url), asker);
      const answered = inTurn(agent, asker, limit, () => agent.ask(question, limit)).then(({ action }) =>
        action === 'accept' ? done.then(() => true) : false,
      );
      // The user may be back from the browser before the client has said that the link was opened.
      const isLoggedIn = await Promise.race([done.then(() => true), answered]);
      if (!isLoggedIn) declined.set(keyOf(asker), performance.now());
      return isLoggedIn;
    } catch (error) {
      if (!signal.aborted) log.warn(`${asker.toolbox}/${asker.server}: no login: ${messageOf(error)}`);
      return false;
    } finally {
      over.abort();
      begun?.cancel();
    }
  }

  async function ask(error: unknown, asker: Asker, { agent, signal }: AskOptions): Promise<boolean> {
    const login = loginIn(error);
    if (login === undefined || agent === undefined || !canAnswer(agent.capabilities, questionFor(''))) return false;
    const key = keyOf(asker);
    const since = performance.now() - (declined.get(key) ?? Number.NEGATIVE_INFINITY);
    if (since < declinedLoginMs) return false;
    const withdrawn = signal === undefined ? new AbortController().signal : toAbortSignal(signal);
    const asked = open.get(key) ?? put(login, asker, agent, withdrawn).finally(() => open.delete(key));
    open.set(key, asked);
    return asked;
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

function questionFor(url: string): Question {
  const host = URL.canParse(url) ? new URL(url).host : '';
  const message = `This server needs your authorization. Open the link to log in at ${host}; the call continues afterwards.`;
  return { method: 'elicitation/create', params: { mode: 'url', url, message } };
}

/** The login that a failure names, however deep in its causes. */
function loginIn(error: unknown): Login | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DownstreamFailure && cause.login !== undefined) return cause.login;
  }
  return undefined;
}

function keyOf({ toolbox, server }: Asker): string {
  return JSON.stringify([toolbox, server]);
}
