import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { ServerConfig } from '../config.js';
import { parseConfig, parseFile } from '../read/parse.js';
import { quickFile } from '../read/quick.js';
import type { UserFacts } from '../values/user.js';

const http = { auth: { issuer: 'https://login.example.com', claims: ['email'] } };
const textWith = (entry: object, defaults: object = {}) =>
  JSON.stringify({ http, defaults, toolboxes: { dev: { mcpServers: { any: entry } } } });
const place = 'config.toolboxes.dev.mcpServers.any';

function faultsOf(entry: object, defaults?: object): string[] {
  try {
    parseFile(textWith(entry, defaults), 'c.json');
  } catch (error) {
    return error instanceof Error ? error.message.split('\n').slice(1) : [];
  }
  return [];
}

describe('forEveryone', () => {
  test.each<[string, object, object?]>([
    ['alone', { command: 'x' }],
    ['with perSession and roots that are false', { command: 'x', perSession: false, roots: false }],
    ['with defaults that the entry overrides', { command: 'x', roots: false }, { roots: true }],
    ['with a login of a machine', { url: 'https://a.test', oauth: { grant: 'client_credentials' } }],
    ['with no login', { url: 'https://a.test', oauth: false }],
    ['with an envCommand, which runs for the service', { command: 'x', envCommand: ['y'] }],
  ])('is valid %s', (_, entry, defaults) => {
    expect(faultsOf({ ...entry, forEveryone: true }, defaults)).toEqual([]);
  });

  test.each<[string, string, object, string, object?]>([
    ['a user', 'args[0]', { command: 'x', args: ['${user:key}'] }, '${user:key} names one user, and'],
    ['a claim', 'env.A', { command: 'x', env: { A: '${claim:email}' } }, '${claim:email} names one user, and'],
    ['perSession', 'perSession', { command: 'x', perSession: true }, '"perSession" gives every session a process'],
    ['roots', 'roots', { command: 'x', roots: true }, '"roots" gives every session a process of its own, and'],
    [
      'perSession of defaults',
      'forEveryone',
      { command: 'x' },
      '"perSession" of "defaults" gives',
      { perSession: true },
    ],
    ['a login', 'oauth', { url: 'https://a.test', oauth: { clientId: 'a' } }, 'A login is that of one person, and'],
    [
      'a login by its name',
      'oauth.grant',
      { url: 'https://a.test', oauth: { grant: 'authorization_code' } },
      'A login is that of one person, and',
    ],
  ])('is a fault together with %s, with line and column', (_, at, entry, what, defaults) => {
    const written = { ...entry, forEveryone: true };
    const [fault = '', ...others] = faultsOf(written, defaults);
    expect(fault).toMatch(/^c\.json:1:\d+ /);
    expect(fault).toContain(` ${place}.${at}: ${what}`);
    expect(others).toEqual([]);
    expect(quickFile(textWith(written, defaults))).toBeUndefined();
    expect(faultsOf({ ...entry, forEveryone: false }, defaults)).toEqual([]);
  });
});

describe('for users', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'workbench-everyone-'));
  writeFileSync(path.join(directory, 'home.env'), 'FROM=service\n', { mode: 0o600 });
  afterAll(() => rmSync(directory, { recursive: true }));

  function serverOf(entry: object, name: string | undefined): ServerConfig | undefined {
    const issuer = 'https://login.example.com';
    const user: UserFacts | undefined =
      name === undefined ? undefined : { key: name, directory: `/u/${name}`, issuer, subject: name, claims: new Map() };
    const userPlace = name === undefined ? undefined : { cwd: `/u/${name}/work`, home: `/u/${name}` };
    const options = { path: path.join(directory, 'c.json'), env: { HOME: '/x' }, cwd: '/service', home: directory };
    const config = parseConfig(textWith(entry), { ...options, user, userPlace });
    return config.toolboxes.get('dev')?.servers.get('any');
  }

  const entry = {
    command: 'x',
    args: ['${workspaceFolder}', '${userHome}', '${HOME}'],
    cwd: '~/a',
    envFile: '~/home.env',
  };

  test('servers work in their directories, with files and variables of the service', () => {
    expect(serverOf(entry, 'ada')?.target).toMatchObject({
      args: ['/u/ada/work', '/u/ada', '/x'],
      cwd: path.resolve('/u/ada/a'),
      env: new Map([['FROM', 'service']]),
    });
    expect(serverOf(entry, 'ada')?.forEveryone).toBe(false);
  });

  test('one for everyone is the same for all of them, and works in the directories of the service', () => {
    const [ada, bob] = ['ada', 'bob'].map((name) => serverOf({ ...entry, forEveryone: true }, name));
    expect(ada).toEqual(bob);
    expect(ada?.forEveryone).toBe(true);
    expect(ada?.target).toMatchObject({ args: ['/service', directory, '/x'], cwd: path.join(directory, 'a') });
  });

  test('it is another server than one that is not, and lists the same tools', () => {
    const plain = { command: 'x' };
    const shared = { command: 'x', forEveryone: true };
    expect(serverOf(shared, 'ada')?.fingerprint).not.toBe(serverOf(plain, 'ada')?.fingerprint);
    expect(serverOf(shared, 'ada')?.cacheKey).toBe(serverOf(plain, 'ada')?.cacheKey);
  });

  test('without users it changes nothing', () => {
    const [plain, shared] = [
      serverOf({ command: 'x' }, undefined),
      serverOf({ command: 'x', forEveryone: true }, undefined),
    ];
    expect(shared).toEqual(plain);
  });
});
