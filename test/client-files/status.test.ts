import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConnections } from '../../src/clients/connections.js';
import { quickConnections } from '../../src/clients/quick-connections.js';
import { clientFiles, createHome, type FixtureClient, type Home } from '../support/client-homes.js';
import { runOnTerminal } from '../support/commands.js';
import { linuxOnly } from '../support/platform.js';

linuxOnly('the places of the files are those of Linux, and script is of util-linux');

// The keys of the table are its clients.
const all = Object.keys(clientFiles) as FixtureClient[];

/** How clients stand at a glance, and by parsing their files in full. */
function bothViews(home: Home): [quick: object, full: object] {
  const computer = { env: {}, cwd: home.path, platform: process.platform, home: home.path };
  const states = (list: readonly { readonly client: { readonly name: string }; readonly state: string }[]) =>
    Object.fromEntries(list.map(({ client, state }) => [client.name, state]));
  return [
    states(quickConnections(computer)),
    states(readConnections(computer, undefined).filter(({ state }) => state !== 'absent')),
  ];
}

test('the quick look at the files of all clients sees what the parsers see, before and after connect', async () => {
  const home = createHome(all);
  const [before, parsedBefore] = bothViews(home);
  expect(before).toEqual(parsedBefore);
  expect(before).toEqual(Object.fromEntries(all.map((client) => [client, 'unconnected'])));
  for (const client of all) expect((await home.run('connect', client, '--yes')).code).toBe(0);
  const [after, parsedAfter] = bothViews(home);
  expect(after).toEqual(parsedAfter);
  expect(after).toEqual(Object.fromEntries(all.map((client) => [client, 'connected'])));
}, 60_000);

test('a fault is seen, an empty file or none is no fault, and a project of Claude Code counts', () => {
  const home = createHome();
  home.write('cursor', '{ "mcpServers": {');
  home.write('gemini', '');
  mkdirSync(join(home.path, '.qwen'));
  const workbench = { command: 'mcp-workbench' };
  home.write('claude-code', JSON.stringify({ projects: { '/code': { mcpServers: { workbench } } } }));
  home.write('codex', '# [mcp_servers.workbench]\n[other]\ncommand = "mcp-workbench"\n');
  const [quick, full] = bothViews(home);
  expect(quick).toEqual(full);
  expect(quick).toEqual({
    ...{ 'claude-code': 'connected', cursor: 'unreadable', codex: 'unconnected' },
    ...{ gemini: 'unconnected', qwen: 'unconnected' },
  });
});

test('the first screen has a line about clients, and names the command for one that is not connected', async () => {
  const home = createHome(['claude-code', 'cursor', 'vscode']);
  await home.run('connect', 'claude-code', '--yes');
  writeFileSync(home.fileOf('cursor'), '{');
  const terminal = runOnTerminal([], {
    env: { HOME: home.path, LANG: 'C.UTF-8', NO_COLOR: '1' },
    cwd: home.path,
    columns: 120,
  });
  expect(await terminal.exited).toBe(0);
  expect(terminal.screen()).toContain(
    '  Clients   Claude Code ✓   Cursor ! cannot be read (mcp-workbench connect says why)   VS Code – not connected\r\n',
  );
  expect(terminal.screen()).toMatch(/Next .*mcp-workbench connect vscode/s);
  expect(JSON.parse((await home.run('--json')).stdout).clients).toEqual([
    { client: 'claude-code', state: 'connected' },
    { client: 'cursor', state: 'unreadable' },
    { client: 'vscode', state: 'unconnected' },
  ]);
});
