import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { version } from '../../src/platform/version.js';
import { createHome, type FixtureClient, type Home } from '../support/client-homes.js';
import { devToolbox } from '../support/configs.js';
import { linuxOnly } from '../support/platform.js';
import { markerVariable, processesWith } from '../support/processes.js';
import { fixture } from '../support/servers.js';

linuxOnly('the places of the files are those of Linux');

/** A home whose clients have the server that the workbench serves, and another one. */
function homeOf(...clients: FixtureClient[]): Home {
  const home = createHome();
  const any = fixture();
  writeFileSync(join(home.path, '.config/mcp-workbench/workbench-config.json'), JSON.stringify(devToolbox({ any })));
  const mcpServers = { any, other: { command: 'other' } };
  for (const client of clients) home.write(client, JSON.stringify({ mcpServers }));
  return home;
}

const clientLines = (stdout: string) => stdout.split('\n').filter((line) => /^(?:Clients| {15}) *[^\sa-z]/.test(line));

test('doctor starts the entry of every client that is connected, and names the others', async () => {
  const home = homeOf('claude-code', 'cursor', 'gemini', 'windsurf', 'qwen');
  await home.run('connect', 'claude-code', '--yes');
  await home.run('connect', 'cursor', '--keep', '--yes');
  await home.run('connect', 'gemini', '--yes');
  home.write('gemini', home.read('gemini').replace(process.execPath, '/nowhere/v22.11.0/bin/node'));
  home.write('qwen', '{ "mcpServers": [');
  const { code, stdout } = await home.run('doctor');
  expect(code).toBe(4);
  expect(clientLines(stdout)).toEqual([
    expect.stringMatching(/^Clients {8}✓ claude-code +entry starts in \d+\.\d s, 1 server left beside it$/),
    expect.stringMatching(
      /^ {15}! cursor +entry starts in \d+\.\d s, 2 servers left beside it, 1 of them twice: any +mcp-workbench connect cursor$/,
    ),
    expect.stringMatching(
      /^ {15}✗ gemini +the program of its entry is gone: \/nowhere\/v22\.11\.0\/bin\/node +mcp-workbench connect gemini$/,
    ),
    expect.stringMatching(/^ {15}– windsurf +not connected, 2 servers start with it +mcp-workbench connect windsurf$/),
    expect.stringMatching(/^ {15}! qwen +cannot be read: ~\/\.qwen\/settings\.json:1:\d+ /),
  ]);
  expect(stdout).toContain('1 of 1 server is ok.');

  const { clients, well } = JSON.parse((await home.run('doctor', '--json')).stdout);
  expect(well).toBe(false);
  expect(clients).toMatchObject([
    { client: 'claude-code', state: 'well', startMs: expect.any(Number), workbench: version, servers: ['other'] },
    { client: 'cursor', state: 'well', servers: ['any', 'other'], doubled: ['any'] },
    { client: 'gemini', state: 'failed', reason: expect.stringContaining('is gone') },
    { client: 'windsurf', state: 'unconnected', file: home.fileOf('windsurf'), servers: ['any', 'other'] },
    { client: 'qwen', state: 'unreadable', reason: expect.stringContaining('is not valid JSON') },
  ]);
});

test('an entry that does not start, or starts another version, is found; its process is ended', async () => {
  const home = homeOf();
  const directory = join(home.path, 'mcp-workbench', '0.0.1');
  const env = { [markerVariable]: home.path };
  const enter = (entry: object) =>
    home.write('cursor', JSON.stringify({ mcpServers: { workbench: { ...entry, env } } }));
  enter({ command: 'mcp-workbench' });
  expect(clientLines((await home.run('doctor')).stdout)).toEqual([
    expect.stringMatching(/✗ cursor +it does not start: spawn mcp-workbench ENOENT +mcp-workbench connect cursor$/),
  ]);
  mkdirSync(directory, { recursive: true });
  // It does not end with its input.
  const answer = '{"id":1,"result":{"serverInfo":{"name":"x","version":"0.0.1"}}}';
  const script = `process.stdin.once('data', () => console.log('${answer}')); setInterval(() => {}, 1e6);`;
  writeFileSync(join(directory, 'main.js'), script);
  enter({ command: process.execPath, args: [join(directory, 'main.js')] });
  const { code, stdout } = await home.run('doctor');
  expect(code).toBe(0);
  expect(clientLines(stdout)).toEqual([
    expect.stringMatching(
      /! cursor .*\(version 0\.0\.1, this is .*\), 0 servers left beside it +mcp-workbench connect/,
    ),
  ]);
  expect(processesWith(home.path)).toEqual([]);
});

test('one toolbox or server is checked without clients', async () => {
  const home = homeOf('cursor');
  const { code, stdout } = await home.run('doctor', 'dev');
  expect(code).toBe(0);
  expect(stdout).not.toContain('Clients');
  expect(JSON.parse((await home.run('doctor', 'dev', 'any', '--json')).stdout).clients).toEqual([]);
});
