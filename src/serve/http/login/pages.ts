import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf } from '../../../contract/errors.js';
import { type BrowserPage, privateHeaders } from '../../../downstream/oauth/browser-page.js';
import { callbackPage } from '../../../downstream/oauth/callback-page.js';
import type { ExpectedBrowser, ExpectedLogin } from '../../../downstream/oauth/login-browser.js';
import { loginTimeoutMs } from '../../../limits.js';
import { newToken } from '../../../platform/token.js';
import { createLoginCookies } from './cookies.js';
import { continuePage, failedPage, issuerAwayPage, otherUserPage, unknownLinkPage } from './page-texts.js';
import { createIssuerClient, type IssuerClientOptions, type SignedIn } from './sign-in.js';
import { createWaitingLogins, type WaitingLogin } from './waiting-logins.js';

/**
 * The pages on which users of a service log in at servers. A link is of no use to anybody but the principal whose call asked: the
 * person in front of the browser signs in at the issuer of the service before the browser is sent anywhere else.
 */
export interface LoginPages {
  /** A login for a call of the principal with this key. */
  expect(key: string, login: ExpectedLogin): ExpectedBrowser;
  /** Answers a GET of `/login/…`. */
  serve(path: string, request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): void;
}

interface PagesOptions extends Omit<IssuerClientOptions, 'redirect' | 'now'> {
  /** Of the service, as browsers reach it. */
  readonly origin: string;
  /** In ms since 1970. */
  readonly now?: () => number;
}

type Answer = BrowserPage | { readonly redirect: string };

interface Visit {
  readonly request: IncomingMessage;
  readonly parameters: URLSearchParams;
  /** Adds a header that sets or clears a cookie. */
  readonly cookie: (header: string) => void;
}

const path = (name: string) => `/login/${name}`;
const cookieBytes = 32;

export function createLoginPages({ origin, now = Date.now, ...client }: PagesOptions): LoginPages {
  const cookies = createLoginCookies(origin);
  const logins = createWaitingLogins(now);
  const { host } = new URL(origin);
  const [signedInUrl, callbackUrl] = ['signed-in', 'callback'].map((name) => new URL(path(name), origin).href);
  const issuer = createIssuerClient({ ...client, now, redirect: signedInUrl ?? '' });

  /** Opens the link. The first browser that does has it from then on. */
  async function open(id: string, { request, cookie }: Visit): Promise<Answer> {
    const waiting = logins.byId(id);
    if (waiting === undefined || !isOwn(waiting, request)) return unknownLinkPage();
    if (waiting.cookie === undefined) {
      waiting.cookie = newToken(cookieBytes);
      cookie(cookies.set(id, waiting.cookie, Math.ceil(loginTimeoutMs / 1_000)));
    }
    const { login, page } = waiting;
    if (waiting.isProven) return continuePage(login, page.url, host);
    try {
      waiting.signIn = await issuer.begin();
      return { redirect: waiting.signIn.url.href };
    } catch (error) {
      client.warn(`nobody can sign in to log in at a server: ${messageOf(error)}`);
      return issuerAwayPage();
    }
  }

  /** Also of a browser that is the first. */
  function isOwn({ id, cookie }: WaitingLogin, request: IncomingMessage): boolean {
    return cookie === undefined || cookies.has(request, id, cookie);
  }

  /** The issuer has sent the browser back. */
  async function signedIn({ request, parameters, cookie }: Visit): Promise<Answer> {
    const waiting = logins.bySignIn(parameters.get('state') ?? '');
    const signIn = waiting?.signIn;
    if (waiting === undefined || signIn === undefined || !isOwn(waiting, request)) return unknownLinkPage();
    // For one use, right or wrong.
    waiting.signIn = undefined;
    const found = await issuer.finish(signIn, parameters).catch((error: unknown): SignedIn => {
      client.warn(`the issuer signs nobody in: ${messageOf(error)}`);
      return { problem: 'the issuer did not answer' };
    });
    const { id, key, login } = waiting;
    if ('key' in found && found.key === key) {
      waiting.isProven = true;
      // A page that can be loaded again.
      return { redirect: new URL(path(id), origin).href };
    }
    logins.delete(waiting);
    cookie(cookies.clear(id));
    const isOther = 'key' in found;
    login.refused(isOther ? 'another user has signed in for it in the browser' : `no sign-in: ${found.problem}`);
    return isOther ? otherUserPage(login) : failedPage(login, found.problem);
  }

  /** The authorization server of a remote server has sent the browser back. */
  async function returned({ request, parameters, cookie }: Visit): Promise<Answer> {
    const waiting = logins.byState(parameters.get('state') ?? '');
    if (waiting === undefined || !waiting.isProven || !isOwn(waiting, request)) {
      return callbackPage({ kind: 'mismatch' });
    }
    logins.delete(waiting);
    cookie(cookies.clear(waiting.id));
    return callbackPage(await waiting.login.answered(parameters));
  }

  function answerOf(at: string, visit: Visit): Promise<Answer> {
    if (at === path('signed-in')) return signedIn(visit);
    return at === path('callback') ? returned(visit) : open(at.slice(path('').length), visit);
  }

  return {
    expect: (key, login) => {
      let waiting: WaitingLogin | undefined;
      return {
        redirectUrl: callbackUrl ?? '',
        linkTo(page) {
          waiting = logins.add({ key, login, page });
          return new URL(path(waiting.id), origin).href;
        },
        close() {
          if (waiting !== undefined) logins.delete(waiting);
        },
      };
    },

    async serve(at, request, response) {
      const set: string[] = [];
      const parameters = new URL(request.url ?? '/', origin).searchParams;
      const answer = await answerOf(at, { request, parameters, cookie: (header) => void set.push(header) });
      if (response.headersSent || response.destroyed) return;
      if (set.length > 0) response.setHeader('Set-Cookie', set);
      if ('redirect' in answer) {
        response.writeHead(303, { ...privateHeaders, location: answer.redirect, 'content-length': 0 }).end();
      } else response.writeHead(answer.status, answer.headers).end(answer.body);
    },

    close: () => issuer.close(),
  };
}
