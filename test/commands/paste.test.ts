import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openTerminal, runCommand } from '../support/commands.js';
import { createHome, type Home } from '../support/homes.js';
import { answer } from '../support/init-homes.js';
import { prepareLaunch } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';

const two = {
  toolboxes: {
    dev: { mcpServers: { a: { command: 'x' } } },
    data: { mcpServers: { sql: { command: 'y' } } },
  },
};
const toolboxesOf = (home: Home) => JSON.parse(readFileSync(home.config, 'utf8')).toolboxes;
const link = `cursor://anysphere.cursor-deeplink/mcp/install?name=ctx&config=${btoa('{"command":"npx","args":["ctx"]}')}`;

test('add takes what a vendor prints, says what it would run, and undo takes it back', async () => {
  const home = createHome();
  const json = JSON.stringify({ mcpServers: { gh: { command: 'gh-mcp', env: { GH_TOKEN: 'ghp_0123456789abcdef' } } } });
  const first = await home.run('add', json);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toMatch(/^This would run:\n {2}gh: gh-mcp\n/);
  expect(first.stdout).toContain('✓ everyday gh   added, to a new file');
  expect(first.stdout).not.toContain('ghp_');
  expect(readFileSync(join(dirname(home.config), 'secrets.env'), 'utf8')).toBe('GH_TOKEN=ghp_0123456789abcdef\n');
  // A line without quotes; the toolbox is the only one.
  expect(await home.run('add', 'claude', 'mcp', 'add', 'ctx', '--', 'npx', '-y', 'ctx')).toMatchObject({ code: 0 });
  expect(await home.run('add', link)).toMatchObject({ code: 0 });
  expect(toolboxesOf(home)).toEqual({
    everyday: {
      mcpServers: {
        gh: { command: 'gh-mcp', env: { GH_TOKEN: '${secret:GH_TOKEN}' } },
        ctx: { command: 'npx', args: ['-y', 'ctx'] },
        'ctx-2': { command: 'npx', args: ['ctx'] },
      },
    },
  });
  expect(await home.run('add', link)).toMatchObject({
    code: 0,
    stdout: 'Nothing is new. Already there: everyday ctx-2.\n',
  });
  for (const _ of [1, 2, 3]) await home.run('undo', '--yes');
  expect(existsSync(home.config)).toBe(false);
});

test('on a terminal a missing toolbox is asked for, and what a pasted text runs is confirmed', async () => {
  linuxOnly('needs the script of util-linux');
  const home = createHome(two);
  const { command, args, env, cwd } = prepareLaunch({ args: ['add', link], env: { ...home.env, NO_COLOR: '1' } });
  const terminal = openTerminal([command, ...args], { env, cwd, columns: 100 });
  await answer(terminal, 'Which toolbox?', '\u001B[B\u001B[B\r');
  await answer(terminal, 'Its name: ', 'docs\r');
  await answer(terminal, 'Add this? [Y/n]', '\r');
  expect(await terminal.exited).toBe(0);
  expect(terminal.screen()).toMatch(/ctx: npx ctx[^]*Add this\?[^]*docs ctx {3}added, in a new toolbox/);
  expect(terminal.screen()).toContain('mcp-workbench group   says what the new toolbox is for');
  expect(toolboxesOf(home)['docs']).toEqual({ mcpServers: { ctx: { command: 'npx', args: ['ctx'] } } });
});

test('import - reads the text from stdin, and asks on the terminal itself', async () => {
  linuxOnly('needs the script of util-linux');
  const home = createHome(two);
  const { command, args, env, cwd } = prepareLaunch({ args: ['import', '-'], env: { ...home.env, NO_COLOR: '1' } });
  const line = `echo '{"b":{"command":"z"}}' | "$0" "$@"`;
  const terminal = openTerminal(['sh', '-c', line, command, ...args], { env, cwd, columns: 100 });
  await answer(terminal, 'Write this?', '\r');
  expect(await terminal.exited).toBe(0);
  expect(toolboxesOf(home)['everyday']).toEqual({ mcpServers: { b: { command: 'z' } } });
});

test('import - without a terminal needs --yes, and names what is wrong with the text', async () => {
  const home = createHome(two);
  const run = (stdin: string, ...more: string[]) => runCommand(['import', '-', ...more], { env: home.env, stdin });
  expect(await run('{"b":{"command":"z"}}')).toMatchObject({
    code: 2,
    stderr: 'Run it in a terminal, or with --yes.\n',
  });
  expect(await run('{"b":')).toMatchObject({ code: 2, stderr: /^The text from stdin cannot be used\. 1:\d+ / });
  expect(await run('')).toMatchObject({ code: 2, stderr: /There is nothing in it/ });
  expect(await run('{"b":{"command":"z"}}', '--yes')).toMatchObject({ code: 2, stderr: /^Which toolbox\? / });
  expect(await run('[mcp_servers.b]\ncommand = "z"\nargs = ["${A}"]', '--toolbox', 'data', '--yes')).toMatchObject({
    code: 0,
  });
  expect(toolboxesOf(home)['data'].mcpServers).toMatchObject({ b: { command: 'z', args: ['$${A}'] } });
});
