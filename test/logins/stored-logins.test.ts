import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as program from '../support/agents.js';
import { type Agent, type Flavour, text } from '../support/agents.js';
import { type Authorization, startAuthorization } from '../support/authorization.js';
import { connectAgent } from '../support/in-process.js';
import { createLoginUser, type LoginUser } from '../support/logins.js';
import { posixOnly } from '../support/platform.js';

const needsLogin = 'needs a login: run `mcp-workbench auth dev linear --config ';

async function loggedIn(settings: Parameters<typeof startAuthorization>[0] = {}, entry: object = {}) {
  const server = await startAuthorization(settings);
  const user = createLoginUser(server, entry);
  await user.logIn();
  return { server, user };
}

const connected = (user: LoginUser, flavour: Flavour = 'v2 legacy') => connectAgent(flavour, user.launch);
const echo = async (agent: Agent, message = 'hello') => text(await agent.use('dev', 'linear', 'echo', { message }));

/** How many requests to refresh a token there were, and how many calls of tools were let through. */
async function counts(server: Authorization) {
  const { log, reuses } = await server.control();
  const calls = log.filter(
    ({ server: of, body, status }) => of === 'resource' && status === 200 && body?.includes('tools/call'),
  );
  const refreshes = log.filter(({ path, form }) => path === '/token' && form?.['grant_type'] === 'refresh_token');
  return { calls: calls.length, refreshes: refreshes.length, reuses };
}

test('a token that is refused in the middle is renewed, and the call is made once', async () => {
  const { server, user } = await loggedIn();
  const agent = await program.connectAgent('v2 modern', user.launch);
  expect(await echo(agent)).toBe('hello');
  await server.control({ revokeAccess: true });
  expect(await echo(agent, 'again')).toBe('again');
  expect(await counts(server)).toEqual({ calls: 2, refreshes: 1, reuses: 0 });
  await agent.close();
});

test('a login that is refused makes the server unavailable, with the command to paste; a new one is used at once', async () => {
  const { server, user } = await loggedIn();
  const agent = await connected(user, 'v2 modern');
  expect(await echo(agent)).toBe('hello');
  await server.control({ revokeAccess: true, revokeRefresh: true });
  expect(await echo(agent)).toContain(needsLogin);
  expect(user.stored().tokens).toBeUndefined();
  await user.logIn();
  expect(await echo(agent)).toBe('hello');
  await agent.close();
});

test('a token that is about to expire is renewed before it is used', async () => {
  const { server, user } = await loggedIn();
  const { tokens, ...rest } = user.stored();
  writeFileSync(user.file, JSON.stringify({ ...rest, tokens: { ...tokens, expires: Date.now() + 1_000 } }));
  const agent = await connected(user);
  expect(await echo(agent)).toBe('hello');
  const { log } = await server.control();
  expect((await counts(server)).refreshes).toBe(1);
  // That of the login itself: none was sent with the old token.
  expect(log.filter(({ server: of, status }) => of === 'resource' && status === 401)).toHaveLength(1);
  await agent.close();
});

test('calls that are refused at the same time share one renewal', async () => {
  const { server, user } = await loggedIn({ delayMs: 200 });
  const agent = await connected(user);
  expect(await echo(agent)).toBe('hello');
  await server.control({ revokeAccess: true });
  const messages = ['a', 'b', 'c', 'd', 'e'];
  expect(await Promise.all(messages.map((message) => echo(agent, message)))).toEqual(messages);
  expect(await counts(server)).toEqual({ calls: 6, refreshes: 1, reuses: 0 });
  await agent.close();
});

test('several processes renew a login once', async () => {
  const { server, user } = await loggedIn({ delayMs: 200 });
  const agents = await Promise.all(Array.from({ length: 3 }, () => program.connectAgent('v2 legacy', user.launch)));
  expect(await Promise.all(agents.map((agent) => echo(agent)))).toEqual(['hello', 'hello', 'hello']);
  await server.control({ revokeAccess: true });
  expect(await Promise.all(agents.map((agent) => echo(agent)))).toEqual(['hello', 'hello', 'hello']);
  expect(await counts(server)).toEqual({ calls: 6, refreshes: 1, reuses: 0 });
  for (const agent of agents) await agent.close();
});

test('a lock that a killed process has left does not keep others from renewing', async () => {
  const { server, user } = await loggedIn();
  writeFileSync(`${user.file}.lock`, JSON.stringify({ pid: 2 ** 30, host: hostname(), id: 'x' }));
  await server.control({ revokeAccess: true });
  const agent = await connected(user);
  expect(await echo(agent)).toBe('hello');
  expect(existsSync(`${user.file}.lock`)).toBe(false);
  await agent.close();
});

test('an authorization server that is gone is named, and the login is kept', async () => {
  const { server, user } = await loggedIn();
  await server.control({ revokeAccess: true, listening: false });
  const agent = await connected(user);
  const failure = await echo(agent);
  expect(failure).toContain(`no connection to ${server.issuer}/token: connection refused`);
  expect(failure).not.toContain('mcp-workbench auth');
  await server.control({ listening: true });
  expect(await echo(agent)).toBe('hello');
  await agent.close();
});

test('an authorization server that answers with an error is not a refusal', async () => {
  const { server, user } = await loggedIn();
  await server.control({ revokeAccess: true, settings: { refresh: 'broken' } });
  const agent = await connected(user);
  expect(await echo(agent)).toContain('the authorization server answered with an error');
  await server.control({ settings: { refresh: 'granted' } });
  expect(await echo(agent)).toBe('hello');
  await agent.close();
});

describe('a stored login', () => {
  test('is readable by its user alone', async () => {
    posixOnly('reads modes of files');
    const { user } = await loggedIn();
    expect(statSync(user.file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(user.file)).mode & 0o777).toBe(0o700);
  });

  test.each(['', '{"version":1}', 'not JSON', '{"version":1,"tokens":{"access":7}}'])(
    'that is damaged (%j) is set aside, which is said',
    async (content) => {
      const { user } = await loggedIn();
      writeFileSync(user.file, content);
      const agent = await connected(user);
      expect(await echo(agent)).toContain(needsLogin);
      expect(agent.stderr()).toMatch(
        /the login in .* cannot be used: it is damaged\. It was renamed to .*; log in again/,
      );
      expect(readdirSync(dirname(user.file)).filter((name) => name.includes('.damaged-'))).toHaveLength(1);
      await user.logIn();
      expect(await echo(agent)).toBe('hello');
      await agent.close();
    },
  );

  test('that cannot be read is set aside, too', async () => {
    const { user } = await loggedIn();
    rmSync(user.file);
    mkdirSync(user.file);
    const agent = await connected(user);
    expect(await echo(agent)).toContain(needsLogin);
    expect(agent.stderr()).toContain('cannot be used: it is a directory');
    await agent.close();
  });

  test('of another server, configuration or URL is never used', async () => {
    const { server, user } = await loggedIn();
    const other = createLoginUser(server);
    mkdirSync(dirname(other.file), { recursive: true });
    writeFileSync(other.file, JSON.stringify(user.stored()));
    const agent = await connected(other);
    expect(await echo(agent)).toContain('needs a login');
    expect(agent.stderr()).toContain('cannot be used: it is damaged');
    await agent.close();
  });
});

test('a machine gets its token by itself, and another one when it expires', async () => {
  const clients = { robot: { secret: 'a-secret-of-a-robot', grantTypes: ['client_credentials'] } };
  const server = await startAuthorization({ clients });
  const oauth = { clientId: 'robot', clientSecret: 'a-secret-of-a-robot', grant: 'client_credentials' };
  const user = createLoginUser(server, { oauth });
  const agent = await connected(user);
  expect(await echo(agent)).toBe('hello');
  await server.control({ revokeAccess: true });
  expect(await echo(agent)).toBe('hello');
  expect(await server.sent('/token')).toHaveLength(2);
  await server.control({ revokeAccess: true, settings: { clients: {} } });
  expect(await echo(agent)).toContain('the authorization server answered invalid_client');
  await agent.close();
});

test('a call that needs more than the login allows says so, and the next login asks for it', async () => {
  const { server, user } = await loggedIn({ toolScopes: { echo: 'write' } });
  const agent = await connected(user);
  expect(await echo(agent)).toContain('needs a login for more (read write): run `mcp-workbench auth dev linear');
  await user.logIn();
  expect(await echo(agent)).toBe('hello');
  const asked = (await server.sent('/authorize')).map(({ query }) => query['scope']);
  expect(asked).toEqual(['read', 'read write']);
  await agent.close();
});

test('a server that always wants more is not given another login', async () => {
  const { server, user } = await loggedIn();
  const agent = await connected(user);
  await server.control({ settings: { neverEnough: true } });
  const failure = await echo(agent);
  expect(failure).toContain('needs a login (403)');
  expect(failure).not.toContain('mcp-workbench auth');
  await agent.close();
});
