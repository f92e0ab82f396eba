import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectAgent, text } from '../support/agents.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { killQuietly, temporaryDirectory } from '../support/launch.js';
import { startRegistry } from '../support/npm-registry.js';
import { createNpxEntries, serverPackage } from '../support/npx-servers.js';
import { linuxOnly, posixOnly } from '../support/platform.js';
import { expectNoProcessLeft, processesWith } from '../support/processes.js';
import { until, untilHolds } from '../support/until.js';

posixOnly('links to programs');

async function agentWith(any: ServerEntry, env: Record<string, string> = {}, settings: object = {}) {
  const config = { ...devToolbox({ any: { cwd: temporaryDirectory(), ...any } }), ...settings };
  const agent = await connectAgent('v2 legacy', { config, env });
  return { ...agent, use: async () => text(await agent.use('dev', 'any', 'cwd')) };
}

/** npm 11 waits for a minute before it takes a lock from an npm that was killed. */
function removeLocks(cache: string): void {
  const folder = join(cache, '_npx');
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    rmSync(join(folder, name, 'concurrency.lock'), { recursive: true, force: true });
}

test.each([
  ['a package that does not exist', ['-y', 'missing'], /could not provide missing: .*404 Not Found/],
  [
    'a package without a program',
    ['-y', 'without'],
    /could not provide without: .*could not determine executable to run/,
  ],
  ['a version that does not exist', ['-y', 'several@^7'], /could not provide several@\^7: .*No matching version found/],
])('%s is reported in the words of npm, with the command to run by hand', async (_, args, expected) => {
  const registry = await startRegistry(
    { name: 'without', version: '1.0.0' },
    { name: 'several', version: '1.0.0', bin: { one: 'x', two: 'y' }, files: { x: '', y: '' } },
  );
  const agent = await agentWith(createNpxEntries(registry).npx(...args, '--argument'));
  const answer = await agent.use();
  expect(answer).toMatch(expected);
  expect(answer).toContain(`run: npx ${args.join(' ')}`.replace(/several@\^7/, "'several@^7'"));
  expect(answer).not.toContain('--argument');
  expect(answer).not.toContain('_logs');
});

test('a command that does not exist is reported as for any other server', async () => {
  const agent = await agentWith({ command: '/does/not/exist/npx', args: ['-y', 'my-server'] });
  expect(await agent.use()).toContain("command '/does/not/exist/npx' does not exist");
});

test('a package that appears later is found by the next start', async () => {
  const registry = await startRegistry();
  const { npx, starts } = createNpxEntries(registry);
  const agent = await agentWith(npx('-y', 'late'));
  expect(await agent.use()).toContain('404');
  registry.publish(serverPackage('late'));
  expect(await agent.use()).not.toContain('404');
  expect(starts()).toHaveLength(1);
});

test('a cache of npm that cannot be written to is reported, and the next start tries again', async () => {
  const registry = await startRegistry(serverPackage('my-server'));
  const { npx, cache, starts } = createNpxEntries(registry);
  writeFileSync(cache, '');
  const agent = await agentWith(npx('-y', 'my-server'));
  expect(await agent.use()).toMatch(/could not provide my-server: .*(?:ENOTDIR|EEXIST)/);
  rmSync(cache);
  await agent.use();
  expect(starts()).toHaveLength(1);
});

test('a disk without space is reported, and the next start tries again', async () => {
  const registry = await startRegistry(serverPackage('my-server'));
  const { npx, env } = createNpxEntries(registry);
  const directory = temporaryDirectory();
  // What npm does there fails as on a full disk.
  const preload = join(directory, 'full.cjs');
  writeFileSync(
    preload,
    `const fs = require('fs');
const full = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
if (fs.existsSync(${JSON.stringify(join(directory, 'full'))}) && !process.env.npm_lifecycle_event)
  for (const name of ['writeFile', 'mkdir']) {
    fs.promises[name] = async () => { throw full(); };
    fs[name] = (...args) => args.at(-1)(full());
  }
`,
  );
  writeFileSync(join(directory, 'full'), '');
  const agent = await agentWith({ ...npx('-y', 'my-server'), env: { ...env, NODE_OPTIONS: `--require ${preload}` } });
  expect(await agent.use()).toMatch(/could not provide my-server: .*(?:no space left|ENOSPC)/);
  rmSync(join(directory, 'full'));
  expect(await agent.use()).not.toContain('could not');
});

test('a cache of ours that cannot be written to does not keep a server from starting', async () => {
  const registry = await startRegistry(serverPackage('my-server'));
  const { npx, starts } = createNpxEntries(registry);
  const cwd = temporaryDirectory();
  const notUsed = temporaryDirectory();
  symlinkSync('/proc', join(notUsed, 'mcp-workbench'));
  const notWritable = temporaryDirectory();
  mkdirSync(join(notWritable, 'mcp-workbench'));
  writeFileSync(join(notWritable, 'mcp-workbench', 'runners'), '');
  for (const cache of [notUsed, notWritable]) {
    const agent = await agentWith({ ...npx('-y', 'my-server'), cwd }, { XDG_CACHE_HOME: cache });
    expect(await agent.use()).toBe(cwd);
  }
  expect(starts()).toHaveLength(2);
});

test('while npm installs, the server is still starting; npm is ended when that takes too long, and the next start tries again', async () => {
  const registry = await startRegistry(serverPackage('my-server'));
  registry.hold();
  const { npx, starts, cache } = createNpxEntries(registry);
  const agent = await agentWith({ ...npx('-y', 'my-server'), startTimeoutMs: 6_000 }, {}, { openTimeoutMs: 1_500 });
  expect(text(await agent.open('dev'))).toMatch(/installing my-server … \d+ s/);
  expect(await agent.use()).toMatch(/installing my-server … \d+ s/);
  await until(() => processesWith(agent.marker).every(({ command }) => !/npx|npm exec/.test(command)), {
    what: 'the end of npm',
  });
  removeLocks(cache);
  registry.release();
  await until(async () => (await agent.use()).startsWith('/'), { what: 'a start' });
  expect(starts()).toHaveLength(1);
});

test('npm that is killed in the middle is reported, and the next start tries again', async () => {
  linuxOnly('/proc');
  const registry = await startRegistry(serverPackage('my-server'));
  registry.hold();
  const { npx, starts, cache } = createNpxEntries(registry);
  const agent = await agentWith(npx('-y', 'my-server'));
  const first = agent.use();
  const npm = await until(
    () =>
      registry.requests.some((path) => path.endsWith('.tgz')) &&
      processesWith(agent.marker).find(({ command }) => /npx-cli|npm exec/.test(command)),
    { what: 'npm' },
  );
  killQuietly(npm.pid);
  expect(await first).toMatch(/could not provide my-server: it was killed by SIGKILL/);
  removeLocks(cache);
  registry.release();
  expect(await agent.use()).toMatch(/^\//);
  expect(starts()).toHaveLength(1);
});

test('a session that ends while npm installs leaves no process and no directory', async () => {
  const registry = await startRegistry(serverPackage('my-server'));
  registry.hold();
  const { npx } = createNpxEntries(registry);
  const home = temporaryDirectory();
  const agent = await agentWith(npx('-y', 'my-server'), { HOME: home });
  const call = agent.use().catch(() => 'ended');
  await until(() => registry.requests.some((path) => path.endsWith('.tgz')), { what: 'the start of the installation' });
  await agent.close();
  await call;
  await expectNoProcessLeft(agent.marker);
  const runners = join(home, '.cache/mcp-workbench/runners');
  await untilHolds(() => expect(readdirSync(runners)).toEqual([]), 'the end of the directory');
});

test('what cannot be resolved runs as written, and the log says why', async () => {
  const registry = await startRegistry(serverPackage('my-server'));
  const { npx, starts } = createNpxEntries(registry);
  const home = temporaryDirectory();
  const agent = await agentWith({ ...npx('-y', '--loglevel=error', 'my-server'), cwd: home }, { HOME: home });
  expect(await agent.use()).toBe(home);
  expect(starts()).toHaveLength(1);
  const log = join(home, '.local/state/mcp-workbench/logs/dev/any.log');
  await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('as written'), { what: 'the line' });
  expect(readFileSync(log, 'utf8')).toContain('the meaning of --loglevel is left to npm');
});
