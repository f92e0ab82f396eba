import { messageOf } from '../../contract/errors.js';
import type { BegunLogin } from '../../contract/login.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import { loginTimeoutMs } from '../../limits.js';
import { printableLine } from '../../text/printable.js';
import type { Question } from '../ports/agent.js';

export interface LoginQuestion {
  /** The name of the server. */
  readonly server: string;
  ask(question: Question, signal: AbortSignal): Promise<JsonObject>;
  declined(): void;
  failed(reason: string): void;
}

/** Shows the user the link to a login, and waits until it is made, declined, or takes too long. A part: few users need it. */
export async function askToLogIn(
  begin: (signal: AbortSignal) => Promise<BegunLogin>,
  signal: AbortSignal,
  to: LoginQuestion,
): Promise<boolean> {
  const over = new AbortController();
  const limit = AbortSignal.any([signal, over.signal]);
  const late = new Error(`no login within ${loginTimeoutMs} ms`);
  const timer = setTimeout(() => over.abort(late), loginTimeoutMs).unref();
  let begun: BegunLogin | undefined;
  try {
    begun = await begin(limit);
    const { done } = begun;
    const answered = to
      .ask(questionFor(begun, to.server), limit)
      .then(({ action }) => action === 'accept' && done.then(() => true));
    // The user may be back from the browser before the client has said that the link was opened.
    const isLoggedIn = await Promise.race([done.then(() => true), answered]);
    if (isLoggedIn) over.abort(new Error('the user has logged in'));
    else to.declined();
    return isLoggedIn;
  } catch (error) {
    if (!signal.aborted) to.failed(messageOf(error));
    over.abort(new Error(`the login failed: ${messageOf(error)}`));
    return false;
  } finally {
    clearTimeout(timer);
    begun?.cancel();
  }
}

/** A server chooses where its users log in: they have to see that before they open the link. */
function questionFor({ url, host }: BegunLogin, server: string): Question {
  const message = `Open the link to log in to ${printableLine(server)} at ${host}; the call continues afterwards.`;
  return { method: 'elicitation/create', params: { mode: 'url', url, message } };
}
