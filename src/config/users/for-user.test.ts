import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { ServerConfig } from '../config.js';
import { withHeld } from '../edits/held-servers.js';
import { type Configuration, readConfiguration } from '../read/configuration.js';
import type { UserFacts } from '../values/user.js';

const directory = mkdtempSync(path.join(tmpdir(), 'workbench-users-'));
writeFileSync(path.join(directory, 'secrets.env'), 'TOKEN=kept-4711-secret\n', { mode: 0o600 });
writeFileSync(path.join(directory, 'open.env'), 'not a line\nTEAM=core\n', { mode: 0o600 });
afterAll(() => rmSync(directory, { recursive: true }));

const text = JSON.stringify({
  http: { auth: { issuer: 'https://login.example.com', claims: ['email'] } },
  toolboxes: {
    dev: {
      mcpServers: {
        own: {
          command: 'x',
          args: ['${user:directory}'],
          env: { MAIL: '${claim:email}', SET: '${SET}', T: '${secret:TOKEN}' },
        },
        plain: { command: 'x', args: ['${workspaceFolder}', '${userHome}'], envFile: 'open.env' },
      },
    },
  },
});

function userNamed(name: string): UserFacts {
  const claims = new Map([['email', `${name}@example.com`]]);
  return { key: name, directory: `/u/${name}`, issuer: 'https://login.example.com', subject: name, claims };
}

const placeOf = (name: string) => ({ cwd: `/u/${name}/work`, home: `/u/${name}` });

async function read(): Promise<{ readonly configuration: Configuration; readonly warnings: string[] }> {
  const warnings: string[] = [];
  const log = { info() {}, error() {}, warn: (line: string) => void warnings.push(line) };
  const service = { env: { SET: 'of the service', HOME: '/service/home' }, cwd: '/service', home: '/service/home' };
  const source = { path: path.join(directory, 'c.json'), text };
  return { configuration: await readConfiguration(source, service, log), warnings };
}

async function serverOf(configuration: Configuration, name: string): Promise<ServerConfig | undefined> {
  return (await configuration.load()).toolboxes.get('dev')?.servers.get(name);
}

describe('a configuration for a user', () => {
  test('has the facts about that user, and variables and secrets of the service', async () => {
    const { configuration } = await read();
    const users = ['ada', 'bob'].map((name) => configuration.forUser(userNamed(name), placeOf(name)));
    const servers = await Promise.all(users.map((one) => serverOf(one, 'own')));
    for (const [index, name] of ['ada', 'bob'].entries())
      expect(servers[index]?.target).toMatchObject({
        args: [`/u/${name}`],
        env: new Map([
          ['MAIL', `${name}@example.com`],
          ['SET', 'of the service'],
          ['T', 'kept-4711-secret'],
        ]),
      });
    const plain = await Promise.all(users.map((one) => serverOf(one, 'plain')));
    expect(plain.map((server) => server?.target)).toMatchObject([
      { args: ['/u/ada/work', '/u/ada'], env: new Map([['TEAM', 'core']]) },
      { args: ['/u/bob/work', '/u/bob'], env: new Map([['TEAM', 'core']]) },
    ]);
  });

  test('is parsed once, resolved once for each user, and tells what it was read from', async () => {
    const { configuration } = await read();
    const ada = configuration.forUser(userNamed('ada'), placeOf('ada'));
    expect(await ada.load()).toBe(await ada.load());
    expect(ada.file).toBe(configuration.file);
    expect(ada).toMatchObject({ source: configuration.source, overview: configuration.overview });
    const again = ada.forUser(userNamed('bob'), placeOf('bob'));
    expect((await serverOf(again, 'own'))?.target).toMatchObject({ args: ['/u/bob'] });
  });

  test('adds its files to those that are watched, and gives each warning once for all users', async () => {
    const { configuration, warnings } = await read();
    expect(configuration.files()).toEqual([]);
    for (const name of ['ada', 'bob']) await configuration.forUser(userNamed(name), placeOf(name)).load();
    await configuration.load();
    const files = ['secrets.env', 'open.env'].map((name) => path.join(directory, name));
    expect(new Set(configuration.files())).toEqual(new Set(files));
    expect(warnings).toEqual([expect.stringContaining('is not NAME=value; it is ignored')]);
  });

  test('has the same files as every other, whoever is the first to need them', async () => {
    const { configuration } = await read();
    const before = await serverOf(configuration.forUser(userNamed('ada'), placeOf('ada')), 'own');
    writeFileSync(path.join(directory, 'secrets.env'), 'TOKEN=edited-4712-secret\n');
    try {
      const after = await serverOf(configuration.forUser(userNamed('bob'), placeOf('bob')), 'own');
      for (const server of [before, after])
        expect(server?.target.kind === 'stdio' && server.target.env.get('T')).toBe('kept-4711-secret');
      const { configuration: edited } = await read();
      const next = await serverOf(edited.forUser(userNamed('bob'), placeOf('bob')), 'own');
      expect(next?.fingerprint).not.toBe(after?.fingerprint);
    } finally {
      writeFileSync(path.join(directory, 'secrets.env'), 'TOKEN=kept-4711-secret\n');
    }
  });

  test('without a user has no server that names one, in the directories it is given', async () => {
    const { configuration } = await read();
    const person = configuration.forUser(undefined, placeOf('me'));
    expect((await serverOf(person, 'own'))?.target).toMatchObject({ kind: 'broken' });
    expect((await serverOf(person, 'plain'))?.target).toMatchObject({ args: ['/u/me/work', '/u/me'] });
  });

  test('does not have the servers that wait for a person in another session', async () => {
    const { configuration } = await read();
    const before = await serverOf(configuration.forUser(userNamed('ada'), placeOf('ada')), 'own');
    const held = withHeld(configuration, new Map([['dev', new Map([['own', before]])]]));
    expect((await serverOf(held, 'own'))?.target).toBe(before?.target);
    const bob = held.forUser(userNamed('bob'), placeOf('bob'));
    expect(await serverOf(bob, 'own')).toBeUndefined();
    expect((await serverOf(bob, 'plain'))?.target.kind).toBe('stdio');
  });
});

test('the embedded configuration is the same for all users', async () => {
  const service = { env: {}, cwd: '/service', home: '/service/home' };
  const embedded = await readConfiguration(undefined, service, { info() {}, warn() {}, error() {} });
  expect(await embedded.forUser(userNamed('ada'), placeOf('ada')).load()).toEqual(await embedded.load());
});

test('roots are directories of the computer of an agent, and no server of a user over HTTP is offered them', async () => {
  const toolboxes = { dev: { mcpServers: { files: { command: 'x', roots: true } } } };
  const source = { path: path.join(directory, 'roots.json'), text: JSON.stringify({ toolboxes }) };
  const log = { info() {}, error() {}, warn() {} };
  const configuration = await readConfiguration(source, { env: {}, cwd: '/', home: '/' }, log);
  const ofUser = configuration.forUser(userNamed('ada'), placeOf('ada'));
  expect(await serverOf(configuration, 'files')).toMatchObject({ roots: true, perSession: true });
  expect(await serverOf(ofUser, 'files')).toMatchObject({ roots: false, perSession: true });
});
