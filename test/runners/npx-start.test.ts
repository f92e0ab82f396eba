import { readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectAgent, text } from '../support/agents.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { temporaryDirectory } from '../support/launch.js';
import { startRegistry, type TestPackage } from '../support/npm-registry.js';
import { createNpxEntries, type NotedStart, serverPackage, serverProgram } from '../support/npx-servers.js';
import { posixOnly } from '../support/platform.js';
import { processesWith } from '../support/processes.js';

posixOnly('links to programs');

/** Starts a server, and what it noted about that. */
async function startsOf(entry: ServerEntry, starts: () => NotedStart[], home = temporaryDirectory()) {
  const agent = await connectAgent('v2 legacy', { config: devToolbox({ any: entry }), env: { HOME: home } });
  const answer = text(await agent.use('dev', 'any', 'cwd'));
  const noted = starts().at(-1);
  const processes = processesWith(agent.marker).filter(({ pid, parent }) => [pid, parent].includes(noted?.pid ?? -1));
  await agent.close();
  return { answer, noted, processes, home };
}

test('npm is asked once, and from then on the server is a single process', async () => {
  const registry = await startRegistry(serverPackage('my-server', '1.2.3'));
  const { npx, starts } = createNpxEntries(registry);
  const cwd = realpathSync(temporaryDirectory());
  const entry = { ...npx('-y', 'my-server', '--name', 'x y'), cwd };
  const { answer, home } = await startsOf(entry, starts);
  expect(answer).toBe(cwd);
  const asked = registry.requests.length;
  expect(asked).toBeGreaterThan(0);
  const folder = join(home, '.cache/mcp-workbench/runners');
  const [record = '', ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  expect(statSync(join(folder, record)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(join(folder, record), 'utf8'))).toMatchObject({
    ...{ spec: 'my-server', name: 'my-server', version: '1.2.3' },
    integrity: expect.stringMatching(/^sha512-/),
  });
  const again = await startsOf(entry, starts, home);
  expect(again.answer).toBe(cwd);
  expect(again.processes.map(({ pid }) => pid)).toEqual([again.noted?.pid]);
  expect(registry.requests.length).toBe(asked);
  expect(starts()).toHaveLength(2);
});

test('a server is started as npx starts it, in a trusted directory too', async () => {
  const registry = await startRegistry(serverPackage('my-server', '1.2.3'));
  const { npx, starts } = createNpxEntries(registry);
  const home = temporaryDirectory();
  writeFileSync(join(home, 'package.json'), '{"name":"mine","version":"9.9.9"}');
  const entry = { ...npx('-y', 'my-server', 'a b'), cwd: home };
  const { noted: ours } = await startsOf(entry, starts, home);
  const { noted: npxs } = await startsOf({ ...entry, resolve: false }, starts, home);
  const { noted: elsewhere } = await startsOf({ ...entry, cwd: temporaryDirectory() }, starts, home);
  const facts = ({ argv, execArgv, main, cwd, env }: NotedStart) => {
    // npx describes the project in the working directory as if it were the package.
    const different = /^(?:npm_package_.*|npm_lifecycle_script|PATH|(?:MCP_)?WORKBENCH_.*|npm_config_init_.*)$/;
    return {
      argv,
      execArgv,
      main,
      cwd,
      env: Object.fromEntries(Object.entries(env).filter(([name]) => !different.test(name))),
    };
  };
  if (ours === undefined || npxs === undefined) throw new Error('not started');
  expect(facts(ours)).toEqual(facts(npxs));
  expect(ours.argv[1]).toMatch(/node_modules\/\.bin\/my-server$/);
  expect(ours.main).toMatch(/node_modules\/my-server\/main\.cjs$/);
  expect(ours.env).not.toHaveProperty('npm_package_version');
  expect(npxs.env).toHaveProperty('npm_package_version', '9.9.9');
  expect(elsewhere?.env).not.toHaveProperty('npm_config_local_prefix');
  for (const one of [ours, elsewhere]) {
    expect(one?.env['PATH']).toMatch(/^[^:]*\/_npx\/[^:/]*\/node_modules\/\.bin:/);
    expect(one?.env['INIT_CWD']).toBe(one?.cwd);
    expect(JSON.stringify(one?.env)).not.toContain('script_shell');
  }
});

test('secrets in the settings of npm are not kept', async () => {
  const registry = await startRegistry(serverPackage('my-server'));
  const { npx, starts } = createNpxEntries(registry);
  const home = temporaryDirectory();
  writeFileSync(
    join(home, '.npmrc'),
    'https-proxy=http://me:PASSWORD@localhost:1\nnoproxy=127.0.0.1,localhost\nsome-key=SECRET\n',
  );
  const { noted } = await startsOf({ ...npx('-y', 'my-server'), cwd: temporaryDirectory() }, starts, home);
  expect(noted?.env).toHaveProperty('npm_config_userconfig', join(home, '.npmrc'));
  const folder = join(home, '.cache/mcp-workbench/runners');
  const kept = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  expect(kept).toHaveLength(1);
  expect(kept.join('')).not.toMatch(/PASSWORD|SECRET/);
});

const shell = readFileSync('/bin/sh');
const packages: Record<string, [args: string[], ...packages: TestPackage[]]> = {
  'a shell script': [
    ['-y', 'scripted'],
    {
      ...{ name: 'scripted', version: '1.0.0', bin: 'run', dependencies: { inner: '1' } },
      files: { run: '#!/bin/sh\nexec inner "$@"\n' },
    },
  ],
  'a native program behind a JavaScript one': [
    ['-y', 'shim'],
    {
      ...{ name: 'shim', version: '1.0.0', bin: 'shim.js', dependencies: { 'native-sh': '1', inner: '1' } },
      files: {
        'shim.js':
          "#!/usr/bin/env node\nconst file = require.resolve('native-sh/sh');\nrequire('child_process').spawn(file, ['-c', 'exec inner'], { stdio: 'inherit' }).on('exit', (code) => process.exit(code));\n",
      },
    },
    { name: 'native-sh', version: '1.0.0', files: { sh: shell } },
  ],
  'a native program': [
    ['-y', 'native', '-c', 'exec inner'],
    { name: 'native', version: '1.0.0', bin: 'sh', dependencies: { inner: '1' }, files: { sh: shell } },
  ],
  'a program without a first line for its interpreter': [
    ['-y', 'plain'],
    { name: 'plain', version: '1.0.0', bin: 'run', dependencies: { inner: '1' }, files: { run: 'exec inner\n' } },
  ],
  'two programs, one of its own name': [
    ['-y', '@my/two'],
    serverPackage('@my/two', '1.0.0', { bin: { other: 'no.js', two: 'main.cjs' } }),
  ],
  'a program of another name': [
    ['-y', '@my/package@^1'],
    serverPackage('@my/package', '1.5.0', { bin: { its: 'main.cjs' } }),
  ],
  'two programs, of which one is named': [
    ['-y', '-p', 'several', '--package=@my/unused', 'second'],
    serverPackage('several', '1.0.0', { bin: { first: 'no.js', second: 'main.cjs' } }),
    { name: '@my/unused', version: '2.0.0' },
  ],
  'flags for Node.js': [
    ['flags'],
    serverPackage('flags', '1.0.0', {
      files: { 'main.cjs': serverProgram.replace('env node', 'env -S node --no-warnings --stack-trace-limit=7') },
    }),
  ],
  'a script that runs when it is installed': [
    ['-y', 'installing'],
    {
      ...{ name: 'installing', version: '1.0.0', bin: 'made.cjs' },
      scripts: { postinstall: 'cp main.cjs "made.cjs" && chmod +x made.cjs' },
      files: { 'main.cjs': serverProgram, 'made.cjs': '' },
    },
  ],
};

test('packages of every kind start, the second time without npm', { timeout: 120_000 }, async () => {
  const kinds = Object.entries(packages);
  const registry = await startRegistry(serverPackage('inner'), ...kinds.flatMap(([, [, ...all]]) => all));
  const { npx, starts, env } = createNpxEntries(registry);
  const home = temporaryDirectory();
  const cwd = realpathSync(temporaryDirectory());
  // Newer versions of npm run them only when asked to.
  const variables = { ...env, npm_config_allow_scripts: 'installing' };
  const servers = kinds.map(([kind, [args]]) => [kind, { ...npx(...args), env: variables, cwd }]);
  const config = devToolbox(Object.fromEntries(servers));
  const startAll = async () => {
    const agent = await connectAgent('v2 legacy', { config, env: { HOME: home } });
    for (const [kind] of kinds) expect([kind, text(await agent.use('dev', kind, 'cwd'))]).toEqual([kind, cwd]);
    await agent.close();
  };
  await startAll();
  rmSync(join(env.npm_config_cache, '_cacache'), { recursive: true });
  await registry.close();
  await startAll();
  expect(starts()).toHaveLength(2 * kinds.length);
  expect(starts().findLast(({ main }) => main.includes('/flags/'))?.execArgv).toEqual([
    '--no-warnings',
    '--stack-trace-limit=7',
  ]);
});

test('npm exec is asked in the same way', async () => {
  const registry = await startRegistry(serverPackage('my-server'));
  const { env, starts } = createNpxEntries(registry);
  const entry = {
    command: 'npm',
    args: ['exec', '-y', 'my-server', '--', '--name', 'x'],
    env,
    cwd: temporaryDirectory(),
  };
  const { noted, processes } = await startsOf(entry, starts);
  expect(noted?.argv.slice(2)).toEqual(['--name', 'x']);
  expect(processes).toHaveLength(1);
});
