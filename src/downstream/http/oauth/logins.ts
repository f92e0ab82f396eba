import type { ServerConfig } from '../../../config/config.js';
import { WorkbenchError } from '../../../contract/errors.js';
import type { Computer } from '../../../platform/computer.js';

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

/** `warn`: a stored file that cannot be used was set aside, or cannot be written. */
export function openLogins(_computer: Computer, _warn: (message: string) => void): Logins {
  const missing = () => Promise.reject(new WorkbenchError('LOGIN_FAILED', 'Not there yet'));
  return { find: async () => undefined, needsLogin: missing, begin: missing, fetchToken: missing, forget: missing };
}
