import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { WorkbenchError } from '../../contract/errors.js';
import { silentLog } from '../../platform/log.js';
import { readConfiguration } from '../read/configuration.js';
import { isLoopbackHost, isOrigin, parseListenAddress } from './addresses.js';
import { resolveHttp } from './resolve-http.js';
import type { HttpSettings } from './settings.js';

const directory = mkdtempSync(path.join(tmpdir(), 'workbench-http-'));
writeFileSync(path.join(directory, 'secrets.env'), 'OIDC=from-the-file-of-secrets\n', { mode: 0o600 });
writeFileSync(path.join(directory, 'issuer.txt'), 'https://login.example.com\n', { mode: 0o600 });
afterAll(() => rmSync(directory, { recursive: true }));

const file = path.join(directory, 'c.json');
const issuer = 'https://login.example.com';
const url = 'https://mcp.example.com/mcp';
const computer = { env: { OIDC_SECRET: 'from-the-environment', EMPTY: '', GROUP: 'ops' }, cwd: '/', home: '/root' };

interface Given {
  readonly listen?: string;
  readonly env?: Record<string, string>;
}

async function resolve(http: object | undefined, { listen, env = {} }: Given = {}): Promise<HttpSettings> {
  const toolboxes = { dev: { mcpServers: { any: { command: 'x' } } } };
  const source = { path: file, text: JSON.stringify({ http, toolboxes }, undefined, 1) };
  const service = { ...computer, env: { ...computer.env, ...env } };
  const configuration = await readConfiguration(source, service, silentLog);
  // Sessions on stdio do not look at it.
  expect((await configuration.load()).toolboxes.get('dev')?.servers.get('any')?.target.kind).toBe('stdio');
  const address = listen === undefined ? undefined : parseListenAddress(listen);
  return resolveHttp(configuration, service, { listen: address, warn() {} });
}

/** The lines of the message, without the heading and the directory. */
async function faultsOf(http: object | undefined, given?: Given): Promise<string[]> {
  const error: unknown = await resolve(http, given).catch((reason: unknown) => reason);
  if (!(error instanceof WorkbenchError)) return [];
  expect(error.code).toBe('CONFIG_INVALID');
  const [heading, ...lines] = error.message.replaceAll(file, 'c.json').split('\n');
  expect(heading).toMatch(/^The configuration file c\.json is not valid \(\d+ faults?\):$/);
  return lines;
}

const limits = { requestsPerSecond: 50, inFlight: 256, processesPerUser: 20, processes: 500 };

describe('the settings', () => {
  test.each([undefined, {}])('are those of one person on loopback without a word in the file: %j', async (http) => {
    expect(await resolve(http)).toEqual({
      listen: { host: '127.0.0.1', port: 4760 },
      isLoopback: true,
      url: undefined,
      path: '/mcp',
      auth: undefined,
      origins: [],
      limits,
      secrets: [],
    });
  });

  test('of a team are those of the file, with variables of the service', async () => {
    const auth = {
      issuer: '${file:issuer.txt}',
      scopes: ['workbench', 'mcp:${GROUP}'],
      require: { groups: ['dev', '${GROUP}'] },
      claims: ['email', 'email', 'https://example.com/team'],
      login: { clientId: 'workbench', clientSecret: '${OIDC_SECRET}' },
    };
    const origins = ['https://app.example.com', 'http://localhost:6274', 'chrome-extension://abcdef'];
    const settings = await resolve({ listen: '0.0.0.0:80', url, auth, origins, limits: { inFlight: 8 } });
    expect(settings).toEqual({
      listen: { host: '0.0.0.0', port: 80 },
      isLoopback: false,
      url,
      path: '/mcp',
      auth: {
        issuer,
        audience: url,
        algorithms: ['RS256', 'ES256', 'EdDSA'],
        scopes: ['workbench', 'mcp:ops'],
        require: new Map([['groups', ['dev', 'ops']]]),
        claims: ['email', 'https://example.com/team'],
        login: { clientId: 'workbench', clientSecret: 'from-the-environment' },
      },
      origins,
      limits: { ...limits, inFlight: 8 },
      secrets: expect.arrayContaining([
        { name: 'OIDC_SECRET', value: 'from-the-environment' },
        { name: 'clientSecret', value: 'from-the-environment' },
      ]),
    });
  });

  test('have an audience of their own, fewer algorithms and no login if the file says so', async () => {
    const { auth } = await resolve({ auth: { issuer, audience: 'mcp', algorithms: ['ES256'] } });
    expect(auth).toEqual({
      ...{ issuer, audience: 'mcp', algorithms: ['ES256'], scopes: [], require: new Map(), claims: [] },
      login: undefined,
    });
  });

  test('take secrets from the file of secrets', async () => {
    const { auth, secrets } = await resolve({
      url,
      auth: { issuer, login: { clientId: 'a', clientSecret: '${secret:OIDC}' } },
    });
    expect(auth?.login?.clientSecret).toBe('from-the-file-of-secrets');
    expect(secrets).toContainEqual({ name: 'secret OIDC', value: 'from-the-file-of-secrets' });
  });

  test.each([
    [url, '/mcp'],
    ['https://mcp.example.com', '/'],
    ['https://mcp.example.com/team/a/', '/team/a/'],
    ['http://localhost:4760/x', '/x'],
  ])('have the path of the url %s as endpoint', async (given, expected) => {
    expect(await resolve({ url: given })).toMatchObject({ url: given, path: expected });
  });

  test('are about this computer alone if neither address says otherwise', async () => {
    expect((await resolve({ listen: 'localhost:1' })).isLoopback).toBe(true);
    expect((await resolve({ listen: '[::1]:1', url: 'http://127.0.0.1:1/mcp' })).isLoopback).toBe(true);
    expect((await resolve({ url })).isLoopback).toBe(false);
  });

  test('take the address of the command line before that of the file', async () => {
    expect((await resolve({ listen: 'no address' }, { listen: '127.0.0.1:0' })).listen).toEqual({
      host: '127.0.0.1',
      port: 0,
    });
  });
});

describe('is a fault with line and column:', () => {
  const exposed = 'Other addresses than loopback need "auth" and an https "url".';
  test.each<[string, object, string]>([
    [
      'another address without auth',
      { url, listen: '0.0.0.0:80' },
      `c.json:4:13 config.http.listen: ${exposed} Add "auth", or listen on 127.0.0.1.`,
    ],
    [
      'another address without url',
      { listen: '[::]:80', auth: { issuer, audience: 'a' } },
      `c.json:3:13 config.http.listen: ${exposed} Add an https "url", or listen on 127.0.0.1.`,
    ],
    [
      'another address without both',
      { listen: 'example.com:80' },
      `c.json:3:13 config.http.listen: ${exposed} Add "auth" and an https "url", or listen on 127.0.0.1.`,
    ],
    [
      'another address with http',
      { listen: '10.0.0.1:80', url: 'http://localhost/mcp', auth: { issuer } },
      `c.json:3:13 config.http.listen: ${exposed} Add an https "url", or`,
    ],
    [
      'an address without port',
      { listen: 'localhost' },
      'c.json:3:13 config.http.listen: Not an address to listen on. Write HOST:PORT, such as 127.0.0.1:4760 or [::1]:4760.',
    ],
    [
      'a url without https',
      { url: 'http://mcp.example.com/mcp' },
      'c.json:3:10 config.http.url: Not https: tokens would be sent unencrypted.',
    ],
    [
      'a url of another kind',
      { url: 'ftp://mcp.example.com' },
      'config.http.url: Not an https URL. Write it as https://mcp.example.com/mcp.',
    ],
    ['a url that is none', { url: 'mcp.example.com' }, 'config.http.url: Not a URL.'],
    [
      'a url with a query',
      { url: `${url}?a=b` },
      'config.http.url: A URL with a user, a query or a fragment cannot be used here.',
    ],
    [
      'a url with an empty query',
      { url: `${url}?` },
      'config.http.url: A URL with a user, a query or a fragment cannot be used here.',
    ],
    [
      'a url with a fragment',
      { url: `${url}#a` },
      'config.http.url: A URL with a user, a query or a fragment cannot be used here.',
    ],
    [
      'a url with a user',
      { url: 'https://canary@mcp.example.com/' },
      'config.http.url: A URL with a user, a query or a fragment',
    ],
    [
      'a url in another form',
      { url: 'https://MCP.example.com:443/a/../mcp' },
      'config.http.url: Not the normal form of this URL',
    ],
    [
      'a url of our own path',
      { url: 'https://mcp.example.com/livez' },
      'config.http.url: The path of this URL is one that the service answers',
    ],
    [
      'a url of the metadata',
      { url: 'https://mcp.example.com/.well-known/x' },
      'config.http.url: The path of this URL is one that the service answers',
    ],
    [
      'an origin with a path',
      { origins: ['https://a.test', 'https://a.test/'] },
      'c.json:5:4 config.http.origins[1]: Not the origin of a web page. Write scheme and host',
    ],
    [
      'an issuer without https',
      { url, auth: { issuer: 'http://login.example.com' } },
      'c.json:5:14 config.http.auth.issuer: Not https: tokens would be sent',
    ],
    [
      'an issuer with a query',
      { url, auth: { issuer: `${issuer}?a` } },
      'config.http.auth.issuer: A URL with a user, a query or a fragment',
    ],
    [
      'no audience',
      { auth: { issuer } },
      'c.json:3:11 config.http.auth: It is not said for which audience tokens have to be. Add "url" to "http", or',
    ],
    [
      'two scopes in a string',
      { url, auth: { issuer, scopes: ['a b'] } },
      'config.http.auth.scopes[0]: Not a scope. Write one in each string, without spaces.',
    ],
    ['a quote in a scope', { url, auth: { issuer, scopes: ['a"'] } }, 'config.http.auth.scopes[0]: Not a scope.'],
    [
      'a variable that is not set',
      { url: '${NOWHERE}' },
      'c.json:3:10 config.http.url: NOWHERE is not set. Set it for the service, or put NOWHERE=… into secrets.env and write ${secret:NOWHERE}.',
    ],
    [
      'an empty variable',
      { url, auth: { issuer: '${EMPTY}' } },
      'c.json:5:14 config.http.auth.issuer: Empty after its variables are expanded.',
    ],
    [
      'a value that is missing',
      { url, auth: { issuer, require: { groups: ['a', '${secret:NONE}'] } } },
      'config.http.auth.require.groups[1]: The file of secrets',
    ],
  ])('%s', async (_, http, fault) => {
    const faults = await faultsOf(http);
    expect(faults).toEqual([expect.stringContaining(fault)]);
    expect(faults.join()).not.toContain('canary');
  });

  test('an address of the command line that is not loopback', async () => {
    const says =
      'The address of the command line is not loopback. Other addresses than loopback need "auth" and an https "url".';
    expect(await faultsOf({ origins: [] }, { listen: '0.0.0.0:80' })).toEqual([
      `c.json:2:10 config.http: ${says} Add "auth" and an https "url", or listen on 127.0.0.1.`,
    ]);
    expect(await faultsOf(undefined, { listen: '0.0.0.0:80' })).toEqual([
      expect.stringContaining(`c.json:1:1 config.http: ${says}`),
    ]);
    expect(await faultsOf({ url, auth: { issuer } }, { listen: '0.0.0.0:80' })).toEqual([]);
  });

  test('everything that is wrong, at once', async () => {
    const http = { listen: '${NOWHERE}', url: 'x', auth: { issuer: 'y' }, origins: ['*', 'null'] };
    expect((await faultsOf(http)).map((fault) => fault.split(' ')[1])).toEqual([
      'config.http.listen:',
      'config.http.url:',
      'config.http.auth.issuer:',
      'config.http.origins[0]:',
      'config.http.origins[1]:',
    ]);
  });
});

test('without any file one person is served on loopback, and nobody elsewhere', async () => {
  const embedded = await readConfiguration(undefined, computer, silentLog);
  const serve = (listen?: string) =>
    resolveHttp(embedded, computer, {
      listen: listen === undefined ? undefined : parseListenAddress(listen),
      warn() {},
    });
  expect(await serve()).toMatchObject({ path: '/mcp', auth: undefined, isLoopback: true });
  await expect(serve('0.0.0.0:1')).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(
      /^The address of the command line is not loopback\. .* or listen on 127\.0\.0\.1\.$/,
    ),
  });
});

test.each([
  ['127.0.0.1:4760', '127.0.0.1', 4760],
  ['[::1]:0', '::1', 0],
  ['localhost:65535', 'localhost', 65_535],
  ['my-host.example.com:80', 'my-host.example.com', 80],
])('%s is an address to listen on', (text, host, port) => {
  expect(parseListenAddress(text)).toEqual({ host, port });
});

test.each([
  '',
  '4760',
  ':4760',
  'localhost',
  'localhost:',
  '::1:4760',
  '[::1]',
  '[localhost]:1',
  'a:65536',
  'a:-1',
  'a:1x',
  'a b:1',
  '1.2.3:1',
  '127.1:1',
  'http://a:1',
  '*:1',
  '1.2.3.4.5:1',
])('%j is no address to listen on', (text) => {
  expect(parseListenAddress(text)).toBeUndefined();
});

test.each(['127.0.0.1', '127.9.9.9', '::1', '0:0:0:0:0:0:0:1', 'localhost', 'LOCALHOST'])('%s is loopback', (host) => {
  expect(isLoopbackHost(host)).toBe(true);
});

test.each([
  '0.0.0.0',
  '::',
  '10.0.0.1',
  '127.0.0.1.example.com',
  'a.localhost',
  'localhost.example.com',
  '::ffff:10.0.0.1',
])('%s is not loopback', (host) => {
  expect(isLoopbackHost(host)).toBe(false);
});

test.each([
  'null',
  '*',
  '',
  'https://a.test/',
  'https://a.test:443',
  'HTTPS://a.test',
  'https://u@a.test',
  'a.test',
  'file:///x',
  'data:text/html,x',
])('%j is no origin', (text) => {
  expect(isOrigin(text)).toBe(false);
});
