import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { OAuthSettings, ServerConfig } from '../../src/config/config.js';
import { openLogins } from '../../src/downstream/oauth/logins.js';
import { text } from '../support/agents.js';
import { startAuthorization } from '../support/authorization.js';
import { fakeInternet } from '../support/fake-internet.js';
import { connectAgent } from '../support/in-process.js';
import { createLoginUser, type LoginUser } from '../support/logins.js';

const secret = 'the-secret-of-a-client';
const clients = { known: { secret, redirectUris: ['http://127.0.0.1/callback'] } };
const configured = { clientId: 'known', clientSecret: secret };

/** The same server with other settings, as after an edit of the configuration. */
function edited(server: ServerConfig, oauth: Partial<OAuthSettings>): ServerConfig {
  const { target } = server;
  if (target.kind !== 'remote' || target.oauth === undefined) throw new Error('not a remote server');
  return { ...server, target: { ...target, oauth: { ...target.oauth, ...oauth } } };
}

const clientOf = (user: LoginUser) => JSON.parse(readFileSync(user.file, 'utf8')).client.id;

test('a client that the authorization server has forgotten is registered again with the next login', async () => {
  const server = await startAuthorization();
  const user = createLoginUser(server);
  await user.logIn();
  await server.control({ forgetClients: true, revokeAccess: true });
  const agent = await connectAgent('v2 legacy', user.launch);
  expect(text(await agent.use('dev', 'linear', 'echo', { message: 'hello' }))).toContain('needs a login: run');
  await user.logIn();
  expect(text(await agent.use('dev', 'linear', 'echo', { message: 'hello' }))).toBe('hello');
  expect(await server.sent('/register')).toHaveLength(2);
  await agent.close();
});

test('a client that the authorization server forgets while the user consents is registered again, too', async () => {
  const server = await startAuthorization();
  const user = createLoginUser(server);
  await user.logIn();
  const before = clientOf(user);
  const login = await user.logins.begin(user.server, { listens: false });
  const redirect = await server.consent(login.url);
  await server.control({ forgetClients: true });
  await expect(login.paste(redirect)).rejects.toThrow('invalid_client');
  await user.logIn();
  expect(clientOf(user)).not.toBe(before);
});

test.each<[string, Partial<OAuthSettings>]>([
  ['issuer', { issuer: 'https://another.example.com', clientSecret: 'another-secret' }],
  ['client', { clientId: 'another', clientSecret: 'another-secret' }],
])(
  'a login is of no use after an edit that names another %s, and neither secret is sent to the first issuer',
  async (_, oauth) => {
    const server = await startAuthorization({ clients });
    const user = createLoginUser(server, { oauth: configured });
    await user.logIn();
    const after = edited(user.server, oauth);
    expect(await user.logins.find(user.server)).toBeDefined();
    expect(await user.logins.find(after)).toBeUndefined();
    const { log } = await server.control();
    await expect(user.logins.fetchToken(after)).rejects.toThrow('no token was issued');
    expect(await user.logins.forget(after)).toBe(true);
    const later = (await server.control()).log.slice(log.length);
    expect(later.filter(({ server: of, method }) => of === 'authorization' && method === 'POST')).toEqual([]);
  },
);

test('tokens are not revoked at an address without https outside of this computer', async () => {
  const server = await startAuthorization();
  const user = createLoginUser(server);
  await user.logIn();
  const stored = JSON.parse(readFileSync(user.file, 'utf8'));
  const metadata = { ...stored.metadata, revocation_endpoint: 'http://printer.test/revoke' };
  writeFileSync(user.file, JSON.stringify({ ...stored, metadata }));
  const internet = fakeInternet({ 'printer.test': [['10.0.0.5']] }, {});
  const computer = { env: {}, cwd: '/', platform: process.platform, home: user.launch.env['HOME'] ?? '' };
  expect(await openLogins(computer, () => {}, internet).forget(user.server)).toBe(true);
  expect(internet.attempts).toEqual([]);
});

const robot = { clientId: 'robot', clientSecret: secret, grant: 'client_credentials' };
const robots = { robot: { secret, grantTypes: ['client_credentials'] } };

test('a machine gets more scopes by itself when a call needs them', async () => {
  const server = await startAuthorization({ clients: robots, toolScopes: { echo: 'write' } });
  const user = createLoginUser(server, { oauth: robot });
  const asked: string[] = [];
  const agent = await connectAgent('v2 legacy', user.launch, {
    capabilities: { elicitation: { url: {} } },
    answer: (method) => ({ action: 'decline', asked: asked.push(method) }),
  });
  expect(text(await agent.use('dev', 'linear', 'echo', { message: 'hello' }))).toBe('hello');
  expect((await server.sent('/token')).map(({ form }) => form?.['scope'])).toEqual(['read', 'read write']);
  expect(asked).toEqual([]);
  await agent.close();
});

test('a machine needs no PKCE; a user does', async () => {
  const server = await startAuthorization({ clients: robots, pkce: false });
  const machine = createLoginUser(server, { oauth: robot });
  expect((await machine.logins.fetchToken(machine.server)).scopes).toEqual(['read']);
  await expect(createLoginUser(server).logIn()).rejects.toThrow('does not support PKCE');
});

test('metadata of another issuer are named as the cause', async () => {
  const server = await startAuthorization({ namedIssuer: 'https://another.example.com' });
  const user = createLoginUser(server);
  await expect(user.logIn()).rejects.toThrow(
    `the metadata of the authorization server ${server.issuer} are those of another issuer, https://another.example.com`,
  );
});
