import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runOnTerminal } from '../support/commands.js';
import { createHome, type Home, marked } from '../support/homes.js';
import { answer, createFreshHome, mcp } from '../support/init-homes.js';
import { linuxOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';

const read = (home: Home) => readFileSync(home.config, 'utf8');
const serverWith = (tools: string, ...more: string[]) => ({ ...fixture('--tools', tools, ...more), env: marked });

const config = () => ({
  toolboxes: {
    everyday: {
      mcpServers: {
        sql: serverWith('list_tables,run_query'),
        fs: serverWith('read_file,write_file,list_directory'),
        gone: { command: '/does/not/exist' },
        off: { command: '/never', disabled: true },
      },
    },
    mine: { description: 'My own', mcpServers: { echo: serverWith('echo') } },
  },
});

test('group proposes toolboxes by the tools of servers; Enter accepts, tools stay known, undo gives every byte back', async () => {
  linuxOnly('needs the script of util-linux');
  const home = createHome(config());
  const before = read(home);
  const terminal = runOnTerminal(['group'], { env: { ...home.env, NO_COLOR: '1' }, columns: 100 });
  await answer(terminal, 'Write this?', '\r');
  expect(await terminal.exited).toBe(0);
  const screen = terminal.screen();
  expect(screen).toMatch(/› starting 3 servers, to see their tools\s*$/m);
  // On a slow machine it replaces lines of progress, so something else may stand before it.
  expect(screen).toContain('› 2 of 3 listed them');
  expect(screen).toContain('! The tools of gone are not known, only the name.');
  expect(JSON.parse(read(home)).toolboxes).toMatchObject({
    mine: { description: 'My own' },
    files: { description: 'Files and folders: read_file, list_directory, write_file', mcpServers: { fs: {} } },
    everyday: { mcpServers: { sql: {}, gone: {}, off: {} } },
  });
  const { toolboxes } = JSON.parse((await home.run('list', '--json')).stdout);
  const states = toolboxes.flatMap((one: { servers: { name: string; state: string }[] }) => one.servers);
  expect(states.find(({ name }: { name: string }) => name === 'fs')).toMatchObject({ state: 'asleep' });
  expect(await home.run('undo', '--yes')).toMatchObject({ code: 0 });
  expect(read(home)).toBe(before);
});

test('group without a terminal needs --yes, and with --offline starts nothing and goes by names', async () => {
  const home = createHome(config());
  const before = read(home);
  expect(await home.run('group', '--offline')).toMatchObject({
    code: 2,
    stderr: /not known, only the names\.\nRun it in a terminal, or with --yes\.\n$/,
  });
  const dry = await home.run('group', '--offline', '--dry-run', '--json');
  expect(JSON.parse(dry.stdout)).toMatchObject({
    ...{ command: 'group', written: false },
    toolboxes: [
      { name: 'files', servers: [{ name: 'fs', from: 'everyday' }] },
      { name: 'everyday', servers: [{ name: 'sql' }, { name: 'gone' }, { name: 'off' }] },
    ],
  });
  expect(read(home)).toBe(before);
  expect(await home.run('group', 'mine', '--offline', '--yes')).toMatchObject({ code: 0 });
  expect(await home.run('group', 'nope')).toMatchObject({ code: 2, stderr: /No toolbox 'nope'/ });
});

test('init makes the proposal at its end once the tools are known, and before that names the command', async () => {
  linuxOnly('needs the script of util-linux');
  const { everyday } = config().toolboxes;
  const { sql, fs } = everyday.mcpServers;
  const home = createFreshHome({ cursor: mcp({ sql, fs, more: serverWith('run_sql') }) });
  const first = await home.run('init', '--yes', '--connect', 'cursor');
  expect(first.stdout).toContain('Then   mcp-workbench group');
  expect(await home.run('doctor', 'everyday')).toMatchObject({ code: 0 });
  const again = home.onTerminal(['init']);
  await answer(again, 'Write this?', '\r');
  expect(await again.exited).toBe(0);
  expect(again.screen()).toContain('2 toolboxes for 3 servers, by what their tools do:');
  const { toolboxes } = JSON.parse(readFileSync(home.config, 'utf8'));
  expect(Object.keys(toolboxes.files.mcpServers)).toEqual(['fs']);
  expect(Object.keys(toolboxes.data.mcpServers)).toEqual(['sql', 'more']);
});
