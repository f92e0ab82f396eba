// @module-tag slow
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { connectAgent, text } from '../support/agents.js';
import { runCommand } from '../support/commands.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { temporaryDirectory } from '../support/launch.js';
import { startRegistry } from '../support/npm-registry.js';
import { createNpxEntries, serverPackage } from '../support/npx-servers.js';
import { posixOnly } from '../support/platform.js';

posixOnly('links to programs');

async function start(any: ServerEntry, home: string) {
  const agent = await connectAgent('v2 legacy', { config: devToolbox({ any }), env: { HOME: home } });
  const answer = text(await agent.use('dev', 'any', 'cwd'));
  await agent.close();
  return answer;
}

const asks = (requests: readonly string[], name: string) => requests.filter((path) => path === `/${name}`).length;
const logOf = (home: string) => readFileSync(join(home, '.local/state/mcp-workbench/logs/dev/any.log'), 'utf8');

test('a package that was deleted is asked for again, once, and the log says so', async () => {
  const registry = await startRegistry(serverPackage('my-server', '1.0.0'));
  const { npx, starts } = createNpxEntries(registry);
  const home = temporaryDirectory();
  const entry = { ...npx('-y', 'my-server'), cwd: temporaryDirectory() };
  expect(await start(entry, home)).toBe(entry.cwd);
  const root = dirname(dirname(starts().at(-1)?.package ?? ''));
  rmSync(join(root, 'node_modules'), { recursive: true });
  const before = registry.requests.length;
  expect(await start(entry, home)).toBe(entry.cwd);
  expect(registry.requests.length).toBeGreaterThan(before);
  const after = registry.requests.length;
  expect(await start(entry, home)).toBe(entry.cwd);
  expect(registry.requests.length).toBe(after);
  expect(logOf(home)).toContain('npm is asked again');
});

test('npm is asked again when its settings have changed', async () => {
  const [one, other] = [
    await startRegistry(serverPackage('@my/server')),
    await startRegistry(serverPackage('@my/server', '2.0.0')),
  ];
  const { npx, starts } = createNpxEntries(one);
  const home = temporaryDirectory();
  const entry = { ...npx('-y', '@my/server@latest'), cwd: temporaryDirectory() };
  await start(entry, home);
  writeFileSync(join(home, '.npmrc'), `@my:registry=${other.url}\n`);
  await start(entry, home);
  expect(asks(other.requests, '@my/server')).toBeGreaterThan(0);
  expect(readFileSync(join(starts().at(-1)?.package ?? '', 'package.json'), 'utf8')).toContain('2.0.0');
});

test('a program that exits before its handshake is asked for again by the next start', async () => {
  const registry = await startRegistry(serverPackage('my-server'));
  const { npx, starts } = createNpxEntries(registry);
  const home = temporaryDirectory();
  const records = () => readdirSync(join(home, '.cache/mcp-workbench/runners'));
  const entry = { ...npx('-y', 'my-server'), cwd: temporaryDirectory() };
  expect(await start(entry, home)).toBe(entry.cwd);
  const [{ main } = { main: '' }] = starts();
  const program = readFileSync(main, 'utf8');
  writeFileSync(main, '#!/usr/bin/env node\nprocess.exit(7);\n');
  expect(records()).toHaveLength(1);
  expect(await start(entry, home)).toContain('exited with code 7');
  expect(records()).toHaveLength(0);
  writeFileSync(main, program);
  expect(await start(entry, home)).toBe(entry.cwd);
  expect(records()).toHaveLength(1);
});

test('the registry of a scope in an .npmrc is used from a trusted directory only', async () => {
  const mine = await startRegistry(serverPackage('@my/server', '1.0.0'));
  const project = await startRegistry(serverPackage('@my/server', '6.6.6'));
  const { npx, starts } = createNpxEntries(mine);
  const home = temporaryDirectory();
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, 'node_modules/.bin'), { recursive: true });
  writeFileSync(join(cwd, 'package.json'), '{}');
  writeFileSync(join(cwd, '.npmrc'), `@my:registry=${project.url}\n`);
  const entry = { ...npx('-y', '@my/server@latest'), cwd };
  expect(await start(entry, home)).toBe(cwd);
  expect(project.requests).toEqual([]);
  expect((await runCommand(['trust', cwd, '--yes'], { env: { HOME: home } })).code).toBe(0);
  expect(await start(entry, home)).toBe(cwd);
  expect(asks(project.requests, '@my/server')).toBeGreaterThan(0);
  expect(readFileSync(join(starts().at(-1)?.package ?? '', 'package.json'), 'utf8')).toContain('6.6.6');
  expect((await runCommand(['untrust', cwd], { env: { HOME: home } })).code).toBe(0);
  expect(await start(entry, home)).toBe(cwd);
  expect(readFileSync(join(starts().at(-1)?.package ?? '', 'package.json'), 'utf8')).not.toContain('6.6.6');
});

test.each([
  ['of one host', {}],
  ['without a host', { alone: true }],
])('two sessions %s that need the same package at the same time ask one npm', async (_, launch) => {
  const registry = await startRegistry(serverPackage('my-server'));
  const { env, starts } = createNpxEntries(registry);
  const home = temporaryDirectory();
  const tools = temporaryDirectory();
  const command = join(tools, 'npx');
  writeFileSync(command, `#!/bin/sh\necho asked >> '${tools}/asked'\nexec npx "$@"\n`, { mode: 0o755 });
  const entry = { command, args: ['-y', 'my-server@latest'], env, cwd: temporaryDirectory(), perSession: true };
  const config = devToolbox({ any: entry });
  const agents = await Promise.all(
    [1, 2].map(() => connectAgent('v2 legacy', { config, env: { HOME: home }, ...launch })),
  );
  const answers = await Promise.all(agents.map((agent) => agent.use('dev', 'any', 'cwd')));
  expect(answers.map(text)).toEqual([entry.cwd, entry.cwd]);
  expect(starts()).toHaveLength(2);
  expect(readFileSync(join(tools, 'asked'), 'utf8')).toBe('asked\n');
});
