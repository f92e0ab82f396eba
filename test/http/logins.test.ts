import { describe, expect, test } from 'vitest';
import { eras, text } from '../support/agents.js';
import { startAuthorization } from '../support/authorization.js';
import { devToolbox } from '../support/configs.js';
import { connectHttp, startService } from '../support/http-service.js';
import { consentAt, loggingInAs, openLink, personWho, startLoginTeam } from '../support/login-team.js';
import { createVisitor } from '../support/page-visitor.js';

const code = 'mcp-workbench/code';
const hello = ['dev', 'linear', 'echo', { message: 'hello' }] as const;

describe.each(eras)('over HTTP, with a %s client', (era) => {
  test('a user logs in at a server by a link to the service, and the call goes on', async () => {
    const team = await startLoginTeam();
    const ada = loggingInAs(team, 'ada');
    const agent = await team.connect('ada', era, ada);
    expect(text(await agent.use(...hello))).toBe('hello');
    const [question] = ada.asked;
    const host = new URL(team.server.issuer).host;
    expect(question?.url).toMatch(new RegExp(`^${team.origin}/login/[\\w-]{22}$`));
    expect(question?.message).toBe(
      `[dev/linear] Open the link to log in to linear at ${host}; the call continues afterwards.`,
    );
    expect(team.stored('ada')).toHaveLength(1);
    expect(team.storedAnywhere()).toHaveLength(1);
    await agent.close();
  });
});

test('a login is one for all sessions of its user, and none for another user', async () => {
  const team = await startLoginTeam();
  const ada = loggingInAs(team, 'ada');
  const first = await team.connect('ada', 'v2 legacy', ada);
  expect(text(await first.use(...hello))).toBe('hello');
  const second = await team.connect('ada', 'v2 modern', { ...ada, clientName: 'another' });
  expect(text(await second.use(...hello))).toBe('hello');
  expect(ada.asked).toHaveLength(1);
  const bob = loggingInAs(team, 'bob');
  const other = await team.connect('bob', 'v2 modern', bob);
  expect(text(await other.use(...hello))).toBe('hello');
  expect(bob.asked).toHaveLength(1);
  expect([team.stored('ada').length, team.stored('bob').length]).toEqual([1, 1]);
  const { accessTokens } = await team.server.control();
  expect(accessTokens).toBe(2);
});

test('the link of one user that another one opens stores nothing, says so, and is over', async () => {
  const team = await startLoginTeam();
  const ada = personWho(async (url) => {
    const browser = createVisitor();
    const page = await openLink(team, 'bob', url, browser);
    expect([page.status, page.body]).toEqual([403, expect.stringContaining('call of another user')]);
    expect(page.body).toContain('Nothing was stored.');
    expect(browser.visited.some((visited) => visited.startsWith(team.server.issuer))).toBe(false);
    expect(browser.cookies.size).toBe(0);
    expect((await openLink(team, 'ada', url, createVisitor())).status).toBe(404);
  });
  const agent = await team.connect('ada', 'v2 modern', ada);
  const failed = await agent.use(...hello);
  expect(failed._meta?.[code]).toBe('LOGIN_NEEDED');
  expect(text(failed)).toContain('needs a login: retry this call in a client that shows links');
  expect(team.storedAnywhere()).toEqual([]);
  expect(await team.server.sent('/token')).toEqual([]);
  expect(team.service.stderr()).toContain('dev/linear: no login: another user has signed in for it in the browser');
});

test('an answer of an authorization server is refused without the cookie, with a changed state, and the second time', async () => {
  const team = await startLoginTeam();
  let redirect = '';
  const ada = personWho(async (url, browser) => {
    const page = await openLink(team, 'ada', url, browser);
    redirect = await consentAt(team, page);
    const changed = new URL(redirect);
    changed.searchParams.set('state', `${changed.searchParams.get('state')}x`);
    expect((await createVisitor().open(redirect)).status).toBe(400);
    expect((await browser.open(changed.href)).status).toBe(400);
    expect(await team.server.sent('/token')).toEqual([]);
    expect(team.storedAnywhere()).toEqual([]);
    const last = await browser.open(redirect);
    expect([last.status, last.body]).toEqual([200, expect.stringContaining('MCP Workbench can now use server linear')]);
    expect((await browser.open(redirect)).status).toBe(400);
  });
  const agent = await team.connect('ada', 'v2 legacy', ada);
  expect(text(await agent.use(...hello))).toBe('hello');
  expect((await ada.browser.open(redirect)).status).toBe(400);
  expect(await team.server.sent('/token')).toHaveLength(1);
});

test('a login that is denied at the authorization server says so, and fails the call', async () => {
  const team = await startLoginTeam();
  const ada = personWho(async (url, browser) => {
    const page = await openLink(team, 'ada', url, browser);
    const last = await browser.open(await team.server.consent(page.button ?? '', 'deny'));
    expect(last.body).toContain('Access to server linear (toolbox dev) was denied. Nothing was stored.');
  });
  const agent = await team.connect('ada', 'v2 modern', ada);
  expect((await agent.use(...hello))._meta?.[code]).toBe('LOGIN_NEEDED');
  expect(team.storedAnywhere()).toEqual([]);
});

test('a service whose operator has not allowed logins fails the call, asks nothing and has no pages', async () => {
  const team = await startLoginTeam({ allowsLogins: false });
  const ada = loggingInAs(team, 'ada');
  const agent = await team.connect('ada', 'v2 modern', ada);
  const failed = await agent.use(...hello);
  expect(failed._meta?.[code]).toBe('LOGIN_NEEDED');
  expect(text(failed)).toContain(
    'needs a login: the operator of this service has to allow logins ("login" in "auth" of "http")',
  );
  expect(ada.asked).toEqual([]);
  expect((await fetch(`${team.origin}/login/${'a'.repeat(22)}`)).status).toBe(404);
});

test('a user whose client shows no links reads that another client is needed, and no login is begun', async () => {
  const team = await startLoginTeam();
  const agent = await team.connect('ada', 'v1');
  const failed = await agent.use(...hello);
  expect(failed._meta?.[code]).toBe('LOGIN_NEEDED');
  expect(text(failed)).not.toContain('mcp-workbench auth');
  expect(await team.server.sent('/register')).toEqual([]);
});

test('a server for everyone asks no user, and does not use the login of the operator', async () => {
  const team = await startLoginTeam({ entry: { forEveryone: true } });
  const ada = loggingInAs(team, 'ada');
  const agent = await team.connect('ada', 'v2 modern', ada);
  const call = async () => {
    const failed = await agent.use(...hello);
    expect(failed._meta?.[code]).toBe('LOGIN_NEEDED');
    expect(text(failed)).toContain('a server for everyone has no login of a person');
  };
  await call();
  await team.logInOperator();
  expect(team.storedAnywhere()).toHaveLength(1);
  await call();
  expect(ada.asked).toEqual([]);
});

test('one person logs in as on stdio: by a browser on the computer of the service', async () => {
  const server = await startAuthorization();
  const service = await startService({ config: devToolbox({ linear: server.entry }) });
  const person = personWho(async (url) => {
    await fetch(await server.consent(url));
  });
  const agent = await connectHttp(service, 'v2 modern', { user: person });
  expect(text(await agent.use(...hello))).toBe('hello');
  const [{ url = '' } = {}] = person.asked;
  expect(url.startsWith(`${server.issuer}/authorize?`)).toBe(true);
  expect(new URL(url).searchParams.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  expect((await fetch(new URL(`/login/${'a'.repeat(22)}`, service.url))).status).toBe(404);
});
