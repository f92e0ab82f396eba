import type { LoginOutcome } from './callback-page.js';

/** Who waits for the browser of a user who logs in: a port of this computer, or the pages of a service. */
export interface LoginBrowser {
  /** What users of a service read if they were not asked, or did not log in. Undefined: on this computer a command logs them in. */
  readonly advice: string | undefined;
  /** Undefined: nobody can log in. */
  readonly expect: ((login: ExpectedLogin) => Promise<ExpectedBrowser>) | undefined;
}

/** A login that is about to begin. */
export interface ExpectedLogin {
  readonly toolbox: string;
  readonly server: string;
  /** Configured, so the redirect to this computer is registered with exactly this port. */
  readonly port: number | undefined;
  /** The redirect of the last login: with the same one, the client need not be registered again. */
  readonly preferred: string | undefined;
  /** The browser has returned; the page says how it ended. */
  readonly answered: (parameters: URLSearchParams) => Promise<LoginOutcome>;
  /** The login is over, before the browser was sent to the authorization server. */
  readonly refused: (reason: string) => void;
}

export interface ExpectedBrowser {
  /** Where the authorization server sends the browser. */
  readonly redirectUrl: string;
  /** What the user opens, for the login page of an authorization server. */
  linkTo(page: { readonly url: URL; readonly state: string }): string;
  close(): void;
}
