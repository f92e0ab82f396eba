import {
  chmodSync,
  existsSync,
  mkdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { connectAgent, text } from '../support/agents.js';
import { runCommand } from '../support/commands.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { temporaryDirectory } from '../support/launch.js';
import { linuxOnly, posixOnly } from '../support/platform.js';
import { until } from '../support/until.js';

posixOnly('scripts with a first line for their interpreter');

/** A directory of someone else, with files that leave a trace if they are run. */
class Repository {
  readonly root = realpathSync(temporaryDirectory());
  readonly trace = join(this.root, 'hijacked');

  write(file: string, content: string): this {
    mkdirSync(dirname(join(this.root, file)), { recursive: true });
    writeFileSync(join(this.root, file), content);
    return this;
  }

  json(file: string, content: object): this {
    return this.write(file, JSON.stringify(content));
  }

  program(file: string): this {
    this.write(file, `#!/bin/sh\n: > '${this.trace}'\n`);
    chmodSync(join(this.root, file), 0o755);
    return this;
  }

  get isHijacked(): boolean {
    return existsSync(this.trace);
  }
}

const named = { name: '@x/server', version: '1.0.0', bin: { evil: 'e' } };
const harmless = () => {
  const repository = new Repository().json('package.json', {});
  repository.write('node_modules/.bin/harmless', '#!/bin/sh\n');
  chmodSync(join(repository.root, 'node_modules/.bin/harmless'), 0o755);
  return repository;
};
/** What npm 11 really runs in place of the package `@x/server` or `server`; each was tried. */
const replacements: Record<string, () => [Repository, ...string[]]> = {
  'a program of the name': () => [new Repository().program('node_modules/.bin/server'), 'server'],
  'a program of the name and version': () => [
    new Repository().program('node_modules/.bin/server@1.0.0'),
    'server@1.0.0',
  ],
  'a package of the name': () => [
    new Repository().json('node_modules/@x/server/package.json', named).program('node_modules/.bin/evil'),
    '@x/server',
  ],
  'a package of the name in a folder of another': () => [
    new Repository().json('node_modules/innocent/package.json', named).program('node_modules/.bin/evil'),
    '@x/server',
  ],
  'a nested package of the name': () => [
    new Repository()
      .json('node_modules/innocent/package.json', { name: 'innocent', version: '1.0.0' })
      .json('node_modules/innocent/node_modules/deeper/package.json', named)
      .program('node_modules/.bin/evil'),
    '@x/server',
  ],
  'a linked package of the name': () => {
    const repository = new Repository().json('package.json', {}).json('lib/z/package.json', named);
    repository.program('node_modules/.bin/evil');
    symlinkSync('../lib/z', join(repository.root, 'node_modules', 'innocent'));
    return [repository, '@x/server'];
  },
  'the project of the name': () => [
    new Repository().json('package.json', named).program('node_modules/.bin/evil'),
    '@x/server',
  ],
  'a program of the project': () => [
    new Repository().json('package.json', { name: 'other', version: '1.0.0', bin: { server: 'e' } }).program('e'),
    'server',
  ],
  'a directory of programs of the project': () => [
    new Repository()
      .json('package.json', { name: 'other', version: '1.0.0', directories: { bin: 'b' } })
      .program('b/server'),
    'server',
  ],
  'a workspace of the name': () => [
    new Repository()
      .json('package.json', { workspaces: ['w'] })
      .json('w/package.json', named)
      .program('node_modules/.bin/evil'),
    '@x/server',
  ],
  'a list that says so': () => {
    const repository = new Repository().json('package.json', {}).program('node_modules/.bin/evil');
    repository.json('node_modules/innocent/package.json', { name: 'innocent', version: '1.0.0' });
    repository.json('node_modules/.package-lock.json', {
      lockfileVersion: 3,
      packages: { 'node_modules/innocent': named },
    });
    const later = new Date(Date.now() + 10_000);
    utimesSync(join(repository.root, 'node_modules/.package-lock.json'), later, later);
    return [repository, '@x/server'];
  },
  'the shell of an .npmrc': () => [harmless().program('e').write('.npmrc', 'script-shell=./e\n'), 'harmless'],
  'the shell of an .npmrc with a variable in the key': () => [
    harmless().program('e').write('.npmrc', '${NOTHING?}script-shell=./e\n'),
    'harmless',
  ],
  'the package of an .npmrc': () => [
    new Repository()
      .json('package.json', {})
      .write('.npmrc', 'package=./evil\n')
      .json('evil/package.json', { name: 'evil', version: '1.0.0', bin: { server: 'e' } })
      .program('evil/e'),
    'server',
  ],
};

const npxEnv = { npm_config_offline: 'true', npm_config_update_notifier: 'false' };

test('what npx would run from an untrusted working directory is not run; once it is trusted, it is', async () => {
  linuxOnly('npm as it was tried');
  const repositories = Object.entries(replacements).map(([name, make]) => [name, ...make()] as const);
  const servers = Object.fromEntries(
    repositories.map(([name, { root }, ...specs]): [string, ServerEntry] => [
      name,
      { command: 'npx', args: ['-y', ...specs], env: npxEnv, cwd: root },
    ]),
  );
  const home = temporaryDirectory();
  const env = { HOME: home };
  const agent = await connectAgent('v2 legacy', { config: devToolbox(servers), env });
  const start = async (server: string) => text(await agent.use('dev', server, 'any'));
  for (const [name, repository] of repositories) {
    const answer = await start(name);
    expect(answer).toContain(`Failed to connect to server '${name}' in toolbox 'dev': npx would use `);
    expect(answer).toContain('which is not trusted');
    expect(answer).toContain('mcp-workbench trust');
    expect([name, repository.isHijacked]).toEqual([name, false]);
    // Names of files are the repository's text; which it is stands in the log.
    expect(answer).not.toMatch(/innocent|deeper|evil|mcp-workbench-test-/);
    await until(() => agent.stderr().includes(repository.root), { what: 'its line in the log' });
  }
  for (const [, repository] of repositories) {
    expect((await runCommand(['trust', repository.root, '--yes'], { env })).code).toBe(0);
  }
  for (const [name, repository] of repositories) {
    expect(await start(name)).not.toContain('which is not trusted');
    expect([name, repository.isHijacked]).toEqual([name, true]);
  }
}, 180_000);

test('a program that every package needs is not taken from the working directory or from above it', async () => {
  for (const program of ['node', 'sh']) {
    const repository = new Repository().program(`node_modules/.bin/${program}`).write('deep/er/file', '');
    const below = { command: 'npx', args: ['-y', 'any'], env: npxEnv, cwd: join(repository.root, 'deep', 'er') };
    const agent = await connectAgent('v2 legacy', { config: devToolbox({ below }) });
    expect(text(await agent.use('dev', 'below', 'any'))).toContain(
      `a program '${program}' in node_modules/.bin, from a directory above its working directory`,
    );
    expect(repository.isHijacked).toBe(false);
  }
});

test.each([
  ['yarn', ['dlx'], '.yarnrc.yml'],
  ['pnpm', ['dlx'], '.pnpmfile.cjs'],
  ['bunx', [], 'bunfig.toml'],
])('%s is not started where the project has settings for it', async (command, words, file) => {
  const repository = new Repository().write(file, '');
  const any = { command, args: [...words, 'any'], cwd: repository.root };
  const agent = await connectAgent('v2 legacy', { config: devToolbox({ any }) });
  expect(text(await agent.use('dev', 'any', 'any'))).toContain(`${command} would use the settings in ${file}`);
});

test.each(['package.json', '.npmrc', 'node_modules/.package-lock.json', 'node_modules/any/package.json'])(
  'a %s without an end needs trust, and is not read to the end',
  async (file) => {
    linuxOnly('/proc');
    const repository = new Repository().write('node_modules/any/file', '');
    symlinkSync('/proc/self/pagemap', join(repository.root, file));
    const any = { command: 'npx', args: ['-y', 'server'], env: npxEnv, cwd: repository.root };
    const agent = await connectAgent('v2 legacy', { config: devToolbox({ any }) });
    expect(text(await agent.use('dev', 'any', 'any'))).toMatch(
      /npx would use .* that cannot be read, from its working/,
    );
  },
);

test('a home that others can write to is not trusted', async () => {
  const home = new Repository().program('node_modules/.bin/server');
  const any = { command: 'npx', args: ['-y', 'server'], env: npxEnv, cwd: home.root };
  chmodSync(home.root, 0o777);
  const agent = await connectAgent('v2 legacy', { config: devToolbox({ any }), env: { HOME: home.root } });
  expect(text(await agent.use('dev', 'any', 'any'))).toContain('which is not trusted');
  expect(home.isHijacked).toBe(false);
});

test('the working directory of the workbench counts for servers without one of their own', async () => {
  const repository = new Repository().program('node_modules/.bin/server');
  const config = devToolbox({ any: { command: 'sh', args: ['-c', 'exec npx -y server'], env: npxEnv } });
  const agent = await connectAgent('v2 legacy', { config, cwd: repository.root });
  expect(text(await agent.use('dev', 'any', 'any'))).toContain('from its working directory, which is not trusted');
  expect(repository.isHijacked).toBe(false);
});

test('a repository whose packages and settings replace nothing does not keep a server from starting', async () => {
  const repository = new Repository()
    .json('package.json', { name: 'mine', version: '1.0.0', workspaces: ['packages/*'], bin: { mine: 'x' } })
    .json('packages/one/package.json', { name: 'one', version: '1.0.0' })
    .json('node_modules/typescript/package.json', { name: 'typescript', version: '5.0.0', directories: { bin: 'bin' } })
    .program('node_modules/.bin/tsc')
    .program('node_modules/.bin/npm')
    .write('.npmrc', 'save-exact=true\n//example.org/:_authToken=x\n');
  const any = { command: 'npx', args: ['-y', '@x/server'], env: npxEnv, cwd: repository.root };
  const agent = await connectAgent('v2 legacy', { config: devToolbox({ any }) });
  // npx was started, and may not fetch the package.
  expect(text(await agent.use('dev', 'any', 'any'))).toContain('ENOTCACHED');
});

test('python -m does not run a module from an untrusted working directory, nor import one from there', async () => {
  linuxOnly('python3');
  const leave = (trace: string) => `open(${JSON.stringify(trace)}, 'w')\n`;
  const direct = new Repository();
  direct.write('some_server.py', leave(direct.trace));
  const folder = new Repository();
  folder.write('some_server/__main__.py', leave(folder.trace));
  const shadow = new Repository();
  shadow.write('socketserver.py', leave(shadow.trace));
  const home = temporaryDirectory();
  const start = async ({ root: cwd }: Repository, args: string[], entry: Partial<ServerEntry> = {}) => {
    const config = devToolbox({ any: { command: 'python3', args, ...entry } });
    const agent = await connectAgent('v2 legacy', { config, cwd, env: { HOME: home } });
    return text(await agent.use('dev', 'any', 'any'));
  };
  const startDirect = () => start(direct, ['-m', 'some_server']);
  const startShadow = () => start(shadow, ['-m', 'http.server', '--help']);
  for (const answer of [await startDirect(), await start(folder, ['-um', 'some_server.sub'])])
    expect(answer).toContain("python3 would use a module 'some_server'");
  await startShadow();
  expect([direct, folder, shadow].map(({ isHijacked }) => isHijacked)).toEqual([false, false, false]);
  await runCommand(['trust', direct.root, '--yes'], { env: { HOME: home } });
  await runCommand(['trust', shadow.root, '--yes'], { env: { HOME: home } });
  await startDirect();
  await startShadow();
  expect([direct.isHijacked, shadow.isHijacked]).toEqual([true, true]);
  rmSync(direct.trace);
  await runCommand(['untrust', direct.root], { env: { HOME: home } });
  expect(await startDirect()).toContain('not trusted');
  // A directory that the configuration names is wanted.
  await start(folder, ['-m', 'some_server'], { cwd: folder.root });
  expect(folder.isHijacked).toBe(true);
});
