import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Issuer, startIssuer, type TokenChanges } from '../../../../test/support/issuer.js';
import { listen } from '../../../../test/support/loopback.js';
import { createVisitor, type Visited, type Visitor } from '../../../../test/support/page-visitor.js';
import { makeKey } from '../../../../test/support/sign-token.js';
import type { ExpectedLogin } from '../../../downstream/oauth/login-browser.js';
import { loginTimeoutMs } from '../../../limits.js';
import { principalKeyOf } from '../identity/claims.js';
import { createLoginPages } from './pages.js';

interface Setup {
  readonly issuer: Issuer;
  readonly link: string;
  readonly origin: string;
  readonly browser: Visitor;
  /** What the login was given, in order. */
  readonly outcomes: string[];
  /** Where the authorization server sends the browser, with the state that it got. */
  readonly redirect: string;
  readonly warnings: string[];
  readonly clock: { ms: number };
  /** Opens the link as this user. */
  readonly open: (subject?: string, idToken?: TokenChanges) => Promise<Visited>;
}

const consentPage = 'https://login.tracker.example/authorize';

/** A login that a call of `ada` has asked for. `origin`: how browsers reach the service; by default where it is. */
async function setUp({
  origin,
  ...names
}: {
  origin?: string;
  toolbox?: string;
  server?: string;
} = {}): Promise<Setup> {
  const clock = { ms: Date.now() };
  const issuer = await startIssuer({ client: { id: 'workbench' }, now: () => clock.ms });
  const warnings: string[] = [];
  let pages: ReturnType<typeof createLoginPages> | undefined;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://any');
    void pages?.serve(pathname, request, response);
  });
  const own = `http://127.0.0.1:${(await listen(server)).port}`;
  pages = createLoginPages({
    issuer: issuer.url,
    algorithms: ['ES256'],
    client: { clientId: 'workbench', clientSecret: undefined },
    origin: origin ?? own,
    env: {},
    warn: (text) => warnings.push(text),
    now: () => clock.ms,
  });
  onTestFinished(() => pages?.close());
  const outcomes: string[] = [];
  const login: ExpectedLogin = {
    ...{ toolbox: 'dev', server: 'tracker', ...names, port: undefined, preferred: undefined },
    async answered(parameters) {
      outcomes.push(`code ${parameters.get('code')}`);
      return { kind: 'authorized', toolbox: 'dev', server: 'tracker' };
    },
    refused: (reason) => void outcomes.push(reason),
  };
  const expected = pages.expect(principalKeyOf(issuer.url, 'ada'), login);
  const state = 'the state of the login';
  const url = new URL(`${consentPage}?a=1&b=<2>`);
  url.searchParams.set('state', state);
  const link = expected.linkTo({ url, state });
  const browser = createVisitor();
  const redirect = `${expected.redirectUrl}?${new URLSearchParams({ code: 'c', state }).toString()}`;
  return {
    ...{ issuer, link, browser, outcomes, redirect, warnings, clock, origin: own },
    open(subject = 'ada', idToken = {}) {
      issuer.signIn(subject, idToken);
      return browser.open(link);
    },
  };
}

const isIssuerLeft = (url: string) => !url.includes('/login/signed-in');

describe('a link to a login', () => {
  test('leads its user by the issuer to a page with a button, and from there on', async () => {
    const { open, browser, redirect, outcomes, link, origin } = await setUp();
    const page = await open();
    expect(page).toMatchObject({ url: link, status: 200 });
    expect(page.button?.startsWith(`${consentPage}?`)).toBe(true);
    expect(page.body).toContain('Your agent needs your account at login.tracker.example for server tracker');
    expect(page.body).toContain('Continue to login.tracker.example');
    expect(page.body).toContain(`agents that use ${new URL(origin).host} in your name`);
    expect(await browser.open(redirect)).toMatchObject({ status: 200 });
    expect(outcomes).toEqual(['code c']);
    expect(browser.cookies.size).toBe(0);
  });

  test('shows that page again when it is loaded again, without another sign-in', async () => {
    const { open, browser, link, issuer } = await setUp();
    await open();
    const before = issuer.requests.length;
    expect((await browser.open(link)).button).toBeDefined();
    expect(issuer.requests).toHaveLength(before);
  });

  test('belongs to the browser that opens it first', async () => {
    const { open, link } = await setUp();
    await open();
    const other = createVisitor();
    expect(await other.open(link)).toMatchObject({ status: 404, button: undefined });
    expect(other.visited).toEqual([link]);
    expect(other.cookies.size).toBe(0);
  });

  test('is over after its use', async () => {
    const { open, browser, link, redirect, outcomes } = await setUp();
    await open();
    await browser.open(redirect);
    expect((await browser.open(link)).status).toBe(404);
    expect((await browser.open(redirect)).status).toBe(400);
    expect(outcomes).toEqual(['code c']);
  });

  test('that another user opens ends the login without a way on', async () => {
    const { open, browser, link, redirect, outcomes } = await setUp();
    const page = await open('bob');
    expect(page).toMatchObject({ status: 403, button: undefined });
    expect(page.body).not.toContain(consentPage);
    expect(outcomes).toEqual(['another user has signed in for it in the browser']);
    expect((await browser.open(link)).status).toBe(404);
    expect((await browser.open(redirect)).status).toBe(400);
    expect(outcomes).toHaveLength(1);
  });

  test('says no more than that it is not valid if it was never given out', async () => {
    const { browser, link } = await setUp();
    const page = await browser.open(new URL('/login/AAAAAAAAAAAAAAAAAAAAAA', link).href);
    expect([page.status, page.body]).toEqual([404, expect.stringContaining('This link is not valid')]);
  });

  test('can be loaded again after the issuer was away', async () => {
    const { open, issuer, warnings } = await setUp();
    issuer.behave('away');
    expect((await open()).status).toBe(502);
    expect(warnings).toEqual([expect.stringContaining('nobody can sign in')]);
    issuer.behave('well');
    expect((await open()).button).toBeDefined();
  });
});

describe('after five minutes', () => {
  test('a link that was not opened is not valid', async () => {
    const { open, clock, issuer } = await setUp();
    clock.ms += loginTimeoutMs;
    expect((await open()).status).toBe(404);
    expect(issuer.requests).toEqual([]);
  });

  test('a sign-in leads nowhere', async () => {
    const { browser, link, clock, issuer } = await setUp();
    const { location = '' } = await browser.open(link, isIssuerLeft);
    clock.ms += loginTimeoutMs;
    expect((await browser.open(location)).status).toBe(404);
    expect(issuer.requests.filter((path) => path === '/token')).toEqual([]);
  });

  test('an answer of the authorization server is refused', async () => {
    const { open, browser, redirect, clock, outcomes } = await setUp();
    await open();
    clock.ms += loginTimeoutMs;
    expect((await browser.open(redirect)).status).toBe(400);
    expect(outcomes).toEqual([]);
  });
});

describe('an answer of the issuer', () => {
  test.each<[string, TokenChanges, string]>([
    ['another nonce', { claims: { nonce: 'x' } }, 'nonce-wrong'],
    ['no nonce', { claims: { nonce: undefined } }, 'nonce-wrong'],
    ['another audience', { claims: { aud: 'other' } }, 'audience-wrong'],
    ['several audiences and no client', { claims: { aud: ['workbench', 'other'] } }, 'for another client'],
    ['another client', { claims: { azp: 'other' } }, 'for another client'],
    ['another issuer', { claims: { iss: 'https://other.example.com' } }, 'issuer-wrong'],
    ['no user', { claims: { sub: undefined } }, 'subject-wrong'],
    ['a time that is over', { claims: { exp: 1 } }, 'token-expired'],
    ['the type of an access token', { header: { typ: 'at+jwt' } }, 'token-type'],
    ['a foreign signature', { key: makeKey() }, 'key-unknown'],
    ['a key of its own', { header: { jwk: {} } }, 'key-embedded'],
  ])('whose ID token has %s ends the login', async (_, idToken, why) => {
    const { open, outcomes, redirect, browser } = await setUp();
    expect(await open('ada', idToken)).toMatchObject({ status: 400, button: undefined });
    expect(outcomes).toEqual([expect.stringContaining(why)]);
    expect((await browser.open(redirect)).status).toBe(400);
    expect(outcomes).toHaveLength(1);
  });

  test.each<[string, (answer: URLSearchParams) => void]>([
    ['names another issuer', (answer) => answer.set('iss', 'https://other.example.com')],
    ['names no issuer, although it says that it does', (answer) => answer.delete('iss')],
    ['is an error', (answer) => answer.set('error', 'access_denied')],
    ['has no code', (answer) => answer.delete('code')],
    ['has a code that it does not know', (answer) => answer.set('code', 'x')],
  ])('that %s ends the login', async (_, change) => {
    const { browser, link, outcomes } = await setUp();
    const { location = '' } = await browser.open(link, isIssuerLeft);
    const answer = new URL(location);
    change(answer.searchParams);
    expect((await browser.open(answer.href)).status).toBe(400);
    expect(outcomes).toEqual([expect.stringContaining('no sign-in: ')]);
    // The right one comes too late.
    expect((await browser.open(location)).status).toBe(404);
    expect(outcomes).toHaveLength(1);
  });

  test('without the cookie, or with a changed state, is refused, and the login goes on', async () => {
    const { browser, link, outcomes, issuer } = await setUp();
    const { location = '' } = await browser.open(link, isIssuerLeft);
    const changed = new URL(location);
    changed.searchParams.set('state', 'x');
    expect((await createVisitor().open(location)).status).toBe(404);
    expect((await browser.open(changed.href)).status).toBe(404);
    expect(issuer.requests.filter((path) => path === '/token')).toEqual([]);
    expect((await browser.open(location)).button).toBeDefined();
    expect(outcomes).toEqual([]);
  });

  test('counts once', async () => {
    const { browser, link } = await setUp();
    const { location = '' } = await browser.open(link, isIssuerLeft);
    expect((await browser.open(location)).button).toBeDefined();
    expect((await browser.open(location)).status).toBe(404);
  });

  test('is of no use at the place where authorization servers of remote servers send the browser', async () => {
    const { browser, link, outcomes } = await setUp();
    const { location = '' } = await browser.open(link, isIssuerLeft);
    expect((await browser.open(location.replace('/signed-in', '/callback'))).status).toBe(400);
    expect(outcomes).toEqual([]);
  });
});

test('the answer of an authorization server is refused before its user is known', async () => {
  const { browser, link, redirect, outcomes } = await setUp();
  await browser.open(link, isIssuerLeft);
  expect((await browser.open(redirect)).status).toBe(400);
  expect(outcomes).toEqual([]);
});

test('names and addresses of others are text on the pages', async () => {
  const evil = `"><script>alert(1)</script>'&\u202E`;
  const { open } = await setUp({ toolbox: evil, server: evil });
  const { body, button } = await open();
  expect(body).not.toMatch(/<script|\u202E/);
  expect(button).toContain('b=%3C2%3E');
});

test('no page runs or loads anything, is kept, passes its address on or can be framed', async () => {
  const { browser, link, redirect, open } = await setUp();
  const pages = [
    await browser.open(new URL('/login/AAAAAAAAAAAAAAAAAAAAAA', link).href),
    await browser.open(link, () => false),
    await open(),
    await browser.open(redirect),
  ];
  expect(pages.map(({ status }) => status)).toEqual([404, 303, 200, 200]);
  for (const { status, headers } of pages) {
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer']);
    const policy = headers.get('content-security-policy');
    if (status !== 303)
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-\S+'; .*frame-ancestors 'none'$/);
  }
});

describe('the cookie', () => {
  test('of a service with https is one of its host alone, for https only', async () => {
    const { browser, link, origin } = await setUp({ origin: 'https://mcp.example.com' });
    expect(link).toMatch(/^https:\/\/mcp\.example\.com\/login\/[\w-]{22}$/);
    await browser.open(link.replace('https://mcp.example.com', origin), () => false);
    expect(browser.setCookies).toEqual([
      expect.stringMatching(
        /^__Host-workbench-login-[\da-f]{16}=[\w-]{43}; Path=\/; Max-Age=300; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ]);
  });

  test('on this computer without https is for the server alone', async () => {
    const { browser, link } = await setUp();
    await browser.open(link, () => false);
    expect(browser.setCookies).toEqual([
      expect.stringMatching(/^workbench-login-[\da-f]{16}=[\w-]{43}; Path=\/; Max-Age=300; HttpOnly; SameSite=Lax$/),
    ]);
  });

  test('is not made for http elsewhere', async () => {
    await expect(setUp({ origin: 'http://mcp.example.com' })).rejects.toThrow('logins need https');
  });

  test('counts only if there is one of its name', async () => {
    const { browser, link } = await setUp();
    const { location = '' } = await browser.open(link, isIssuerLeft);
    const [name = '', value = ''] = [...browser.cookies][0] ?? [];
    const cookie = `${name}=${value}; ${name}=${'a'.repeat(43)}`;
    expect((await fetch(location, { headers: { cookie }, redirect: 'manual' })).status).toBe(404);
  });
});
