// @module-tag hostile
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectAgent, opened, text } from '../support/agents.js';
import { Clone } from '../support/clones.js';
import { answerOn, runCommand, runOnTerminal } from '../support/commands.js';
import { temporaryDirectory } from '../support/launch.js';
import { linuxOnly, posixOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';

/** A repository with a configuration, in whose server a module is loaded by `NODE_OPTIONS`. */
function repository(entry: object = { envFile: '.env' }) {
  const clone = new Clone().module('evil.cjs');
  const home = temporaryDirectory();
  const options = { cwd: clone.root, env: { HOME: home, USERPROFILE: home } };
  const marked = { env: { WORKBENCH_TEST_MARKER: '${WORKBENCH_TEST_MARKER}' }, ...fixture(), ...entry };
  clone.json('workbench-config.json', { toolboxes: { shop: { description: 'd', mcpServers: { any: marked } } } });
  return {
    ...options,
    clone,
    options,
    home,
    evil: `NODE_OPTIONS=--require ${join(clone.root, 'evil.cjs')}\n`,
    trust: (...words: string[]) => runCommand(['trust', '--yes', ...words], options),
  };
}

async function openShop(options: { readonly cwd: string; readonly env: Record<string, string> }, args: string[] = []) {
  const agent = await connectAgent('v2 legacy', { ...options, args });
  const result = await agent.open('shop');
  return { agent, result, answer: text(result) };
}

describe('the files that a trusted configuration names', () => {
  posixOnly('the place of the list');

  test('an env file of a later commit runs no code, whether it is changed or new', async () => {
    for (const before of ['TOKEN=a\n', undefined]) {
      const { clone, options, trust, evil } = repository();
      if (before !== undefined) clone.write('.env', before);
      expect((await trust()).code).toBe(0);
      clone.write('.env', `${before ?? ''}${evil}`);
      const { agent, answer } = await openShop(options);
      expect(answer).toContain('Available toolboxes: getting-started');
      expect(agent.instructions).toContain('a file that it names has changed since the user trusted it');
      expect(agent.stderr()).toContain(`${join(clone.root, '.env')}, which`);
      expect(clone.isHijacked).toBe(false);
      expect((await runCommand(['trust', '--list'], options)).stdout).toContain('or a file that it names');
    }
  });

  test('what a file that it names would run is on the screen, also under the name of a secret', async () => {
    const { clone, options } = repository({ command: '${RUN_TOKEN}', args: [], envFile: '.env' });
    clone.write('.env', 'RUN_TOKEN=evilprogram\nAPI_TOKEN=swordfish99\nLOG\u001b[2J=/x\n');
    const { stdout } = await runCommand(['trust', '--dry-run'], options);
    const [, shown = ''] = stdout.split('Files here that it names:\n');
    expect(shown.split('\n').slice(0, 4)).toEqual([
      `  ${join(clone.root, '.env')}`,
      '    RUN_TOKEN=evilprogram',
      String.raw`    LOG\u{1B}[2J=/x`,
      '    1 other variable: API_TOKEN',
    ]);
    expect(stdout).not.toContain('swordfish99');
  });

  test('an env file that changes after the start of a session runs no code with its first call', async () => {
    const { clone, options, trust, evil } = repository();
    clone.write('.env', 'TOKEN=a\n');
    await trust();
    const agent = await connectAgent('v2 legacy', options);
    clone.write('.env', evil);
    const result = await agent.open('shop');
    expect(text(result)).toContain('not as it was when the configuration was trusted');
    expect(clone.isHijacked).toBe(false);
  });

  test('a rotated token is used without a new yes', async () => {
    const { clone, options, trust } = repository();
    clone.write('.env', 'API_TOKEN=first\n');
    await trust();
    clone.write('.env', 'API_TOKEN=other-and-longer-1234\n');
    expect(opened((await openShop(options)).result).servers_connected).toBe(1);
  });

  test('a file that becomes a link to a private key is not read, and cannot be trusted', async () => {
    const { clone, options, trust, home } = repository({ env: { API_TOKEN: '${file:key}' } });
    clone.write('key', 'harmless');
    await trust();
    writeFileSync(join(home, 'id_rsa'), 'private-key-canary');
    rmSync(join(clone.root, 'key'));
    symlinkSync(join(home, 'id_rsa'), join(clone.root, 'key'));
    expect((await openShop(options)).answer).toContain('Available toolboxes: getting-started');
    const { code, stderr, stdout } = await trust();
    expect(code).toBe(3);
    expect(stderr).toContain(`It names ${join(clone.root, 'key')}: it is a link that leads out of ${clone.root}.`);
    expect(stdout).not.toContain('private-key-canary');
  });

  test('variables that run code need the trust of the directory, not only that of the file', async () => {
    const { clone, options, trust, evil } = repository();
    clone.write('.env', evil);
    const { stdout } = await trust('workbench-config.json');
    expect(stdout).toContain(`NODE_OPTIONS=--require ${join(clone.root, 'evil.cjs')}\n`);
    expect((await openShop(options)).answer).toContain('it sets NODE_OPTIONS, which can make programs run code');
    expect(clone.isHijacked).toBe(false);
    await trust();
    await openShop(options);
    expect(clone.isHijacked).toBe(true);
  });

  test.each([
    ['the directory that a session works in', (): string => '${workspaceFolder}/.env'],
    ['a repository', (root: string) => join(root, '.env')],
  ])('an env file of %s runs no code for the user’s own configuration', async (_, envFile) => {
    const { clone, home, options, evil } = repository();
    mkdirSync(join(clone.root, '.git'));
    rmSync(join(clone.root, 'workbench-config.json'));
    const own = join(home, '.config', 'mcp-workbench');
    mkdirSync(own, { recursive: true });
    const entry = { ...fixture(), envFile: envFile(clone.root) };
    const content = { toolboxes: { shop: { description: 'd', mcpServers: { any: entry } } } };
    writeFileSync(join(own, 'workbench-config.json'), JSON.stringify(content));
    clone.write('.env', evil);
    expect((await openShop(options)).answer).toContain('it sets NODE_OPTIONS');
    expect(clone.isHijacked).toBe(false);
  });

  test('a command that adds a server and its secret keeps the trust, but not that of a file changed by others', async () => {
    const { clone, options, trust } = repository({ env: { A: '${secret:A}' } });
    clone.write('secrets.env', 'A=1\n');
    await trust();
    const add = (name: string) =>
      runCommand(['add', 'shop', name, '--yes', '-e', 'API_TOKEN=abcdefgh12345678', '--', 'node', 'x.js'], options);
    expect((await add('one')).code).toBe(0);
    const state = async () =>
      JSON.parse((await runCommand(['trust', '--list', '--json'], options)).stdout).trusted[0].state;
    expect(await state()).toBe('same');
    clone.write('secrets.env', `${readFileSync(join(clone.root, 'secrets.env'), 'utf8')}B=1\n`);
    expect(await state()).toBe('changed');
  });
});

describe('a configuration that a relative path names', () => {
  posixOnly('the place of the list');

  test.each([
    ['--config', ['--config', 'workbench-config.json'], {}, ['doctor', 'tools shop any', 'call shop any x', 'update']],
    // Every command finds it in the same way.
    ['WORKBENCH_CONFIG', [], { WORKBENCH_CONFIG: './workbench-config.json' }, ['serve']],
  ])('starts nothing before it is trusted where it is given by %s, but in CI', async (_, args, more, commands) => {
    const { clone, options, trust } = repository({ command: './run.sh', args: [] });
    clone.program('run.sh');
    const all = { ...options, env: { ...options.env, ...more } };
    for (const command of commands) {
      const { code, stderr } = await runCommand([...command.split(' '), ...args], all);
      expect([command, code]).toEqual([command, 3]);
      expect(stderr).toContain(`run: mcp-workbench trust ${join(clone.root, 'workbench-config.json')}`);
    }
    for (const command of [['validate'], ['list']]) expect((await runCommand([...command, ...args], all)).code).toBe(0);
    expect(clone.isHijacked).toBe(false);
    await runCommand(['doctor', ...args], { ...all, env: { ...all.env, CI: '1' } });
    expect(clone.isHijacked).toBe(true);
    rmSync(clone.trace);
    await trust('workbench-config.json');
    await runCommand(['doctor', ...args], all);
    expect(clone.isHijacked).toBe(true);
  });

  test('is not used through a link to a directory whose file is trusted', async () => {
    const { clone, options, home, trust } = repository({ command: './run.sh', args: [], envFile: '../.env' });
    await trust('workbench-config.json');
    symlinkSync(clone.root, join(home, 'linked'));
    const { code, stderr } = await runCommand(['doctor', '--config', 'linked/workbench-config.json'], {
      ...options,
      cwd: home,
    });
    expect([code, stderr]).toEqual([3, expect.stringContaining('a link leads to it')]);
  });

  test('is shown on a terminal at once, and used after a yes', async () => {
    linuxOnly('script of util-linux');
    const { clone, options } = repository({ command: './run.sh', args: [] });
    clone.program('run.sh');
    const start = () => runOnTerminal(['tools', 'shop', 'any', '--config', 'workbench-config.json'], options);
    const refused = start();
    expect(await answerOn(refused, 'n\r')).toBe(3);
    expect(refused.screen()).toContain('any: ./run.sh');
    expect(clone.isHijacked).toBe(false);
    const agreed = start();
    expect(await answerOn(agreed, 'y\r')).toBe(4);
    expect(clone.isHijacked).toBe(true);
  });
});
