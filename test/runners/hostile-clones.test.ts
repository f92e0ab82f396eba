// @module-tag hostile
// @module-tag slow
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { shellQuote } from '../../src/text/shell-quote.js';
import { connectAgent, text } from '../support/agents.js';
import { Clone, harmlessClone, hostileClones, worstClone } from '../support/clones.js';
import { runCommand } from '../support/commands.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { temporaryDirectory } from '../support/launch.js';
import { startRegistry, type TestPackage } from '../support/npm-registry.js';
import { createNpxEntries, serverPackage } from '../support/npx-servers.js';
import { linuxOnly, posixOnly } from '../support/platform.js';

posixOnly('scripts with a first line for their interpreter');

const scriptedServer = fileURLToPath(new URL('../fixtures/scripted-server.mjs', import.meta.url));
const leaveTrace = "#!/usr/bin/env node\nrequire('node:fs').writeFileSync(process.env.EVIL, '');\n";

function evilPackage(name: string): TestPackage {
  return { name, version: '9.0.0', bin: { server: 'e.js' }, files: { 'e.js': leaveTrace, 'index.js': leaveTrace } };
}

async function startRegistries() {
  const dependencies = { '@dependency/of-it': '*' };
  const registry = await startRegistry(serverPackage('@x/server', '1.0.0', { dependencies }), {
    name: '@dependency/of-it',
    version: '1.0.0',
    files: { 'index.js': '' },
  });
  const evil = await startRegistry(evilPackage('@x/server'), evilPackage('@dependency/of-it'));
  return { registry, evil };
}

/** Each in its own way through npm: resolved, as written with words that are left to npm, and in the script of a shell. */
const entries: Record<string, readonly string[]> = {
  npx: ['npx', '-y', '@x/server'],
  'npx as written': ['npx', '-y', '--loglevel', 'error', '@x/server'],
  'npx in a script': ['sh', '-c', 'exec npx -y --loglevel error @x/server'],
};

/** Traps that npm does not look for; package-runners/hostile.test.ts has the runners that do. */
const ofOtherRunners = /corepack|Yarn|pnpm|Bun|Deno|pipx/;

/** Each trap of npm by itself where npm is asked by us; the other ways share the rest with it, and get all traps in one clone. */
function clonesFor(way: string, evil: string): [string, Clone][] {
  const single = Object.entries(hostileClones(evil)).filter(([name]) => !ofOtherRunners.test(name));
  return [...(way === 'npx' ? single : []), ['every trap', worstClone(evil)], ['no trap', harmlessClone()]];
}

test.each(Object.entries(entries))(
  '%s runs the published package in the directory of a hostile clone, and nothing of the clone',
  async (way, [command = '', ...args]) => {
    linuxOnly('npm as it was tried');
    const { registry, evil } = await startRegistries();
    const clones = clonesFor(way, evil.url);
    const { env, starts } = createNpxEntries(registry);
    const servers = clones.map(([name, { root, trace }], index): [string, ServerEntry] => [
      name,
      // With a variable of its own npm is asked for each of them.
      {
        command,
        args: [...args],
        env: { ...env, EVIL: trace, npm_config_fetch_timeout: `${60_000 + index}` },
        cwd: root,
      },
    ]);
    const config = devToolbox(Object.fromEntries(servers));
    const agent = await connectAgent('v2 legacy', { config, env: { HOME: temporaryDirectory() } });
    for (const [name, clone] of clones) {
      expect([name, text(await agent.use('dev', name, 'cwd'))]).toEqual([name, clone.root]);
      expect([name, clone.isHijacked]).toEqual([name, false]);
      expect(starts().at(-1)).toMatchObject({
        cwd: clone.root,
        env: { PATH: expect.not.stringContaining(clone.root) },
      });
    }
    expect(evil.requests).toEqual([]);
  },
  180_000,
);

test('npx runs nothing of a hostile clone behind whatever program, and doctor names a server that does not start there', async () => {
  linuxOnly('npm as it was tried');
  const { registry, evil } = await startRegistries();
  const { env } = createNpxEntries(registry);
  const tool = new Clone().write('wrap', '#!/bin/sh\nexec "$@"\n');
  chmodSync(join(tool.root, 'wrap'), 0o755);
  const runner = ['npx', '-y', '@x/server'];
  const lines: Record<string, readonly string[]> = {
    'nice sh -c': ['nice', '-n', '5', 'sh', '-c', runner.join(' ')],
    'unknown sh -c': [join(tool.root, 'wrap'), 'sh', '-c', `true; ${runner.join(' ')}`],
  };
  const entriesIn = ({ root, trace }: Clone) =>
    Object.entries(lines).map(([name, [command = '', ...args]]): [string, ServerEntry] => [
      name,
      { command, args, env: { ...env, EVIL: trace }, cwd: root },
    ]);
  const clone = hostileClones(evil.url)['a program of the name'] ?? new Clone();
  const config = devToolbox(Object.fromEntries(entriesIn(clone)));
  const home = { HOME: temporaryDirectory() };
  const agent = await connectAgent('v2 legacy', { config, env: home });
  for (const name of Object.keys(lines)) {
    const expected = name.startsWith('unknown') ? expect.stringContaining('elsewhere') : clone.root;
    expect([name, text(await agent.use('dev', name, 'cwd'))]).toEqual([name, expected]);
    expect([name, clone.isHijacked]).toEqual([name, false]);
  }
  const { stdout } = await runCommand(['doctor', '--json'], { config, env: home });
  expect(stdout.match(/starts in a directory of the workbench/g)).toHaveLength(1);
}, 60_000);

test('programs of a clone above the working directory are not on the PATH of a server', async () => {
  const { registry, evil } = await startRegistries();
  const clone = hostileClones(evil.url)['programs that every package needs'] ?? new Clone();
  clone.write('deep/er/file', '');
  const { env, starts } = createNpxEntries(registry);
  const below = {
    command: 'npx',
    args: ['-y', '--loglevel', 'error', '@x/server'],
    env,
    cwd: join(clone.root, 'deep', 'er'),
  };
  const agent = await connectAgent('v2 legacy', { config: devToolbox({ below }), env: { HOME: temporaryDirectory() } });
  expect(text(await agent.use('dev', 'below', 'cwd'))).toBe(below.cwd);
  expect(starts().at(-1)?.env['PATH']).not.toContain(clone.root);
  expect(clone.isHijacked).toBe(false);
});

test('directories of PATH that depend on the working directory are not used in an untrusted one', async () => {
  const { registry } = await startRegistries();
  const clone = new Clone().program('node', 'npx', 'sub/node', 'sub/npx');
  const { env, starts } = createNpxEntries(registry);
  const searchPath = `:sub:${process.env['PATH']}:.`;
  const any = { command: 'npx', args: ['-y', '@x/server'], env: { ...env, PATH: searchPath }, cwd: clone.root };
  const agent = await connectAgent('v2 legacy', { config: devToolbox({ any }), env: { HOME: temporaryDirectory() } });
  expect(text(await agent.use('dev', 'any', 'cwd'))).toBe(clone.root);
  expect(clone.isHijacked).toBe(false);
  const used = starts().at(-1)?.env['PATH']?.split(':') ?? [];
  expect(used.filter((one) => !isAbsolute(one))).toEqual([]);
});

test.each([
  ['that everyone can write to, as written,', 0o1777, ['npx', '-y', '--loglevel', 'error', 'server']],
  ['of the user', 0o700, ['npx', '-y', 'server']],
])('programs in a temporary directory %s are not run in place of a package', async (_, mode, [command, ...args]) => {
  const registry = await startRegistry(serverPackage('server'));
  const shared = new Clone().program('node_modules/.bin/server').json('node_modules/server/package.json', {
    ...{ name: 'server', version: '1.0.0', bin: 'x' },
  });
  chmodSync(shared.root, mode);
  const cache = new Clone().link('mcp-workbench', '/proc');
  const any = { command: command ?? '', args, env: createNpxEntries(registry).env, cwd: temporaryDirectory() };
  const env = { HOME: temporaryDirectory(), XDG_CACHE_HOME: cache.root, TMPDIR: shared.root };
  const agent = await connectAgent('v2 legacy', { config: devToolbox({ any }), env });
  expect(text(await agent.use('dev', 'any', 'cwd'))).toContain("may be somebody else's");
  expect(shared.isHijacked).toBe(false);
});

test('in a trusted directory npx runs what the directory provides', async () => {
  const { registry, evil } = await startRegistries();
  const clone = hostileClones(evil.url)['a linked package of the name'] ?? new Clone();
  const any = { command: 'npx', args: ['-y', '@x/server'], env: createNpxEntries(registry).env, cwd: clone.root };
  const home = { HOME: temporaryDirectory() };
  await runCommand(['trust', clone.root, '--yes'], { env: home });
  const agent = await connectAgent('v2 legacy', { config: devToolbox({ any }), env: home });
  await agent.use('dev', 'any', 'cwd');
  expect(clone.isHijacked).toBe(true);
});

test('a configuration that is named by a relative path does not make its directory trusted, by an absolute one it does', async () => {
  const { registry, evil } = await startRegistries();
  const clone = hostileClones(evil.url)['a package of the name'] ?? new Clone();
  const { env } = createNpxEntries(registry);
  clone.json(
    'workbench-config.json',
    devToolbox({ any: { command: 'npx', args: ['-y', '@x/server'], env, cwd: '.' } }),
  );
  const start = async (args: string[], named: Record<string, string> = {}) => {
    const options = { cwd: clone.root, env: { HOME: temporaryDirectory(), ...named } };
    // The file, not its directory.
    await runCommand(['trust', '--yes', 'workbench-config.json'], options);
    const agent = await connectAgent('v2 legacy', { ...options, args });
    return text(await agent.use('dev', 'any', 'cwd'));
  };
  expect(await start(['--config', 'workbench-config.json'])).toBe(clone.root);
  expect(await start([], { WORKBENCH_CONFIG: './workbench-config.json' })).toBe(clone.root);
  expect(clone.isHijacked).toBe(false);
  await start(['--config', join(clone.root, 'workbench-config.json')]);
  expect(clone.isHijacked).toBe(true);
});

test('the working directory of the workbench counts for servers without one of their own', async () => {
  const { registry, evil } = await startRegistries();
  const clone = hostileClones(evil.url)['a program of the name'] ?? new Clone();
  const { env } = createNpxEntries(registry);
  const config = devToolbox({ any: { command: 'sh', args: ['-c', 'exec npx -y @x/server'], env } });
  const agent = await connectAgent('v2 legacy', { config, cwd: clone.root, env: { HOME: temporaryDirectory() } });
  expect(text(await agent.use('dev', 'any', 'cwd'))).toBe(clone.root);
  expect(clone.isHijacked).toBe(false);
});

test('python -m and -c import no module from an untrusted working directory; a script imports what is beside it', async () => {
  linuxOnly('python3');
  const home = temporaryDirectory();
  const module = new Clone().python('some_server.py');
  const shadow = new Clone().python('socketserver.py');
  const script = new Clone().python('beside.py').write('server.py', 'import beside\n');
  const start = async ({ root: cwd }: Clone, ...args: string[]) => {
    const config = devToolbox({ any: { command: 'python3', args, cwd } });
    const agent = await connectAgent('v2 legacy', { config, env: { HOME: home } });
    return text(await agent.use('dev', 'any', 'any'));
  };
  await start(module, '-m', 'some_server');
  await start(module, '-c', 'import some_server');
  await start(shadow, '-m', 'http.server', '--help');
  expect([module.isHijacked, shadow.isHijacked]).toEqual([false, false]);
  await start(script, 'server.py');
  expect(script.isHijacked).toBe(true);
  await runCommand(['trust', module.root, '--yes'], { env: { HOME: home } });
  await start(module, '-c', 'import some_server');
  expect(module.isHijacked).toBe(true);
  rmSync(module.trace);
  await runCommand(['untrust', module.root], { env: { HOME: home } });
  await start(module, '-m', 'some_server');
  expect(module.isHijacked).toBe(false);
});

/** Does as the documentation of uv says: `uvx [--from SPEC] COMMAND` runs the command with the programs of the package first on PATH. */
const uvx = `#!/bin/sh
if [ -e "$PWD/uv.toml" ] || [ -e "$PWD/server" ]; then : > "$EVIL"; exit 1; fi
if [ "$1" = --from ]; then shift 2; fi
PATH="$TOOL/bin:$PATH" exec "$@"
`;

test('uvx starts in a directory of ours, and its server in that of the entry', async () => {
  linuxOnly('python3');
  const clone = new Clone().write('uv.toml', '').python('server').python('json.py').python('os.py');
  const tool = new Clone()
    .write('bin/uvx', uvx)
    .write('bin/server', `#!/bin/sh\nexec node ${shellQuote(scriptedServer)} "$@"\n`);
  const { stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
  tool.write('bin/python', `#!/bin/sh\nexec '${stdout.trim()}' "$@"\n`);
  for (const name of ['uvx', 'server', 'python']) chmodSync(join(tool.root, 'bin', name), 0o755);
  const env = { EVIL: clone.trace, TOOL: tool.root };
  const any = {
    command: join(tool.root, 'bin', 'uvx'),
    args: ['server@latest', '--name', 'a b'],
    env,
    cwd: clone.root,
  };
  const agent = await connectAgent('v2 legacy', { config: devToolbox({ any }), env: { HOME: temporaryDirectory() } });
  expect(text(await agent.use('dev', 'any', 'cwd'))).toBe(clone.root);
  expect(clone.isHijacked).toBe(false);
});

test('a server whose runner cannot change the directory starts in ours, and doctor says so', async () => {
  const clone = new Clone();
  const tool = new Clone().write('dnx', `#!/bin/sh\nexec node ${shellQuote(scriptedServer)}\n`);
  chmodSync(join(tool.root, 'dnx'), 0o755);
  const config = devToolbox({ any: { command: join(tool.root, 'dnx'), args: ['some.server'], cwd: clone.root } });
  const env = { HOME: temporaryDirectory() };
  const agent = await connectAgent('v2 legacy', { config, env });
  expect(text(await agent.use('dev', 'any', 'cwd'))).toContain(join('mcp-workbench', 'runners', 'elsewhere'));
  const said = (await runCommand(['doctor', '--json'], { config, env })).stdout;
  expect(said).toContain('starts in a directory of the workbench, because its own is not trusted');
  await runCommand(['trust', clone.root, '--yes'], { env });
  expect((await runCommand(['doctor', '--json'], { config, env })).stdout).not.toContain(
    'a directory of the workbench',
  );
});

test('where the cache cannot be written to, a start in a directory of ours leaves nothing behind', async () => {
  const [clone, home] = [new Clone(), temporaryDirectory()];
  const tool = new Clone()
    .write('dnx', `#!/bin/sh\npwd > "$WHERE"\nexec node ${shellQuote(scriptedServer)}\n`)
    .write('cache', '');
  chmodSync(join(tool.root, 'dnx'), 0o755);
  const where = join(tool.root, 'where');
  const any = { command: join(tool.root, 'dnx'), args: ['some.server'], env: { WHERE: where }, cwd: clone.root };
  const temporary = temporaryDirectory();
  const env = { HOME: home, XDG_CACHE_HOME: join(tool.root, 'cache'), TMPDIR: temporary };
  await runCommand(['doctor'], { config: devToolbox({ any }), env });
  expect(readFileSync(where, 'utf8')).toContain(join(temporary, 'mcp-workbench-runner-'));
  expect(readdirSync(temporary)).toEqual([]);
});
