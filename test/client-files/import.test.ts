import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseJsonc } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { answer, createFreshHome, type FreshHome, mcp, npx } from '../support/init-homes.js';
import { linuxOnly } from '../support/platform.js';

const toolboxesOf = (home: FreshHome) => parseJsonc(readFileSync(home.config, 'utf8')).toolboxes;

test('the servers of one client go into the toolbox that is named, those that are there are not added again', async () => {
  linuxOnly('the places of the files are those of Linux');
  const home = createFreshHome({
    cursor: mcp({ memory: npx('@modelcontextprotocol/server-memory'), notion: npx('@notionhq/notion-mcp-server') }),
    windsurf: mcp({ other: { command: 'x' } }),
  });
  expect((await home.run('import', 'cursor', '--toolbox', 'web', '--yes')).code).toBe(0);
  expect(toolboxesOf(home)).toMatchObject({
    web: { mcpServers: { memory: {}, notion: { env_vars: ['NOTION_TOKEN'] } } },
  });
  const again = await home.run('import', 'cursor', '--toolbox', 'web');
  expect(again).toMatchObject({ code: 0, stdout: 'Nothing is new. Already there: memory, notion.\n' });
  expect((await home.run('import', 'windsurf', '--toolbox', 'web', '--yes')).code).toBe(0);
  expect(Object.keys(toolboxesOf(home).web.mcpServers)).toEqual(['memory', 'notion', 'other']);
  for (const _ of [1, 2]) await home.run('undo', '--yes');
  expect(existsSync(home.config)).toBe(false);
});

test('a file is read in the words of the client that has such files', async () => {
  linuxOnly('paths');
  const home = createFreshHome();
  home.write('shop/.mcp.json', JSON.stringify(mcp({ pg: { command: 'node', args: ['s.js'] } })));
  home.write(
    'some/zed.json',
    JSON.stringify({ context_servers: { slow: { command: 'x', args: ['${A}'], timeout: 7 } } }),
  );
  home.write('some/codex.toml', '[mcp_servers.remote]\nurl = "https://x.test/mcp"\nbearer_token_env_var = "T"\n');
  for (const file of ['../shop/.mcp.json', '~/some/zed.json', '../some/codex.toml'])
    expect(await home.run('import', file, '--yes')).toMatchObject({ code: 0, stderr: '' });
  expect(toolboxesOf(home)).toMatchObject({
    shop: { mcpServers: { pg: { command: 'node', cwd: join(home.path, 'shop') } } },
    everyday: {
      mcpServers: {
        slow: { args: ['$${A}'], callTimeoutMs: 7_000 },
        remote: { url: 'https://x.test/mcp', headers: { Authorization: 'Bearer ${T}' } },
      },
    },
  });
});

test.each([
  ['curser', 2, "No client 'curser'. Did you mean 'cursor'?"],
  ['cursor', 2, 'Cursor has not been used here yet'],
  ['./none.json', 1, 'There is no file'],
  ['../empty.json', 1, 'has no servers. There is none of mcpServers'],
  ['../own.json', 1, 'It is a configuration of the workbench'],
  ['../broken.json', 1, ':1:'],
])('%s is an error, and nothing is written', async (word, exit, message) => {
  const home = createFreshHome();
  home.write('empty.json', '{}');
  home.write('own.json', '{ "toolboxes": {} }');
  home.write('broken.json', '{ "mcpServers": {');
  const { code, stderr } = await home.run('import', word, '--yes');
  expect([code, stderr]).toEqual([exit, expect.stringContaining(message)]);
  expect(existsSync(home.config)).toBe(false);
});

test('one question is asked on a terminal; Ctrl-C changes nothing', async () => {
  linuxOnly('script of util-linux');
  const home = createFreshHome({ cursor: mcp({ a: { command: 'x' } }) });
  const before = home.contents();
  const interrupted = home.onTerminal(['import', 'cursor']);
  await answer(interrupted, 'Write this?', '\u0003');
  expect(await interrupted.exited).toBe(130);
  expect(home.contents()).toEqual(before);
  const terminal = home.onTerminal(['import', 'cursor']);
  await answer(terminal, 'Write this?', '\r');
  expect(await terminal.exited).toBe(0);
  expect(terminal.screen()).toContain('Next   mcp-workbench connect cursor');
});
