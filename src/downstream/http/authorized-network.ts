import { existsSync } from 'node:fs';
import type { RemoteTarget, ServerConfig } from '../../config/config.js';
import type { Computer } from '../../platform/computer.js';
import { loadPart } from '../../platform/load-part.js';
import type { ReplaceAny } from '../../text/replace-any.js';
import type { LoginBrowser } from '../oauth/login-browser.js';
import { loginKeyOf, loginPath } from '../oauth/login-path.js';
import type { LoginSession, Remedy } from '../oauth/login-session.js';
import { authCommand } from './auth-command.js';
import { drain } from './bodies.js';
import type { HttpRequest, HttpResponse, Network, NetworkOptions } from './network/network.js';

/** Where the login at a server is kept, and who has to know of it. */
export interface LoginAccess {
  readonly server: ServerConfig;
  readonly computer: Computer;
  /** That of the user's data. */
  readonly directory: string;
  /** Who waits for the browser of its user; a port of this computer if nothing else does. */
  readonly browser?: LoginBrowser | undefined;
  /** Replaces the secrets of the server's entry. */
  readonly mask: ReplaceAny;
  /** Tokens that must not be in any text. */
  learned(secrets: readonly string[]): void;
  warn(message: string): void;
}

/** Why a server refused a request, if that concerns its login. */
export interface LoginProblem {
  readonly message: string;
  readonly login?: Extract<Remedy, { is: 'login' }>['login'];
}

export interface AuthorizedNetwork extends Network {
  request(request: HttpRequest): Promise<HttpResponse & { readonly loginProblem?: LoginProblem }>;
}

/**
 * Sends requests with the token of the server's login, to that server only. A request that is refused for its login
 * was not processed: it is sent again, once, if there is a better token. The code for logins is loaded when it is needed.
 */
export function createAuthorizedNetwork(
  network: Network,
  target: RemoteTarget,
  access: LoginAccess,
  options: Pick<NetworkOptions, 'env' | 'certificates' | 'lookup'>,
): AuthorizedNetwork {
  const { origin } = new URL(target.url);
  const key = loginKeyOf(access.server, target);
  const path = loginPath(access.directory, key);
  let opening: Promise<LoginSession> | undefined;

  function session(): Promise<LoginSession> {
    opening ??= loadPart(() => import('../oauth/logins.js')).then(({ createLoginFile, createLoginSession }) => {
      const file = createLoginFile(path, key, (message) => access.warn(message));
      const { mask, browser } = access;
      const learned = (secrets: readonly string[]) => access.learned(secrets);
      return createLoginSession({ key, target, file, network: options, mask, learned }, browser);
    });
    // It can be loaded later, and there may be no request for it now.
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  }

  async function request(wanted: HttpRequest): ReturnType<AuthorizedNetwork['request']> {
    if (wanted.url.origin !== origin) return network.request(wanted);
    const known = opening !== undefined || existsSync(path) ? await session() : undefined;
    const token = await known?.token();
    const response = await network.request(withToken(wanted, token));
    if (!isRefused(response)) return response;
    const remedy = await remedyFor(response, token, false);
    if (remedy.is !== 'token') return { ...response, ...problemOf(remedy, response.status) };
    drain(response.body);
    const again = await network.request(withToken(wanted, remedy.token));
    if (!isRefused(again)) return again;
    return { ...again, ...problemOf(await remedyFor(again, remedy.token, true), again.status) };
  }

  /** Answers of another origin, after a redirect, are not about this login. */
  function isRefused({ status, headers, url }: HttpResponse): boolean {
    if (url.origin !== origin) return false;
    return status === 401 || (status === 403 && /insufficient_scope/.test(headers['www-authenticate'] ?? ''));
  }

  async function remedyFor(response: HttpResponse, token: string | undefined, isRetry: boolean): Promise<Remedy> {
    const { status, headers } = response;
    return (await session()).remedyFor({ status, challenge: headers['www-authenticate'], token, isRetry });
  }

  function problemOf(remedy: Remedy, status: number): { readonly loginProblem?: LoginProblem } {
    if (remedy.is === 'failed') {
      return { loginProblem: { message: `needs a login (${status}): ${remedy.message}` } };
    }
    if (remedy.is !== 'login') return {};
    const { login, scope } = remedy;
    const what = scope === undefined ? 'needs a login' : `needs a login for more (${scope})`;
    const how = access.browser?.advice ?? `run \`${authCommand(access.server, access.computer)}\``;
    return { loginProblem: { message: `${what}: ${how}`, login } };
  }

  return {
    request,
    problemOf: (url) => network.problemOf(url),
    close() {
      network.close();
      void opening?.then(
        (open) => open.close(),
        () => {},
      );
    },
  };
}

function withToken(wanted: HttpRequest, token: string | undefined): HttpRequest {
  if (token === undefined) return wanted;
  const others = [...wanted.headers].filter(([name]) => name.toLowerCase() !== 'authorization');
  return { ...wanted, headers: [...others, ['authorization', `Bearer ${token}`]] };
}
