import { OAuthError } from '@modelcontextprotocol/client';
import { isWorkbenchError, WorkbenchError } from '../../contract/errors.js';
import { loginTimeoutMs } from '../../limits.js';
import { listenForBrowser, redirectTo } from './callback.js';
import type { LoginOutcome } from './callback-page.js';
import type { Challenge } from './challenge.js';
import { exchangeCode, type Pending, prepareLogin } from './code-grant.js';
import { type Flow, type LoginContext, openFlow } from './login-context.js';
import { loginFailure, mismatch } from './login-failures.js';
import type { StoredLogin } from './login-file.js';
import type { LoginKey } from './login-path.js';

/** A login in a browser that waits for the user. */
export interface BrowserLogin {
  readonly url: string;
  readonly redirectUrl: string;
  readonly done: Promise<StoredLogin>;
  paste(text: string): Promise<StoredLogin>;
  cancel(): void;
}

export interface BrowserLoginOptions {
  readonly challenge: Challenge;
  readonly listens: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Whether a server without any metadata is taken for one of 2025-03-26, whose endpoints have default paths. */
  readonly assumesDefaults: boolean;
}

export async function beginBrowserLogin(context: LoginContext, options: BrowserLoginOptions): Promise<BrowserLogin> {
  const ended = new AbortController();
  const signal = options.signal === undefined ? ended.signal : AbortSignal.any([ended.signal, options.signal]);
  const flow = openFlow(context, signal);
  const secrets = new Set([context.target.oauth?.clientSecret ?? '']);
  let finish: (parameters: URLSearchParams) => Promise<StoredLogin> = () => Promise.reject(mismatch());
  const { toolbox, server } = context.key;
  const answered = (parameters: URLSearchParams) =>
    finish(parameters).then(
      () => ({ kind: 'authorized', toolbox, server }) as const,
      (error: unknown) => outcomeOf(error, context.key),
    );
  const { callbackPort: port } = context.target.oauth ?? {};
  let close = () => flow.close();
  try {
    const stored = context.file.read();
    const callback = await listenForBrowser({
      port: options.listens ? port : undefined,
      preferred: stored?.client.redirect,
      answered,
    });
    close = () => {
      flow.close();
      callback.close();
    };
    // Without a listener the port only has to be one that an authorization server accepts.
    if (!options.listens) callback.close();
    const redirect = port === undefined ? callback.redirectUrl : redirectTo(port);
    const pending = await prepareLogin(context, flow, { ...options, redirect, stored });
    for (const secret of [pending.verifier, pending.state, pending.client.secret]) if (secret) secrets.add(secret);
    return waitFor(pending, context, flow, { signal, secrets, close, ended, setFinish: (to) => (finish = to) });
  } catch (error) {
    close();
    throw loginFailure(error, context.mask, secrets);
  }
}

interface Waiting {
  readonly signal: AbortSignal;
  readonly secrets: Set<string>;
  readonly close: () => void;
  readonly ended: AbortController;
  readonly setFinish: (finish: (parameters: URLSearchParams) => Promise<StoredLogin>) => void;
}

function waitFor(pending: Pending, context: LoginContext, flow: Flow, waiting: Waiting): BrowserLogin {
  const { signal, secrets, close, ended, setFinish } = waiting;
  let resolve: (login: StoredLogin) => void = () => {};
  let reject: (error: WorkbenchError) => void = () => {};
  const done = new Promise<StoredLogin>((onSuccess, onFailure) => {
    resolve = onSuccess;
    reject = onFailure;
  });
  // Not everybody waits for it.
  done.catch(() => {});
  let isAnswered = false;
  let strangers = 0;
  const timer = setTimeout(() => fail(unfinished(strangers)), loginTimeoutMs);
  const onAbort = () => fail(new WorkbenchError('LOGIN_UNFINISHED', 'The login was cancelled; nothing was stored.'));
  signal.addEventListener('abort', onAbort, { once: true });

  function settle(): void {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    // The page must reach the browser first.
    setTimeout(close, 500).unref();
  }

  /** An answer that comes later, or is being exchanged, is of no use any more. */
  function fail(error: WorkbenchError): WorkbenchError {
    isAnswered = true;
    settle();
    reject(error);
    ended.abort();
    return error;
  }

  /** Any page and any user of this computer can send something: without the state it is refused, and the login goes on. Then a code can be used once. */
  async function finish(parameters: URLSearchParams): Promise<StoredLogin> {
    const isStranger = parameters.get('state') !== pending.state;
    if (isStranger) strangers += 1;
    if (isStranger || isAnswered) throw mismatch();
    isAnswered = true;
    try {
      const login = await exchangeCode(pending, parameters, context, { flow, signal, secrets });
      settle();
      resolve(login);
      return login;
    } catch (error) {
      throw fail(loginFailure(error, context.mask, secrets));
    }
  }

  setFinish(finish);
  return {
    url: pending.url.href,
    redirectUrl: pending.redirect,
    done,
    paste: async (text) => finish(pastedParameters(text, pending.redirect)),
    cancel: () => ended.abort(),
  };
}

function pastedParameters(text: string, redirect: string): URLSearchParams {
  const wanted = new URL(redirect);
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  const isRedirect = url?.origin === wanted.origin && url.pathname === wanted.pathname && url.search !== '';
  if (url === undefined || !isRedirect) {
    throw new WorkbenchError('LOGIN_MISMATCH', `That is not where the browser was sent: it begins with ${redirect}?`);
  }
  return url.searchParams;
}

/** `strangers`: an authorization server that does not send `state` back would otherwise look like one that does not answer. */
function unfinished(strangers: number): WorkbenchError {
  const others = strangers === 0 ? '' : `, but ${strangers} with another state or none`;
  const text = `No answer within ${loginTimeoutMs / 60_000} min${others}. Nothing was stored.`;
  return new WorkbenchError('LOGIN_UNFINISHED', text);
}

/** How it ended, for the page in the browser. */
function outcomeOf(error: unknown, { toolbox, server }: LoginKey): LoginOutcome {
  if (!isWorkbenchError(error)) return { kind: 'failed', toolbox, server, reason: 'something went wrong' };
  if (error.code === 'LOGIN_MISMATCH') return { kind: 'mismatch' };
  const isDenied = error.cause instanceof OAuthError && error.cause.code === 'access_denied';
  return isDenied ? { kind: 'denied', toolbox, server } : { kind: 'failed', toolbox, server, reason: error.message };
}
