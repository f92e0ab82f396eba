import { OAuthError } from '@modelcontextprotocol/client';
import { isWorkbenchError, WorkbenchError } from '../../contract/errors.js';
import { loginTimeoutMs } from '../../limits.js';
import type { LoginOutcome } from './callback-page.js';
import type { Challenge } from './challenge.js';
import { exchangeCode, type Pending, prepareLogin } from './code-grant.js';
import type { LoginBrowser } from './login-browser.js';
import { type Flow, type LoginContext, openFlow } from './login-context.js';
import { loginFailure, mismatch } from './login-failures.js';
import type { StoredLogin } from './login-file.js';
import type { LoginKey } from './login-path.js';

/** A login in a browser that waits for the user. */
export interface BrowserLogin {
  readonly url: string;
  /** Of the page where the user consents. */
  readonly host: string;
  readonly redirectUrl: string;
  readonly done: Promise<StoredLogin>;
  paste(text: string): Promise<StoredLogin>;
  cancel(): void;
}

export interface BrowserLoginOptions {
  readonly challenge: Challenge;
  readonly browser: LoginBrowser;
  readonly signal?: AbortSignal | undefined;
  /** Whether a server without any metadata is taken for one of 2025-03-26, whose endpoints have default paths. */
  readonly assumesDefaults: boolean;
}

export async function beginBrowserLogin(context: LoginContext, options: BrowserLoginOptions): Promise<BrowserLogin> {
  const ended = new AbortController();
  const signal = options.signal === undefined ? ended.signal : AbortSignal.any([ended.signal, options.signal]);
  const flow = openFlow(context, signal);
  const secrets = new Set([context.target.oauth?.clientSecret ?? '']);
  let finish: Waiting['finish'] = () => Promise.reject(mismatch());
  let refuse: Waiting['refuse'] = () => {};
  const { toolbox, server } = context.key;
  const answered = (parameters: URLSearchParams) =>
    finish(parameters).then(
      () => ({ kind: 'authorized', toolbox, server }) as const,
      (error: unknown) => outcomeOf(error, context.key),
    );
  let close = () => flow.close();
  const { advice = 'nobody can log in', expect } = options.browser;
  try {
    if (expect === undefined) throw new WorkbenchError('LOGIN_NEEDED', advice);
    const stored = context.file.read();
    const browser = await expect({
      ...{ toolbox, server, answered },
      port: context.target.oauth?.callbackPort,
      preferred: stored?.client.redirect,
      refused: (reason) => refuse(reason),
    });
    close = () => {
      flow.close();
      browser.close();
    };
    const pending = await prepareLogin(context, flow, { ...options, redirect: browser.redirectUrl, stored });
    for (const secret of [pending.verifier, pending.state, pending.client.secret]) if (secret) secrets.add(secret);
    const waiting = waitFor(pending, context, { flow, signal, secrets, close, ended });
    ({ finish, refuse } = waiting);
    const { url, redirect } = pending;
    return {
      url: browser.linkTo(pending),
      host: url.host,
      redirectUrl: redirect,
      done: waiting.done,
      paste: async (text) => waiting.finish(pastedParameters(text, redirect)),
      cancel: () => ended.abort(),
    };
  } catch (error) {
    close();
    throw loginFailure(error, context.mask, secrets);
  }
}

interface Surroundings {
  readonly flow: Flow;
  readonly signal: AbortSignal;
  readonly secrets: Set<string>;
  readonly close: () => void;
  readonly ended: AbortController;
}

interface Waiting {
  readonly done: Promise<StoredLogin>;
  /** The browser has returned with these. */
  readonly finish: (parameters: URLSearchParams) => Promise<StoredLogin>;
  readonly refuse: (reason: string) => void;
}

function waitFor(pending: Pending, context: LoginContext, surroundings: Surroundings): Waiting {
  const { flow, signal, secrets, close, ended } = surroundings;
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

  return { done, finish, refuse: (reason) => void fail(new WorkbenchError('LOGIN_FAILED', reason)) };
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
