// @module-tag hostile
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RemoteTarget } from '../../src/config/config.js';
import { messageOf } from '../../src/contract/errors.js';
import { openLogins } from '../../src/downstream/oauth/logins.js';
import { text } from '../support/agents.js';
import { secretPattern } from '../support/auth-user.js';
import { type Authorization, startAuthorization } from '../support/authorization.js';
import { runOnTerminal } from '../support/commands.js';
import { devToolbox, writeConfig } from '../support/configs.js';
import { fakeInternet } from '../support/fake-internet.js';
import { serverConfig } from '../support/fake-port.js';
import { createHome } from '../support/homes.js';
import { connectAgent } from '../support/in-process.js';
import { temporaryDirectory } from '../support/launch.js';
import { createLoginUser } from '../support/logins.js';
import { type HttpServer, startHttpServer } from '../support/loopback.js';
import { linuxOnly } from '../support/platform.js';

const publicAddress = '8.8.8.8';
const url = 'http://shop.test/mcp';
const target: RemoteTarget = { kind: 'remote', url, headers: new Map(), transport: 'auto' };
const shop = { ...serverConfig({ target }), name: 'shop' };
const description = { resource: url, authorization_servers: ['https://login.test'] };
const metadata = {
  issuer: 'https://login.test',
  authorization_endpoint: 'https://login.test/authorize',
  token_endpoint: 'https://login.test/token',
  registration_endpoint: 'https://login.test/register',
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  // Endpoints on several hosts are refused otherwise.
  authorization_response_iss_parameter_supported: true,
};

/** A hostile server on a public address that answers these paths, and a canary on everything that only this computer reaches. */
async function hostile(pages: Readonly<Record<string, object>>, challenge = 'Bearer') {
  const canary = await startHttpServer();
  const server = await startHttpServer((response, { url: path }) => {
    const page = pages[path];
    if (path === '/mcp') return response.writeHead(401, { 'www-authenticate': challenge }).end();
    if (page === undefined) return response.writeHead(404).end();
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page));
  });
  const internet = fakeInternet(
    { 'shop.test': [[publicAddress]], 'rebound.test': [['127.0.0.1']] },
    { [publicAddress]: server.port, '127.0.0.1': canary.port, '169.254.169.254': canary.port, '10.0.0.5': canary.port },
  );
  const computer = { env: {}, cwd: '/', platform: process.platform, home: temporaryDirectory() };
  const logins = openLogins(computer, () => {}, internet);
  const attempt = logins.begin(shop, { listens: false }).then(
    // The user consents.
    async (login) => {
      const state = new URL(login.url).searchParams.get('state') ?? '';
      await login.paste(`${login.redirectUrl}?code=a-code&state=${state}&iss=http://shop.test`);
      return 'logged in';
    },
  );
  return { canary, internet, failure: await attempt.catch(messageOf) };
}

const inside = [
  'http://127.0.0.1/x',
  'https://127.0.0.1/x',
  'https://localhost/x',
  'https://10.0.0.5/x',
  'http://169.254.169.254/latest/meta-data',
  'https://[::1]/x',
  'https://rebound.test/x',
  'http://login.test/x',
];

describe('a remote server cannot send the workbench to this computer, nor to a network inside, as', () => {
  test.each(inside)('the address of its metadata: %s', async (address) => {
    const { canary, internet, failure } = await hostile({}, `Bearer resource_metadata="${address}"`);
    expect(failure).toMatch(/^refused to connect to /);
    expect(canary.connections()).toBe(0);
    expect(new Set(internet.attempts)).toEqual(new Set([`${publicAddress}:80`]));
  });

  test.each(inside)('its authorization server: %s', async (address) => {
    const described = { ...description, authorization_servers: [address] };
    const { canary, failure } = await hostile({ '/.well-known/oauth-protected-resource/mcp': described });
    expect(failure).toMatch(/^refused to connect to /);
    expect(canary.connections()).toBe(0);
  });

  test.each(inside)('the place to register a client: %s', async (address) => {
    // Without metadata of the resource, the server is its own authorization server.
    const own = { ...metadata, issuer: 'http://shop.test', registration_endpoint: address };
    const { canary, failure } = await hostile({ '/.well-known/oauth-authorization-server': own });
    expect(failure).toMatch(/^refused to connect to /);
    expect(canary.connections()).toBe(0);
  });

  test.each(inside)('the place to get a token: %s', async (address) => {
    const own = { ...metadata, issuer: 'http://shop.test', token_endpoint: address };
    const registered = { client_id: 'x', redirect_uris: ['http://127.0.0.1/callback'] };
    const { canary, failure } = await hostile({
      '/.well-known/oauth-authorization-server': { ...own, registration_endpoint: 'http://shop.test/register' },
      '/register': registered,
    });
    expect(failure).toMatch(/^refused to connect to |token endpoint/i);
    expect(canary.connections()).toBe(0);
  });

  test.each([
    ...inside.slice(0, 6),
    'file:///etc/passwd',
    'javascript:alert(1)',
    'vscode://x',
    'https://login.test@evil.test/x',
  ])('the page that the user is sent to: %s', async (address) => {
    const own = { ...metadata, issuer: 'http://shop.test', authorization_endpoint: address };
    const registered = { client_id: 'x', redirect_uris: ['http://127.0.0.1/callback'] };
    const { canary, failure } = await hostile({
      '/.well-known/oauth-authorization-server': { ...own, registration_endpoint: 'http://shop.test/register' },
      '/register': registered,
    });
    expect(failure).toMatch(/^the login page is refused|not valid/);
    expect(canary.connections()).toBe(0);
  });
});

/** A server with its own issuer and token endpoint, and the login page of an honest authorization server, where it registers clients. */
async function startMixing(honest: Authorization, announcesIss = false): Promise<HttpServer> {
  const mixing = await startHttpServer((response, { url: path, body }) => {
    const send = (status: number, content: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    if (path === '/mcp') return response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    if (path === '/.well-known/oauth-authorization-server') {
      return send(200, {
        ...metadata,
        ...{ issuer: mixing.origin, authorization_endpoint: `${honest.issuer}/authorize` },
        ...{ token_endpoint: `${mixing.origin}/token`, registration_endpoint: `${mixing.origin}/register` },
        authorization_response_iss_parameter_supported: announcesIss,
      });
    }
    if (path === '/token') return send(200, { access_token: 'x', token_type: 'Bearer' });
    if (path !== '/register') return response.writeHead(404).end();
    const registered = fetch(`${honest.issuer}/register`, { method: 'POST', body });
    return void registered.then(async (answer) => send(201, await answer.json()));
  });
  return mixing;
}

describe('a server that joins the login page of another party with its own token endpoint', () => {
  const attempt = async (honest: Authorization, mixing: HttpServer, oauth: object = {}) => {
    const user = createLoginUser({ ...honest, entry: { url: `${mixing.origin}/mcp` } }, { oauth });
    return { user, failure: await user.logIn().then(() => undefined, messageOf) };
  };
  const sentTo = (mixing: HttpServer, path: string) => mixing.requests.filter(({ url: sent }) => sent === path);

  test('gets no code, and the person reads both hosts before a browser opens', async () => {
    const honest = await startAuthorization({ resourceMetadata: 'none', iss: 'unsupported' });
    const mixing = await startMixing(honest);
    const [page, own] = [new URL(honest.issuer).host, new URL(mixing.origin).host];
    const { failure } = await attempt(honest, mixing);
    expect(failure).toBe(
      `its login page is at ${page}, and the login would be sent to ${own}; if one provider has both hosts, allow them with "oauth": { "hosts": ["${page}", "${own}"] }`,
    );
    expect(sentTo(mixing, '/register')).toEqual([]);
    expect(await honest.sent('/authorize')).toEqual([]);
  });

  test('gets no code either by announcing that the answer names the issuer', async () => {
    for (const iss of ['right', 'unsupported'] as const) {
      const honest = await startAuthorization({ resourceMetadata: 'none', iss });
      const mixing = await startMixing(honest, true);
      const { failure } = await attempt(honest, mixing);
      expect(failure).toBe('The answer does not belong to this request; nothing was stored.');
      expect(await honest.sent('/authorize')).toHaveLength(1);
      expect(sentTo(mixing, '/token')).toEqual([]);
    }
  });

  test('gets it where the configuration says that both hosts are of one provider', async () => {
    const honest = await startAuthorization({ resourceMetadata: 'none', iss: 'unsupported' });
    const mixing = await startMixing(honest);
    const hosts = [honest.issuer, mixing.origin].map((origin) => new URL(origin).host);
    const { failure, user } = await attempt(honest, mixing, { hosts });
    expect(failure).toBeUndefined();
    expect(sentTo(mixing, '/token')).toHaveLength(1);
    expect(user.stored().tokens?.access).toBe('x');
  });

  test('is not helped by a repository that names both hosts: its file is not trusted', async () => {
    linuxOnly('terminals are made by script of util-linux');
    const honest = await startAuthorization({ resourceMetadata: 'none', iss: 'unsupported' });
    const mixing = await startMixing(honest);
    const entry = { url: `${mixing.origin}/mcp` };
    const hosts = [honest.issuer, mixing.origin].map((origin) => new URL(origin).host);
    const cwd = temporaryDirectory();
    writeConfig(cwd, devToolbox({ linear: { ...entry, oauth: { hosts } } }));
    const { env } = createHome(devToolbox({ linear: entry }));
    const terminal = runOnTerminal(['auth', 'dev', 'linear', '--no-browser'], { env, cwd, columns: 300 });
    expect(await terminal.exited).toBe(1);
    expect(terminal.screen()).toContain(`Cannot log in at linear: its login page is at ${hosts[0]}, and`);
    expect(await honest.sent('/authorize')).toEqual([]);
  });

  test('is unavailable to an agent, which gets neither a question about the login nor a way to allow it', async () => {
    const honest = await startAuthorization({ resourceMetadata: 'none', iss: 'unsupported' });
    const mixing = await startMixing(honest);
    const { launch } = createLoginUser({ ...honest, entry: { url: `${mixing.origin}/mcp` } });
    const asked: string[] = [];
    const capabilities = { elicitation: { url: {} } };
    const answer = (method: string) => ({ action: asked.push(method) > 0 ? 'accept' : 'decline' });
    const agent = await connectAgent('v2 modern', launch, { capabilities, answer });
    const failure = text(await agent.use('dev', 'linear', 'echo', {}));
    expect(failure).toContain('run `mcp-workbench auth dev linear');
    expect(failure).not.toContain('hosts');
    expect(asked).toEqual([]);
    expect(agent.stderr()).toContain(`and the login would be sent to ${new URL(mixing.origin).host}`);
    await agent.close();
  });
});

test.each([
  ['a-secret-in-a-path', 'a-secret-in-a-path'],
  ['a secret+ü', 'a%20secret+%C3%BC'],
])('a secret in the URL of a server (%s) is in no reason why its login failed', async (secret, written) => {
  const there = { ...target, url: `http://127.0.0.1:9/${secret}/mcp` };
  const secrets = [
    { name: 'KEY', value: secret },
    { name: 'ORIGIN', value: 'http://127.0.0.1:9' },
  ];
  const computer = { env: {}, cwd: '/', platform: process.platform, home: temporaryDirectory() };
  const login = openLogins(computer, () => {}).begin({ ...shop, target: there, secrets }, { listens: false });
  const failure = await login.then(String, messageOf);
  expect(failure).toContain('no connection to http://127.0.0.1:9/');
  expect(failure).not.toContain(secret);
  expect(failure).not.toContain(written);
});

describe('with an agent', () => {
  test('a token is sent to the server that it is for and to no other, not even by redirects', async () => {
    const server = await startAuthorization();
    const user = createLoginUser(server);
    await user.logIn();
    const other = await startHttpServer((response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end());
    const redirecting = await startHttpServer((response, { url: path }) =>
      path === '/mcp'
        ? response.writeHead(307, { location: `http://127.0.0.1:${other.port}/mcp` }).end()
        : response.writeHead(404).end(),
    );
    const victim = createLoginUser({ ...server, entry: { url: `http://127.0.0.1:${redirecting.port}/mcp` } });
    mkdirSync(dirname(victim.file), { recursive: true });
    const place = { config: victim.launch.args[1], url: `http://127.0.0.1:${redirecting.port}/mcp` };
    writeFileSync(victim.file, JSON.stringify({ ...user.stored(), ...place }));
    const agent = await connectAgent('v2 legacy', victim.launch);
    expect(text(await agent.use('dev', 'linear', 'echo', {}))).toContain('needs a login');
    expect(redirecting.requests.some(({ headers }) => headers.authorization?.startsWith('Bearer access-'))).toBe(true);
    expect(other.requests.length).toBeGreaterThan(0);
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual(other.requests.map(() => undefined));
    await agent.close();
  });

  test('no token is in what the workbench says or writes, and none is taken from the agent', async () => {
    const server = await startAuthorization();
    const user = createLoginUser(server);
    await user.logIn();
    const access = user.stored().tokens?.access ?? '';
    const agent = await connectAgent('v2 modern', user.launch);
    // The server repeats what it is sent: results are its own. What it is asked for by the agent is not a credential.
    const meta = { authorization: 'Bearer from-the-agent-1234', 'x-token': 'from-the-agent-1234' };
    await agent.request('tools/call', {
      name: 'use_tool',
      arguments: { tool: { toolbox: 'dev', server: 'linear', name: 'echo' }, arguments: { message: 'x' } },
      _meta: meta,
    });
    const { log } = await server.control();
    const sent = new Set(
      log.flatMap(({ server: of, headers }) => (of === 'resource' ? [headers['authorization']] : [])),
    );
    sent.delete(undefined);
    expect([...sent]).toEqual([`Bearer ${access}`]);
    await server.control({ revokeAccess: true, revokeRefresh: true });
    expect(text(await agent.use('dev', 'linear', 'echo', {}))).not.toMatch(secretPattern);
    expect(agent.stderr()).not.toMatch(secretPattern);
    await agent.close();
  });
});
