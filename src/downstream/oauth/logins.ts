import type { RemoteTarget, ServerConfig } from '../../config/config.js';
import { hasAuthorization } from '../../config/values/authorization-header.js';
import { WorkbenchError } from '../../contract/errors.js';
import { loginRequestMs } from '../../limits.js';
import type { Computer } from '../../platform/computer.js';
import { dataDirectoryOf } from '../../platform/directories.js';
import { directoryProblem } from '../../platform/own-directory.js';
import type { NetworkOptions } from '../http/network/network.js';
import { createMask } from '../masking/mask.js';
import { secretValues } from '../masking/secret-values.js';
import { beginBrowserLogin } from './browser-login.js';
import { readChallenge } from './challenge.js';
import { isCurrent } from './client.js';
import { type LoginContext, withFlow } from './login-context.js';
import { loginFailure } from './login-failures.js';
import { createLoginFile, type StoredLogin } from './login-file.js';
import { withLoginLock } from './login-lock.js';
import { loginKeyOf, loginPath } from './login-path.js';
import { createLoopbackBrowser } from './loopback-browser.js';
import { probe } from './probe.js';
import { renew } from './renewal.js';
import { revoke } from './revocation.js';

export { createLoginFile } from './login-file.js';
export { createLoginSession } from './login-session.js';

/** What is known about a stored login. Nothing of it is secret. */
export interface LoginInfo {
  readonly issuer: string;
  readonly scopes: readonly string[];
  /** When the user consented, or the program got its token. */
  readonly since: Date;
  /** When the access token expires, if that is known. */
  readonly expires: Date | undefined;
  /** Whether it is renewed without the user. */
  readonly isRenewable: boolean;
}

/** A login that waits for the user. */
export interface StartedLogin {
  /** What the user opens in a browser. */
  readonly url: string;
  /** Where the browser is sent afterwards: on this computer. */
  readonly redirectUrl: string;
  /** Resolves once the browser has returned and the login is stored; rejects if it fails, is cancelled, or takes over 5 minutes. */
  readonly done: Promise<LoginInfo>;
  /** Takes the redirect that the user copied from the browser. A text that is not one rejects and leaves the login open. */
  paste(text: string): Promise<LoginInfo>;
  /** Ends it; nothing is stored. */
  cancel(): Promise<void>;
}

export interface BeginOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whether to wait for the browser on a port of this computer; without it, only a pasted redirect ends the login. */
  readonly listens: boolean;
}

/** The logins of one user at remote servers. Every function fails with a `WorkbenchError`. */
export interface Logins {
  /** What is stored for a server. */
  find(server: ServerConfig): Promise<LoginInfo | undefined>;
  /** Whether the server refuses requests without a login. Undefined if it does not answer. */
  needsLogin(server: ServerConfig, signal?: AbortSignal): Promise<boolean | undefined>;
  /** Starts a login with the user and a browser. */
  begin(server: ServerConfig, options: BeginOptions): Promise<StartedLogin>;
  /** Gets a token without a user, for an entry with the grant `client_credentials`. */
  fetchToken(server: ServerConfig, signal?: AbortSignal): Promise<LoginInfo>;
  /** Removes what is stored for a server. False if there is nothing. */
  forget(server: ServerConfig): Promise<boolean>;
}

/** `warn`: a stored file that cannot be used was set aside. */
export function openLogins(
  computer: Computer,
  warn: (message: string) => void,
  network: Pick<NetworkOptions, 'lookup' | 'connect'> = {},
): Logins {
  function contextOf(server: ServerConfig): LoginContext {
    const target = remoteTarget(server);
    const directory = dataDirectoryOf(computer);
    const problem = directoryProblem(directory, computer.platform);
    if (problem !== undefined) throw new WorkbenchError('LOGIN_FAILED', `no logins can be stored: ${problem}`);
    const key = loginKeyOf(server, target);
    const file = createLoginFile(loginPath(directory, key), key, warn);
    const { text: mask } = createMask(secretValues(server));
    return { key, target, file, network: { env: computer.env, ...network }, mask, learned() {} };
  }

  return {
    async find(server) {
      const { file, target } = contextOf(server);
      const login = file.read();
      return login && isCurrent(login, target.oauth) ? infoOf(login) : undefined;
    },

    async needsLogin(server, signal = new AbortController().signal) {
      const context = contextOf(server);
      const answer = await probe(context, signal).catch(() => undefined);
      return answer && answer.status === 401;
    },

    async begin(server, { listens, signal }) {
      const context = contextOf(server);
      if (hasAuthorization(context.target)) throw withHeader();
      if (context.target.oauth?.grant === 'client_credentials') throw forMachines();
      const limit = signal ?? new AbortController().signal;
      const answer = await probe(context, limit).catch(rejectedWith(context));
      const challenge = readChallenge(answer.challenge);
      const assumesDefaults = answer.status === 401;
      const browser = createLoopbackBrowser({ listens });
      const login = await beginBrowserLogin(context, { challenge, browser, signal, assumesDefaults });
      const done = login.done.then(infoOfNew);
      // Whoever pastes the redirect does not wait for it.
      done.catch(() => {});
      return {
        ...login,
        done,
        paste: async (text) => infoOfNew(await login.paste(text)),
        cancel: async () => login.cancel(),
      };
    },

    async fetchToken(server, signal = AbortSignal.timeout(2 * loginRequestMs)) {
      const context = contextOf(server);
      const used = context.file.read()?.tokens?.access;
      const { challenge } = await probe(context, signal).catch(rejectedWith(context));
      const login = await renew(context, used, readChallenge(challenge), signal);
      if (login === undefined) throw new WorkbenchError('LOGIN_FAILED', 'no token was issued');
      return infoOfNew(login);
    },

    async forget(server) {
      const context = contextOf(server);
      const { file, target } = context;
      const limit = AbortSignal.timeout(loginRequestMs);
      return withLoginLock(file.path, limit, async () => {
        const login = file.read();
        const isRemoved = file.remove();
        // On this computer it is over in any case.
        if (login) await withFlow(context, limit, (flow) => revoke(login, target.oauth, flow)).catch(() => {});
        return isRemoved && login?.tokens !== undefined;
      }).catch(rejectedWith(context));
    },
  };
}

function remoteTarget({ target, name }: ServerConfig): RemoteTarget {
  if (target.kind === 'remote') return target;
  const text = target.kind === 'broken' ? target.reason : `${name} is started as a program; it has no login`;
  throw new WorkbenchError('LOGIN_UNSUPPORTED', text);
}

function withHeader(): WorkbenchError {
  return new WorkbenchError(
    'LOGIN_UNSUPPORTED',
    'its entry has the header Authorization, which is used instead of a login',
  );
}

function forMachines(): WorkbenchError {
  return new WorkbenchError('LOGIN_UNSUPPORTED', 'its grant is client_credentials: it needs no user');
}

function rejectedWith({ mask }: LoginContext): (error: unknown) => never {
  return (error) => {
    throw loginFailure(error, mask);
  };
}

/** Undefined if only its client is left. */
function infoOf({ issuer, tokens, scope, since }: StoredLogin): LoginInfo | undefined {
  if (tokens === undefined) return undefined;
  return {
    issuer,
    scopes: (tokens.scope ?? scope ?? '').split(' ').filter(Boolean),
    since: new Date(since),
    expires: tokens.expires === undefined ? undefined : new Date(tokens.expires),
    isRenewable: tokens.refresh !== undefined,
  };
}

function infoOfNew(login: StoredLogin): LoginInfo {
  const info = infoOf(login);
  if (info === undefined) throw new WorkbenchError('LOGIN_FAILED', 'no token was issued');
  return info;
}
