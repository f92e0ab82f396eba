import type { ExpectedLogin } from '../../../downstream/oauth/login-browser.js';
import { loginTimeoutMs } from '../../../limits.js';
import { newToken } from '../../../platform/token.js';
import type { SignIn } from './sign-in.js';

/** A login that was asked for, from its link to the return of the browser. */
export interface WaitingLogin {
  /** In the link, which its user alone gets. */
  readonly id: string;
  /** Of the principal whose call asked. */
  readonly key: string;
  readonly login: ExpectedLogin;
  /** Where the user consents, with the state that the browser returns with. */
  readonly page: { readonly url: URL; readonly state: string };
  /** In ms since 1970. */
  readonly expires: number;
  /** That of the browser that has opened the link: from then on no other one can. */
  cookie: string | undefined;
  /** Begun, and not answered yet. */
  signIn: SignIn | undefined;
  /** The person in front of the browser is the principal. */
  isProven: boolean;
}

export interface WaitingLogins {
  add(login: Pick<WaitingLogin, 'key' | 'login' | 'page'>): WaitingLogin;
  /** Undefined also if it has expired. */
  byId(id: string): WaitingLogin | undefined;
  /** That the issuer sends the browser back for. */
  bySignIn(state: string): WaitingLogin | undefined;
  /** That the authorization server of a remote server sends the browser back for. */
  byState(state: string): WaitingLogin | undefined;
  delete(login: WaitingLogin): void;
}

const idBytes = 16;

export function createWaitingLogins(now: () => number): WaitingLogins {
  const waiting = new Map<string, WaitingLogin>();

  function find(fits: (login: WaitingLogin) => boolean): WaitingLogin | undefined {
    for (const login of waiting.values()) if (fits(login)) return isOpen(login) ? login : undefined;
    return undefined;
  }

  function isOpen({ expires }: WaitingLogin): boolean {
    return now() < expires;
  }

  return {
    add(given) {
      const own = { id: newToken(idBytes), expires: now() + loginTimeoutMs };
      const login: WaitingLogin = { ...given, ...own, cookie: undefined, signIn: undefined, isProven: false };
      waiting.set(login.id, login);
      return login;
    },
    byId(id) {
      const login = waiting.get(id);
      return login !== undefined && isOpen(login) ? login : undefined;
    },
    bySignIn: (state) => find(({ signIn }) => signIn?.state === state),
    byState: (state) => find(({ page }) => page.state === state),
    delete: ({ id }) => void waiting.delete(id),
  };
}
