import { request as requestOf } from 'node:http';
import { createServer, type Server } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { text } from '../support/agents.js';
import { type LoginTeam, personWho, startLoginTeam } from '../support/login-team.js';
import { listen, serverCertificate } from '../support/loopback.js';
import { type Chromium, launchChromium, type OpenedPage } from './chromium.mjs';

// Users of a service log in at a server in a real browser, each in one of their own. TLS ends in front of the service.
let chromium: Chromium;
beforeAll(async () => {
  chromium = await launchChromium();
});
afterAll(() => chromium.close());

const hello = ['dev', 'linear', 'echo', { message: 'hello' }] as const;

/** A service behind something that ends TLS, as browsers see it. */
async function startBehindTls(): Promise<LoginTeam> {
  let target = 0;
  const front: Server = createServer(serverCertificate, (request, response) => {
    const { url, method, headers } = request;
    const passed = requestOf({ host: '127.0.0.1', port: target, path: url, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    request.pipe(passed);
  });
  const { port } = await listen(front);
  const team = await startLoginTeam({ url: `https://127.0.0.1:${port}/mcp` });
  target = team.service.port;
  return team;
}

/** How it is reached, and what it is registered as at the authorization server of the remote server. */
const ways = [
  ['with TLS in front', startBehindTls, 'web'],
  ['on loopback without TLS', startLoginTeam, 'native'],
] as const;

const textOf = ({ page }: OpenedPage) => page.locator('body').innerText();

function openAs({ issuer }: LoginTeam, subject: string, url: string): Promise<OpenedPage> {
  issuer.signIn(subject);
  return chromium.open(url, { isTrusting: true });
}

/** Goes on from the page that says whose account it is about, and consents. */
async function consent({ page }: OpenedPage): Promise<void> {
  await page.getByRole('link', { name: /^Continue to / }).click();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
}

describe.each(ways)('with a real browser, %s,', (_, start, kind) => {
  test('a user logs in at a server, presses the button and consents, and the call goes on', async () => {
    const team = await start();
    let opened: OpenedPage | undefined;
    const ada = personWho(async (url) => {
      opened = await openAs(team, 'ada', url);
      const shown = await textOf(opened);
      expect(shown).toContain(`your account at ${new URL(team.server.issuer).host} for server linear (toolbox dev)`);
      // Of the page and of its cookie nothing can be read by a script.
      expect(await opened.page.evaluate('document.cookie')).toBe('');
      expect(opened.requests.some((address) => address.startsWith(team.server.issuer))).toBe(false);
      await consent(opened);
      await opened.page.getByRole('heading', { name: 'Authorized' }).waitFor();
    });
    const agent = await team.connect('ada', 'v2 modern', ada);
    expect(text(await agent.use(...hello))).toBe('hello');
    expect(team.stored('ada')).toHaveLength(1);
    const [registration] = await team.server.sent('/register');
    expect(JSON.parse(registration?.body ?? '')).toMatchObject({ application_type: kind });
    expect(JSON.stringify(opened?.complaints)).not.toMatch(/Content Security Policy|Refused/);
    // The same answer again, as when the page is loaded again.
    await opened?.page.reload();
    expect(opened && (await textOf(opened))).toContain('does not belong to this request');
    await opened?.close();
  });

  test('the link of one user that another one opens stores nothing, and says so', async () => {
    const team = await start();
    const ada = personWho(async (url) => {
      const opened = await openAs(team, 'bob', url);
      expect(await textOf(opened)).toContain('asked for by a call of another user');
      expect(await textOf(opened)).toContain('Nothing was stored.');
      expect(await opened.page.getByRole('link').count()).toBe(0);
      await opened.close();
    });
    const agent = await team.connect('ada', 'v2 legacy', ada);
    expect((await agent.use(...hello))._meta?.['mcp-workbench/code']).toBe('LOGIN_NEEDED');
    expect(team.storedAnywhere()).toEqual([]);
  });

  test('an answer counts only in the browser that has opened the link, and only with its own state', async () => {
    const team = await start();
    const ada = personWho(async (url) => {
      const opened = await openAs(team, 'ada', url);
      const page = opened.page.getByRole('link', { name: /^Continue to / });
      const redirect = await team.server.consent((await page.getAttribute('href')) ?? '');
      const elsewhere = await openAs(team, 'bob', redirect);
      expect(await textOf(elsewhere)).toContain('does not belong to this request');
      await elsewhere.close();
      await opened.page.goto(redirect.replace('state=', 'state=x'));
      expect(await textOf(opened)).toContain('does not belong to this request');
      expect(team.storedAnywhere()).toEqual([]);
      await opened.page.goto(redirect);
      expect(await textOf(opened)).toContain('can now use server linear (toolbox dev)');
      await opened.close();
    });
    const agent = await team.connect('ada', 'v2 modern', ada);
    expect(text(await agent.use(...hello))).toBe('hello');
    expect(team.storedAnywhere()).toHaveLength(1);
  });
});
