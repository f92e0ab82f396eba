// @module-tag slow
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseJsonc } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { clientFiles, createHome, type FixtureClient, type Home, valuesOf } from '../support/client-homes.js';
import { linuxOnly } from '../support/platform.js';

const url = 'http://127.0.0.1:4760/mcp';
const bearer = (text: string) => ({ headers: { Authorization: `Bearer ${text}` } });

/** What each client gets for the service of one person. */
const entries: Readonly<Partial<Record<FixtureClient, object>>> = {
  'claude-code': {
    type: 'http',
    url,
    headersHelper: expect.stringMatching(/main\.js'? token --headers$/),
    alwaysLoad: true,
  },
  cursor: { url, ...bearer('${env:MCP_WORKBENCH_TOKEN}') },
  vscode: { type: 'http', url, ...bearer('${input:workbench-token}') },
  codex: { url, bearer_token_env_var: 'MCP_WORKBENCH_TOKEN' },
  gemini: { httpUrl: url, ...bearer('$MCP_WORKBENCH_TOKEN') },
  opencode: { type: 'remote', url, enabled: true, ...bearer('{env:MCP_WORKBENCH_TOKEN}') },
  windsurf: { serverUrl: url, ...bearer('${env:MCP_WORKBENCH_TOKEN}') },
  zed: { url, ...bearer('<TOKEN>') },
  copilot: { type: 'http', url, tools: ['*'], deferTools: 'never', ...bearer('${MCP_WORKBENCH_TOKEN}') },
  qwen: { httpUrl: url, alwaysLoadTools: true, ...bearer('$MCP_WORKBENCH_TOKEN') },
};
const all = Object.keys(entries) as FixtureClient[];

const tokenOf = (home: Home) => readFileSync(join(home.path, '.local/share/mcp-workbench/http-token'), 'utf8').trim();

function entryIn(home: Home, client: FixtureClient): unknown {
  const values = valuesOf(home, client);
  const servers =
    values['mcpServers'] ?? values['servers'] ?? values['mcp_servers'] ?? values['context_servers'] ?? values['mcp'];
  const found: unknown = Object(servers)['workbench'] ?? Object(Object(servers)['servers'])['workbench'];
  return found;
}

/** The block `http` of the configuration. */
function serveAt(home: Home, http: object): void {
  const file = join(home.path, '.config/mcp-workbench/workbench-config.json');
  writeFileSync(file, JSON.stringify({ ...parseJsonc(readFileSync(file, 'utf8')), http }));
}

const team = { url: 'https://mcp.example.com/mcp', auth: { issuer: 'https://login.example.com' } };

describe.each(all)('%s over HTTP', (client) => {
  test('gets an entry with a URL, loses what the workbench serves, and gets every byte back', async () => {
    linuxOnly('the places of the files are those of Linux');
    const home = createHome([client]);
    chmodSync(home.fileOf(client), 0o600);
    const before = home.read(client);
    const connected = await home.run('connect', client, '--http', '--yes');
    expect(connected).toMatchObject({ code: 0, stderr: '' });
    const found = JSON.stringify(entryIn(home, client));
    expect(JSON.parse(client === 'zed' ? found.replace(tokenOf(home), '<TOKEN>') : found)).toEqual(entries[client]);
    expect(connected.stdout).toContain('The service has to run: mcp-workbench serve --http');
    expect(connected.stdout).toMatch(/replaced by workbench|workbench added/);
    expect(connected.stdout).toContain(`Undo: mcp-workbench disconnect ${client}`);
    expect(statSync(home.fileOf(client)).mode & 0o777).toBe(0o600);
    const again = await home.run('connect', client, '--http', '--yes');
    expect(again.stdout).toContain('is connected already');
    expect(await home.run('disconnect', client, '--yes')).toMatchObject({ code: 0, stderr: '' });
    expect(home.read(client)).toBe(before);
  });

  test('gets no token for a service with an issuer, and says that a login follows', async () => {
    linuxOnly('the places of the files are those of Linux');
    const home = createHome([client]);
    serveAt(home, team);
    const { code, stdout } = await home.run('connect', client, '--http', '--yes');
    expect([code, stdout]).toEqual([0, expect.stringContaining('opens a browser for your login')]);
    expect(JSON.stringify(entryIn(home, client))).toContain(team.url);
    expect(home.read(client)).not.toMatch(/MCP_WORKBENCH_TOKEN|workbench-token|headersHelper|Bearer/);
    expect(await home.run('disconnect', client, '--yes')).toMatchObject({ code: 0 });
  });
});

test('every client of the table has an entry over HTTP or says how it is connected instead', async () => {
  const home = createHome();
  for (const client of Object.keys(clientFiles)) {
    const { code, stdout, stderr } = await home.run('connect', client, '--http', '--print');
    if (client === 'claude-desktop') {
      expect([code, stderr]).toEqual([2, expect.stringContaining('mcp-workbench connect claude-desktop')]);
    } else expect([code, stdout]).toEqual([0, expect.stringContaining(url)]);
  }
  for (const form of ['json', 'toml'])
    expect(await home.run('connect', form, '--http', '--print')).toMatchObject({
      stdout: expect.stringContaining(url),
    });
});

test('printing an entry makes no token and shows none', async () => {
  const home = createHome();
  const { stdout, stderr } = await home.run('connect', 'zed', '--http', '--print');
  expect(stdout).toContain('Bearer TOKEN');
  expect(stderr).toContain('mcp-workbench token');
  expect(() => tokenOf(home)).toThrow('ENOENT');
  const vscode = await home.run('connect', 'vscode', '--http', '--print');
  expect(JSON.parse(vscode.stdout)).toMatchObject({ inputs: [{ id: 'workbench-token', password: true }] });
});

test('a token is text only in a file that nobody else can read, and in none of a project', async () => {
  linuxOnly('modes of files');
  const home = createHome(['zed']);
  chmodSync(home.fileOf('zed'), 0o644);
  const before = home.read('zed');
  const open = await home.run('connect', 'zed', '--http', '--yes');
  expect([open.code, open.stderr]).toEqual([1, expect.stringContaining('chmod 600')]);
  const project = await home.run('connect', 'zed', '--http', '--project', '--yes');
  expect([project.code, project.stderr]).toEqual([
    1,
    expect.stringContaining('a file of a project is no place for it'),
  ]);
  const named = await home.run('connect', 'zed', '--http', '--file', '.zed/settings.json', '--yes');
  expect([named.code, named.stderr]).toEqual([1, expect.stringContaining('belongs to a project')]);
  expect(home.read('zed')).toBe(before);
});

test('neither preview nor diff nor facts show a token that is written into a file', async () => {
  linuxOnly('modes of files');
  const home = createHome(['zed']);
  chmodSync(home.fileOf('zed'), 0o600);
  await home.run('token');
  const shown = [
    await home.run('connect', 'zed', '--http', '--dry-run'),
    await home.run('connect', 'zed', '--http', '--dry-run', '--diff'),
    await home.run('connect', 'zed', '--http', '--dry-run', '--json'),
    await home.run('connect', 'zed', '--http', '--yes', '--json'),
  ];
  for (const { code, stdout, stderr } of shown) {
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain(tokenOf(home));
  }
  expect(home.read('zed')).toContain(tokenOf(home));
});

describe('the question of VS Code', () => {
  const others = `{
  // mine
  "inputs": [
    // for azure
    { "id": "key", "type": "promptString" } ,
    // the last one
    { "id": "other", "type": "promptString" }
  ],
  "servers": {}
}
`;

  test('is added behind others, whose text and comments stay, and taken back to the byte', async () => {
    linuxOnly('the places of the files are those of Linux');
    const home = createHome();
    home.write('vscode', others);
    await home.run('connect', 'vscode', '--http', '--yes');
    const text = home.read('vscode');
    for (const line of others.split('\n').slice(1, 6)) expect(text).toContain(line.replace(/\s*,$/, ''));
    expect(valuesOf(home, 'vscode')['inputs']).toMatchObject([
      { id: 'key' },
      { id: 'other' },
      { id: 'workbench-token' },
    ]);
    await home.run('disconnect', 'vscode', '--yes');
    expect(home.read('vscode')).toBe(others);
  });

  test('is not added twice, and one that was added since stays', async () => {
    linuxOnly('the places of the files are those of Linux');
    const home = createHome();
    home.write('vscode', '{"servers":{}}');
    await home.run('connect', 'vscode', '--http', '--yes');
    expect(valuesOf(home, 'vscode')['inputs']).toHaveLength(1);
    await home.run('connect', 'vscode', '--http', 'http://localhost:4761/mcp', '--yes');
    expect(valuesOf(home, 'vscode')['inputs']).toHaveLength(1);
    home.write('vscode', home.read('vscode').replace('"inputs":[', '"inputs":[{"id":"mine"},'));
    await home.run('disconnect', 'vscode', '--yes');
    expect(valuesOf(home, 'vscode')).toMatchObject({ inputs: [{ id: 'mine' }, {}], servers: {} });
  });
});

test('the URL is that of the file, or the one that is typed; another computer needs no configuration here', async () => {
  const home = createHome();
  serveAt(home, { listen: '127.0.0.1:4999' });
  const entryFor = async (...words: string[]) =>
    JSON.parse((await home.run('connect', 'cursor', '--http', ...words, '--print', '--json')).stdout).entry;
  expect(await entryFor()).toMatchObject({ url: 'http://127.0.0.1:4999/mcp', headers: {} });
  expect(await entryFor('http://localhost:5000/mcp')).toMatchObject({ url: 'http://localhost:5000/mcp', headers: {} });
  // The token of this computer is nothing that another one should get.
  expect(await entryFor('https://mcp.example.com/mcp')).toEqual({ url: 'https://mcp.example.com/mcp' });
  const bare = createHome();
  rmSync(join(bare.path, '.config'), { recursive: true });
  const { code } = await bare.run('connect', 'cursor', '--http', 'https://mcp.example.com/mcp', '--print');
  expect(code).toBe(0);
});

test.each([
  ['http://mcp.example.com/mcp', 'Not https: tokens would be sent unencrypted'],
  ['https://user:secret@example.com/mcp', 'A URL with a user'],
  ['mcp.example.com', 'Not a URL'],
])('an address to which no client should be connected is refused: %s', async (address, why) => {
  const { code, stderr } = await createHome().run('connect', 'cursor', '--http', address, '--print');
  expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
  expect(stderr).not.toContain('secret@');
});

test('a client with an entry over HTTP counts as connected, also in the list of clients', async () => {
  linuxOnly('the places of the files are those of Linux');
  const home = createHome(['codex', 'cursor']);
  await home.run('connect', 'codex', '--http', 'http://127.0.0.1:4999/mcp', '--yes');
  serveAt(home, team);
  await home.run('connect', 'cursor', '--http', '--yes');
  const { clients } = JSON.parse((await home.run('connect', '--json')).stdout);
  const states = Object.fromEntries(clients.map(({ client, state }: Record<string, string>) => [client, state]));
  expect(states).toMatchObject({ codex: 'connected', cursor: 'connected' });
  const summary = JSON.parse((await home.run('--json')).stdout);
  expect(summary.clients).toContainEqual({ client: 'cursor', state: 'connected' });
  expect(summary.clients).toContainEqual({ client: 'codex', state: 'connected' });
});
