import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectAgentTo, opened, text } from '../support/agents.js';
import { runCommand } from '../support/commands.js';
import { commented, createHome, type Home } from '../support/homes.js';
import { prepareLaunch } from '../support/launch.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';

const read = (file: string) => readFileSync(file, 'utf8');
const secretsOf = (home: Home) => join(dirname(home.config), 'secrets.env');

describe('undo of a change that others have edited since', () => {
  test('leaves what they added, and no secret that is still referred to is removed', async () => {
    const home = createHome();
    const add = (name: string, ...options: string[]) =>
      home.run(
        'add',
        'dev',
        name,
        '-e',
        `${name.toUpperCase()}_TOKEN=hunter22-${name}`,
        '--yes',
        ...options,
        '--',
        'x',
      );
    await add('a', '--description', 'd');
    await add('b');
    const { code, stdout } = await home.run('undo', '2', '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain('! dev   changed or added since; it stays');
    expect(read(secretsOf(home))).toBe('A_TOKEN=hunter22-a\nB_TOKEN=hunter22-b\n');
  });

  test('is refused if the configuration would not be valid any more', async () => {
    const home = createHome(commented);
    await home.run('add', 'data', 'other', '--', 'x');
    const edited = read(home.config).replace('"sql": { "command": "sql", "enabled": false },', '');
    writeFileSync(home.config, edited);
    const { code, stderr } = await home.run('undo', '--yes');
    expect([code, stderr]).toEqual([3, expect.stringContaining('undoing this would not leave it valid')]);
    expect(read(home.config)).toBe(edited);
  });
});

describe('a configuration in the working directory', () => {
  const local = '{ "toolboxes": { "dev": { "description": "Here", "mcpServers": { "h": { "command": "h" } } } } }\n';
  const repository = (home: Home) => {
    const directory = join(home.directory, 'repository');
    mkdirSync(directory);
    writeFileSync(join(directory, 'workbench-config.json'), local);
    return {
      file: join(directory, 'workbench-config.json'),
      run: (...args: string[]) => runCommand(args, { env: home.env, cwd: directory }),
    };
  };

  test('that is trusted is edited and stays trusted, also after undo', async () => {
    const home = createHome(commented);
    const { file, run } = repository(home);
    await run('trust', '--yes');
    for (const args of [
      ['add', 'dev', 'x', '--', 'x'],
      ['disable', 'dev', 'h'],
      ['remove', 'dev', 'x'],
      ['undo', '--yes'],
    ]) {
      expect(await run(...args)).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse((await run('list', '--json')).stdout)).toMatchObject({ config: file });
    }
    expect(read(home.config)).toBe(commented);
  });

  test('that is not trusted is neither used nor written: the file of the user is', async () => {
    const home = createHome(commented);
    const { file, run } = repository(home);
    const { code, stderr } = await run('add', 'dev', 'x', '--', 'x');
    expect([code, stderr]).toEqual([0, expect.stringContaining('is not used: the user has not trusted it')]);
    expect(read(file)).toBe(local);
    expect(read(home.config)).toContain('"x": {');
  });
});

test('a session that runs follows', async () => {
  const home = createHome();
  const { command = '', args } = fixture();
  const marker = ['-e', 'WORKBENCH_TEST_MARKER'];
  const add = (name: string, ...options: string[]) =>
    home.run('add', 'dev', name, ...marker, ...options, '--', command, ...(args ?? []));
  await add('one', '--description', 'd');
  const agent = await connectAgentTo(prepareLaunch({ args: ['--config', home.config] }), 'v2 modern');
  const servers = async () => [...new Set(opened(await agent.open('dev')).tools.map(({ server }) => server))].join();
  expect(await servers()).toBe('one');
  await add('two');
  await until(async () => (await servers()) === 'one,two');
  await home.run('disable', 'dev', 'one');
  await until(async () => (await servers()) === 'two');
  await home.run('move', 'dev', 'two', 'other', '--description', 'd');
  await until(async () => text(await agent.use('other', 'two', 'env')).startsWith('{'));
  await home.run('undo', '--yes');
  await until(async () => (await servers()) === 'two');
  await home.run('enable', 'dev', 'one');
  await until(async () => (await servers()) === 'one,two');
  await home.run('remove', 'dev', 'two');
  await until(async () => (await servers()) === 'one');
});
