// @module-tag slow
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { connectAgent, text } from '../support/agents.js';
import { runCommand } from '../support/commands.js';
import { temporaryDirectory } from '../support/launch.js';
import { type Registry, startRegistry } from '../support/npm-registry.js';
import { createNpxEntries, serverPackage } from '../support/npx-servers.js';
import { posixOnly } from '../support/platform.js';
import { until } from '../support/until.js';

posixOnly('links to programs');

/** A user with one server of npx, whose versions are published during the test. */
class User {
  readonly home = temporaryDirectory();
  readonly file = join(this.home, 'workbench-config.json');
  readonly registry: Registry;
  readonly #npx: ReturnType<typeof createNpxEntries>;

  constructor(registry: Registry) {
    this.registry = registry;
    this.#npx = createNpxEntries(registry);
  }

  configure(spec: string, settings: object = {}, entry: object = {}): void {
    this.configureServers({ any: { ...this.npx('-y', spec), ...entry } }, settings);
  }

  get launch() {
    return { args: ['--config', this.file], env: { HOME: this.home } };
  }

  connect(...args: string[]) {
    return connectAgent('v2 legacy', { ...this.launch, args: [...this.launch.args, ...args] });
  }

  configureServers(mcpServers: Record<string, object>, settings: object = {}): void {
    writeFileSync(this.file, JSON.stringify({ ...settings, toolboxes: { dev: { description: 'd', mcpServers } } }));
  }

  npx(...args: string[]) {
    return this.#npx.npx(...args);
  }

  get cache(): string {
    return this.#npx.cache;
  }

  /** A session that calls the server once. Returns the version that ran. */
  async start(...args: string[]): Promise<string> {
    const agent = await this.connect(...args);
    expect(text(await agent.use('dev', 'any', 'cwd'))).not.toContain('Failed');
    await agent.close();
    return this.ran();
  }

  ran(): string {
    const { package: folder = '' } = this.#npx.starts().at(-1) ?? {};
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
  }

  run(...words: string[]) {
    const [command = '', ...rest] = words;
    return runCommand([command, '--config', this.file, ...rest], { env: { HOME: this.home } });
  }

  records() {
    const folder = join(this.home, '.cache/mcp-workbench/runners');
    const names = readdirSync(folder).filter((one) => one.endsWith('.json'));
    return names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  }

  record() {
    return this.records()[0];
  }
}

async function userOf(...versions: string[]): Promise<User> {
  return new User(await startRegistry(...versions.map((version) => serverPackage('my-server', version))));
}

test('a tag is looked up in the background after a start, and the next start has the newer version', async () => {
  const user = await userOf('1.0.0');
  user.configure('my-server@latest', { runnerRefreshMs: 1 });
  expect(await user.start()).toBe('1.0.0');
  user.registry.publish(serverPackage('my-server', '1.1.0'));
  const agent = await user.connect();
  await agent.use('dev', 'any', 'cwd');
  expect(user.ran()).toBe('1.0.0');
  await until(() => user.record().version === '1.1.0', { what: 'the newer version' });
  // What runs goes on.
  expect(text(await agent.use('dev', 'any', 'cwd'))).not.toContain('Failed');
  await agent.close();
  expect(await user.start()).toBe('1.1.0');
});

test('a server with a range is started without a word to the registry', async () => {
  const user = await userOf('1.0.0');
  user.configure('my-server@^1', { runnerRefreshMs: 1 });
  await user.start();
  const asked = user.registry.requests.length;
  user.registry.publish(serverPackage('my-server', '1.1.0'));
  expect(await user.start()).toBe('1.0.0');
  expect(user.registry.requests).toHaveLength(asked);
});

test('a server with a tag is started without a word to the registry if the tag is not to be looked up, or was within the hour', async () => {
  const user = await userOf('1.0.0');
  user.configure('my-server@latest');
  await user.start();
  const asked = user.registry.requests.length;
  user.registry.publish(serverPackage('my-server', '1.1.0'));
  expect(await user.start()).toBe('1.0.0');
  user.configure('my-server@latest', { runnerRefreshMs: 0 });
  expect(await user.start()).toBe('1.0.0');
  expect(user.registry.requests).toHaveLength(asked);
});

test('a registry that does not answer keeps no server from starting', async () => {
  const user = await userOf('1.0.0');
  user.configure('my-server@latest', { runnerRefreshMs: 1 });
  await user.start();
  await user.registry.close();
  expect(await user.start()).toBe('1.0.0');
  const { code, stdout } = await user.run('update');
  expect(stdout).toContain('ECONNREFUSED');
  expect(code).toBe(4);
});

test('update asks for the newest version that the entry allows, for all sessions of the user', async () => {
  const user = await userOf('1.0.0');
  user.configure('my-server@^1');
  await user.start();
  // A client whose programs are found elsewhere has asked npm for itself.
  mkdirSync(join(user.home, 'bin'));
  const elsewhere = { HOME: user.home, PATH: `${process.env['PATH']}:${join(user.home, 'bin')}` };
  const other = await connectAgent('v2 legacy', { ...user.launch, env: elsewhere });
  await other.use('dev', 'any', 'cwd');
  expect(user.ran()).toBe('1.0.0');
  await other.close();
  // The newest, whichever was published last.
  user.registry.publish(...['1.10.0', '1.9.0', '2.0.0'].map((version) => serverPackage('my-server', version)));
  const { code, stdout } = await user.run('update');
  expect(stdout).toMatch(/dev +any +ok my-server 1\.10\.0 from its next start on, instead of 1\.0\.0/);
  expect(code).toBe(0);
  expect(await user.start()).toBe('1.10.0');
  const again = await connectAgent('v2 legacy', { ...user.launch, env: elsewhere });
  await again.use('dev', 'any', 'cwd');
  expect(user.ran()).toBe('1.10.0');
  await again.close();
  expect((await user.run('update', 'dev', 'any')).stdout).toContain('my-server 1.10.0, the newest');
});

test('a newer version for another client does not replace the files of a server that runs', async () => {
  const user = await userOf('1.0.0');
  user.configure('my-server@latest');
  const agent = await user.connect();
  await agent.use('dev', 'any', 'cwd');
  const { directory } = user.record();
  user.registry.publish(serverPackage('my-server', '1.1.0'));
  mkdirSync(join(user.home, 'bin'));
  const elsewhere = { HOME: user.home, PATH: `${process.env['PATH']}:${join(user.home, 'bin')}` };
  const other = await connectAgent('v2 legacy', { ...user.launch, env: elsewhere });
  await other.use('dev', 'any', 'cwd');
  expect(user.ran()).toBe('1.1.0');
  expect(JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')).version).toBe('1.0.0');
  await Promise.all([agent.close(), other.close()]);
});

test('update leaves alone what it cannot look up as the server would: other programs of a package, and envCommand', async () => {
  const registry = await startRegistry({
    ...serverPackage('two', '1.0.0'),
    bin: { 'prog-a': 'main.cjs', 'prog-b': 'main.cjs' },
  });
  const user = new User(registry);
  const variables = [process.execPath, '-e', 'console.log("npm_config_tag=latest")'];
  user.configureServers({
    a: user.npx('-y', '-p', 'two@latest', 'prog-a'),
    b: user.npx('-y', '-p', 'two@latest', 'prog-b'),
    any: { ...user.npx('-y', 'two@latest'), envCommand: variables },
  });
  const agent = await user.connect();
  for (const server of ['a', 'b']) await agent.use('dev', server, 'cwd');
  await agent.close();
  registry.publish({ ...serverPackage('two', '1.1.0'), bin: { 'prog-a': 'main.cjs', 'prog-b': 'main.cjs' } });
  expect((await user.run('update', 'dev', 'a')).stdout).toContain('two 1.1.0 from its next start on');
  expect(user.records().map(({ program, version }) => [basename(program), version])).toEqual(
    expect.arrayContaining([
      ['prog-a', '1.1.0'],
      ['prog-b', '1.0.0'],
    ]),
  );
  const asked = registry.requests.length;
  expect((await user.run('update', 'dev', 'any')).stdout).toContain('it is looked up when it starts');
  expect(registry.requests).toHaveLength(asked);
});

test('update says which version the configuration names, and what npm says about a package that does not exist, without a secret', async () => {
  const user = await userOf('1.0.0');
  user.configure('my-server@1.0.0');
  expect((await user.run('update')).stdout).toContain('my-server@1.0.0: the configuration names this version');
  const entry = user.npx('-y', 'no-such-server');
  const secret = 'hidden-0123456789abcdef';
  const env = { ...entry.env, npm_config_registry: `${user.registry.url}/${secret}/` };
  user.configureServers({ any: { ...entry, env } });
  const { code, stdout, stderr } = await user.run('update', '--json');
  expect(code).toBe(4);
  expect(stdout + stderr).not.toContain(secret);
  expect(JSON.parse(stdout).servers).toEqual([
    { toolbox: 'dev', server: 'any', package: 'no-such-server', problem: expect.stringContaining('404') },
  ]);
});

test('update ends within the limit of a start', async () => {
  const user = await userOf('1.0.0');
  user.registry.hold();
  user.configure('my-server@latest', { defaults: { startTimeoutMs: 1_500 } });
  expect((await user.run('update')).stdout).toContain('npm did not answer within 1500 ms (startTimeoutMs)');
  user.registry.release();
});

test('a strict lock does not start an approved version that was published again with another content', async () => {
  const user = await userOf('1.0.0');
  user.configure('my-server', {}, { lock: 'strict' });
  await user.start();
  await until(() => readFileSync(join(user.home, 'workbench-config.lock.json'), 'utf8').includes('sha512-'));
  const others = await startRegistry({ ...serverPackage('my-server', '1.0.0'), description: 'another content' });
  for (const folder of [user.cache, join(user.home, '.cache/mcp-workbench/runners')])
    rmSync(folder, { recursive: true, force: true });
  const other = user.npx('-y', 'my-server');
  user.configureServers({
    any: { ...other, env: { ...other.env, npm_config_registry: others.url }, lock: 'strict' },
  });
  const agent = await user.connect();
  expect(text(await agent.use('dev', 'any', 'cwd'))).toContain(
    'only my-server@1.0.0 was approved, but that has another content now',
  );
  await agent.close();
  const { code, stdout } = await user.run('approve', '--check');
  expect(stdout).toContain('package my-server 1.0.0, published again with another content');
  expect(code).toBe(1);
});

test('a strict lock runs the approved version until another is approved', async () => {
  const user = await userOf('1.0.0');
  user.configure('my-server', {}, { lock: 'strict' });
  await user.start();
  const lock = join(user.home, 'workbench-config.lock.json');
  const locked = () => JSON.parse(readFileSync(lock, 'utf8')).servers[0].package;
  const integrity = expect.stringMatching(/^sha512-/);
  await until(() => locked() !== undefined);
  expect(locked()).toEqual({ name: 'my-server', version: '1.0.0', integrity });
  user.registry.publish(serverPackage('my-server', '1.1.0'));
  expect((await user.run('update')).stdout).toContain('the lock keeps 1.0.0: mcp-workbench approve dev any');
  expect(await user.start()).toBe('1.0.0');
  expect((await user.run('approve', '--check')).code).toBe(0);
  const { stdout } = await user.run('approve', '--yes');
  expect(stdout).toContain('package my-server 1.1.0, was 1.0.0');
  expect(locked()).toEqual({ name: 'my-server', version: '1.1.0', integrity });
  expect(await user.start()).toBe('1.1.0');
});

test('list and doctor show the package, its version and when it was looked up; without a strict lock the newer version runs, and list says that the lock has another', async () => {
  const user = await userOf('1.0.0');
  user.configure('my-server');
  await user.start();
  expect((await user.run('list', 'dev', 'any')).stdout).toMatch(/Package +my-server 1\.0\.0, looked up just now\n/);
  const listed = JSON.parse((await user.run('list', '--json')).stdout);
  expect(listed.toolboxes[0].servers[0].package).toMatchObject({ name: 'my-server', version: '1.0.0' });
  expect((await user.run('doctor')).stdout).toMatch(/from my-server 1\.0\.0, looked up just now/);
  user.registry.publish(serverPackage('my-server', '1.1.0'));
  await user.run('update');
  const agent = await user.connect();
  expect(text(await agent.open('dev'))).not.toContain('1.1.0');
  await until(() => agent.stderr().includes('dev/any: runs my-server 1.1.0; the lock has my-server 1.0.0'));
  await agent.close();
  expect((await user.run('list', 'dev', 'any')).stdout).toContain('; the lock has 1.0.0\n');
});
