import { statSync } from 'node:fs';
import type { Login } from '../../contract/login.js';
import { beginBrowserLogin } from './browser-login.js';
import { type Challenge, readChallenge } from './challenge.js';
import { isCurrent } from './client.js';
import { assertPkce, discover } from './discovery.js';
import type { LoginBrowser } from './login-browser.js';
import { type LoginContext, withFlow } from './login-context.js';
import { loginFailure } from './login-failures.js';
import type { StoredLogin } from './login-file.js';
import { createLoopbackBrowser } from './loopback-browser.js';
import { rememberWanted, renew } from './renewal.js';
import { needsMore, together } from './scopes.js';
import { expiresSoon } from './tokens.js';

/** A request that the server refused because of its login. */
export interface Refusal {
  readonly status: number;
  readonly challenge: string | undefined;
  /** The token that it was sent with. */
  readonly token: string | undefined;
  /** Whether that was a remedy already. */
  readonly isRetry: boolean;
}

/**
 * - `token`: the request can be sent again with it
 * - `login`: the user has to log in
 * - `failed`: whether the login is still good cannot be found out now
 * - `none`: no login would help
 */
export type Remedy =
  | { readonly is: 'token'; readonly token: string }
  | { readonly is: 'login'; readonly login: Login; readonly scope?: string | undefined }
  | { readonly is: 'failed'; readonly message: string }
  | { readonly is: 'none' };

/** The login at one server, for the requests of one connection. Nothing of it is taken from a request of the agent. */
export interface LoginSession {
  /** The token for the next request. */
  token(): Promise<string | undefined>;
  remedyFor(refusal: Refusal): Promise<Remedy>;
  close(): void;
}

/** `browser`: who waits for that of the user; a port of this computer if nothing else does. */
export function createLoginSession(
  context: LoginContext,
  browser: LoginBrowser = createLoopbackBrowser({ listens: true }),
): LoginSession {
  const { target, file } = context;
  const closed = new AbortController();
  /** No user consents; more scopes are asked for in the same way as the first. */
  const isMachine = target.oauth?.grant === 'client_credentials';
  let known: StoredLogin | undefined;
  let seen: string | undefined;
  let renewing: Promise<StoredLogin | undefined> | undefined;

  /** What is stored, read again only if the file has changed: another process may have logged in, renewed or logged out. */
  function current(): StoredLogin | undefined {
    const version = versionOf(file.path);
    if (version === seen) return known;
    seen = version;
    remember(version === undefined ? undefined : file.read());
    return known;
  }

  function remember(login: StoredLogin | undefined): void {
    known = login !== undefined && isCurrent(login, target.oauth) ? login : undefined;
    if (known !== undefined) context.learned(secretsOf(known));
  }

  /** Calls that are refused at the same time share one renewal. */
  function renewed(used: string | undefined, challenge: Challenge): Promise<StoredLogin | undefined> {
    renewing ??= renew(context, used, challenge, closed.signal).finally(() => {
      renewing = undefined;
    });
    return renewing;
  }

  function loginWith(challenge: Challenge, scope?: string): Remedy {
    const options = { challenge, browser, assumesDefaults: false };
    const login: Login = {
      isOfService: browser.advice !== undefined,
      begin: browser.expect && ((signal) => beginBrowserLogin(context, { ...options, signal })),
    };
    return { is: 'login', login, scope };
  }

  async function forUnauthorized({ token, isRetry }: Refusal, challenge: Challenge): Promise<Remedy> {
    const stored = current();
    const isNewer = stored?.tokens !== undefined && stored.tokens.access !== token;
    if (isNewer) return { is: 'token', token: stored.tokens.access };
    if (!isRetry && (isMachine || stored?.tokens?.refresh !== undefined)) {
      const access = (await renewed(token, challenge))?.tokens?.access;
      if (access !== undefined) return { is: 'token', token: access };
    }
    if (isMachine) return { is: 'none' };
    if (stored !== undefined) return loginWith(challenge);
    const found = await withFlow(context, closed.signal, ({ fetch }) =>
      discover(new URL(target.url), challenge, fetch),
    );
    if (found === undefined) return { is: 'none' };
    assertPkce(found);
    return loginWith(challenge);
  }

  /** A login that has what is asked for, and is refused nevertheless, is not made again. */
  async function forMoreScope(refusal: Refusal, challenge: Challenge): Promise<Remedy> {
    const { token } = refusal;
    const stored = current();
    if (stored?.tokens === undefined) return forUnauthorized(refusal, challenge);
    if (stored.tokens.access !== token) return { is: 'token', token: stored.tokens.access };
    const asked = together(stored.scope, stored.tokens.scope);
    if (!needsMore(challenge.scope, asked)) return { is: 'none' };
    const wanted = together(asked, challenge.scope) ?? '';
    await rememberWanted(context, wanted, closed.signal);
    if (isMachine) {
      if (refusal.isRetry) return { is: 'none' };
      const access = (await renewed(token, { ...challenge, scope: wanted }))?.tokens?.access;
      return access === undefined ? { is: 'none' } : { is: 'token', token: access };
    }
    return loginWith({ ...challenge, scope: wanted }, challenge.scope);
  }

  return {
    async token() {
      const tokens = current()?.tokens;
      const isRenewable = tokens?.refresh !== undefined || isMachine;
      if (tokens === undefined || !isRenewable || !expiresSoon(tokens)) return tokens?.access;
      // If it fails, the server decides whether the old one is still good.
      const login = await renewed(tokens.access, {}).catch(() => known);
      return login?.tokens?.access;
    },

    async remedyFor(refusal) {
      const challenge = readChallenge(refusal.challenge);
      const isScope = refusal.status === 403;
      if (isScope && challenge.error !== 'insufficient_scope') return { is: 'none' };
      try {
        return await (isScope ? forMoreScope(refusal, challenge) : forUnauthorized(refusal, challenge));
      } catch (error) {
        return { is: 'failed', message: loginFailure(error, context.mask).message };
      }
    },

    close: () => closed.abort(),
  };
}

function secretsOf({ tokens, client }: StoredLogin): string[] {
  return [tokens?.access, tokens?.refresh, client.secret].filter((secret) => secret !== undefined);
}

function versionOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.mtimeMs} ${stats.ino} ${stats.size}`;
}
