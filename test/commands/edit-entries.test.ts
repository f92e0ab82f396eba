import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectAgentTo, text } from '../support/agents.js';
import { answerOn, runCommand, runOnTerminal } from '../support/commands.js';
import { commented, createHome, type Home } from '../support/homes.js';
import { prepareLaunch } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';

const read = (file: string) => readFileSync(file, 'utf8');
const secretsOf = (home: Home) => join(dirname(home.config), 'secrets.env');

describe('the entry', () => {
  test('refers to variables, and has paths that do not depend on where it is started', async () => {
    const home = createHome(commented);
    const work = join(home.directory, 'work');
    mkdirSync(work);
    writeFileSync(join(work, 'server.js'), '');
    // Node.js 20 looks for it, too.
    writeFileSync(join(work, 'v.env'), '');
    const args = [
      'add',
      'dev',
      'x',
      '-e',
      'A',
      '-e',
      'B=${C:-d}',
      '-e',
      'EMPTY=',
      '--env-file',
      'v.env',
      '--cwd',
      'sub',
    ];
    const run = (...rest: string[]) => runCommand(rest, { env: home.env, cwd: work });
    expect(await run(...args, '--', './server.js')).toMatchObject({ code: 0, stderr: '' });
    const { toolboxes } = JSON.parse(read(home.config).replaceAll(/\/\/(?!a\.).*/g, ''));
    expect(toolboxes.dev.mcpServers.x).toEqual({
      command: join(work, 'server.js'),
      env: { A: '${A}', B: '${C:-d}', EMPTY: '' },
      cwd: join(work, 'sub'),
      envFile: join(work, 'v.env'),
    });
    const local = await run('add', 'dev', 'y', '--', 'node', 'server.js');
    expect(local).toMatchObject({ code: 0, stderr: /server\.js is a file of this directory.*--cwd \./ });
  });

  test.each([
    [['-e', '1x=2'], "-e needs NAME or NAME=VALUE, and '1x' is not the name of a variable."],
    [['-e', '=2'], "-e needs NAME or NAME=VALUE, and '' is not the name of a variable."],
  ])('is not made of %j', async (options, problem) => {
    const home = createHome(commented);
    expect(await home.run('add', 'dev', 'x', ...options, '--', 'x')).toMatchObject({ code: 2, stderr: `${problem}\n` });
  });
});

describe('a value that may be a secret', () => {
  const add = ['add', 'dev', 'x', '-e', 'API_TOKEN=hunter22x1', '-e', 'LOG=debug', '--', 'x'];

  test('stands in the file with a warning if nobody can be asked', async () => {
    const home = createHome(commented);
    const { code, stdout, stderr } = await home.run(...add);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^! API_TOKEN is in the configuration as plain text\. --yes moves it to secrets\.env/);
    expect(stdout + stderr).not.toContain('hunter22');
    expect(read(home.config)).toContain('hunter22x1');
  });

  test('is found among the arguments and in a URL as well', async () => {
    const home = createHome(commented);
    const words = ['dev', 'x', '-e', 'X_TOKEN=abcdefgh1', '--', 'srv', '--api-key', 'sk-a1b2c3d4', '--token=t1u2v3w4'];
    const { stderr, code } = await home.run('add', ...words);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^! X_TOKEN, --api-key, --token are in the configuration as plain text\./);
    await home.run('undo', '--yes');
    expect((await home.run('add', '--yes', ...words)).code).toBe(0);
    expect((await home.run('add', '--yes', 'dev', 'y', 'https://me:pw123456@y.example/mcp')).code).toBe(0);
    expect(read(home.config)).toContain('"args": ["--api-key", "${secret:X_API_KEY}", "--token=${secret:X_TOKEN_2}"]');
    expect(read(home.config)).toContain('"url": "${secret:Y_URL}"');
    expect(read(secretsOf(home))).toBe(
      'X_TOKEN=abcdefgh1\nX_API_KEY=sk-a1b2c3d4\nX_TOKEN_2=t1u2v3w4\nY_URL=https://me:pw123456@y.example/mcp\n',
    );
  });

  test('is moved to secrets.env on the terminal unless somebody says no, and undo takes both back', async () => {
    linuxOnly('needs the script of util-linux');
    const home = createHome(commented);
    const terminal = runOnTerminal(add, { env: home.env, cwd: home.directory });
    // Enter is the safe answer.
    expect(await answerOn(terminal, '\r')).toBe(0);
    expect(terminal.screen()).toContain('readable by you alone? [Y/n]');
    expect(terminal.screen()).toContain('API_TOKEN would be in the configuration as plain text.');
    expect(terminal.screen()).not.toContain('hunter22');
    expect(read(home.config)).toContain('"env": { "API_TOKEN": "${secret:API_TOKEN}", "LOG": "debug" }');
    expect(read(secretsOf(home))).toBe('API_TOKEN=hunter22x1\n');
    expect(statSync(secretsOf(home)).mode & 0o777).toBe(0o600);
    await home.run('undo', '--yes');
    expect([read(home.config), existsSync(secretsOf(home))]).toEqual([commented, false]);
  });

  test('stays after a no, and nothing is changed after Ctrl-C', async () => {
    linuxOnly('needs the script of util-linux');
    const home = createHome(commented);
    const interrupted = runOnTerminal(add, { env: home.env, cwd: home.directory });
    expect(await answerOn(interrupted, '\u0003')).toBe(130);
    expect(interrupted.screen()).toContain('Nothing was changed.');
    expect(read(home.config)).toBe(commented);
    expect(await answerOn(runOnTerminal(add, { env: home.env, cwd: home.directory }), 'n\r')).toBe(0);
    expect(read(home.config)).toContain('hunter22x1');
    expect(existsSync(secretsOf(home))).toBe(false);
  });

  test('gets another name if that has another value, and each server gets its own alone', async () => {
    const home = createHome(commented);
    const { command = '', args } = fixture();
    for (const [name, value] of [
      ['one', 'first-1a'],
      ['two', 'second-2b'],
    ] as const)
      await home.run('add', 'dev', name, '-e', `API_TOKEN=${value}`, '--yes', '--', command, ...(args ?? []));
    expect(read(secretsOf(home))).toBe('API_TOKEN=first-1a\nAPI_TOKEN_2=second-2b\n');
    // The environment does not override them.
    const launch = prepareLaunch({ args: ['--config', home.config], env: { API_TOKEN: 'of-the-shell-3c' } });
    const agent = await connectAgentTo(launch, 'v2 legacy');
    const variables = async (server: string) => text(await agent.use('dev', server, 'env'));
    const [one, two] = [JSON.parse(await variables('one')), JSON.parse(await variables('two'))];
    expect([one.API_TOKEN, one.API_TOKEN_2, two.API_TOKEN, two.API_TOKEN_2]).toEqual([
      'first-1a',
      undefined,
      'second-2b',
      undefined,
    ]);
  });
});
