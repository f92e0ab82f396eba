import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { isRecord } from '../../src/jsonrpc/json.js';
import { clientFiles, createHome, type FixtureClient, goldenOf, type Home } from '../support/client-homes.js';
import { answerOn, runOnTerminal } from '../support/commands.js';
import { linuxOnly } from '../support/platform.js';
import { until } from '../support/until.js';

const all = Object.keys(clientFiles) as FixtureClient[];
const secrets = /ghp_|lin_0|hunter22|another|00000000-0000|ada@/;

/** What lies in a directory of the home, without the directories of the workbench itself. */
function namesIn(home: Home, directory = ''): string[] {
  return readdirSync(join(home.path, directory)).filter((name) => name !== '.local');
}

describe.each(all)('%s', (client) => {
  test('gets one entry, loses what the workbench serves, and gets every byte back', async () => {
    linuxOnly('the places of the files are those of Linux');
    const home = createHome([client]);
    const before = home.read(client);
    const { mode } = statSync(home.fileOf(client));
    const connected = await home.run('connect', client, '--yes');
    expect(connected).toMatchObject({ code: 0, stderr: '' });
    expect(connected.stdout).toContain('what toolboxes do I have?');
    expect(connected.stdout).toContain(`Undo: mcp-workbench disconnect ${client}`);
    expect(connected.stdout).not.toMatch(secrets);
    expect(home.read(client)).toBe(goldenOf(client, home));
    expect(statSync(home.fileOf(client)).mode).toBe(mode);
    expect(await home.run('disconnect', client, '--yes')).toMatchObject({ code: 0, stderr: '' });
    expect(home.read(client)).toBe(before);
    const directory = join(home.fileOf(client), '..');
    expect(readdirSync(directory).filter((name) => /\.tmp$|\.lock$/.test(name))).toEqual([]);
  });

  test('has the servers that it had, and a foreign change between survives', async () => {
    linuxOnly('the places of the files are those of Linux');
    const home = createHome([client]);
    const before = valuesOf(home, client);
    await home.run('connect', client, '--yes');
    const text = home.read(client);
    const isToml = home.fileOf(client).endsWith('.toml');
    // As the client itself would do it.
    home.write(client, isToml ? `${text}\n[tui]\ntheme = "dark"\n` : text.replace('{', '{ "fontSize": 13,'));
    const { stdout } = await home.run('disconnect', client, '--yes');
    expect(stdout).toContain('changed since. Only our edits are undone');
    expect(valuesOf(home, client)).toEqual(
      isToml ? { ...before, tui: { theme: 'dark' } } : { ...before, fontSize: 13 },
    );
  });
});

function valuesOf(home: Home, client: FixtureClient): Record<string, unknown> {
  const text = home.read(client).replace(/^\uFEFF/, '');
  const value: unknown = home.fileOf(client).endsWith('.toml') ? parseToml(text) : parseJsonc(text);
  return isRecord(value) ? value : {};
}

describe('the preview', () => {
  test('shows each entry, where it is served, and no secret; nothing is written without a yes', async () => {
    const home = createHome(['claude-code']);
    const before = home.read('claude-code');
    const { code, stdout, stderr } = await home.run('connect', 'claude-code');
    expect([code, stderr]).toEqual([2, 'Run it in a terminal, or with --yes.\n']);
    expect(stdout).toMatch(
      /^ {2}\+ {2}workbench +\S+ \S+main\.js --config ~\/\.config\/mcp-workbench\/workbench-config\.json/m,
    );
    expect(stdout).toMatch(
      /^ {2}− {2}github +npx -y \S+server-github env GITHUB_PERSONAL_ACCESS_TOKEN=••• +now everyday github$/m,
    );
    expect(stdout).toMatch(
      /^ {2}− {2}pg +\(project \/code\/shop\) node server\.js env DATABASE_URL=••• +now shop pg$/m,
    );
    expect(stdout).toMatch(
      /^ {2}= {2}chrome +stays: it is not in the configuration +mcp-workbench import claude-code$/m,
    );
    expect(stdout).toMatch(/^ {2}= {2}pg +\(project \/code\/other\) stays/m);
    expect(stdout).not.toMatch(secrets);
    expect(home.read('claude-code')).toBe(before);
    expect(namesIn(home)).toEqual(['.claude.json', '.config']);
  });

  test('hides what may be a secret in an entry that no configuration could have', async () => {
    const home = createHome();
    const odd = {
      line: { command: 'docker run --env KEY=ghp_0123 image' },
      both: { command: 'x', args: ['--key=ghp_4567', 'hunter22', '--verbose'], cwd: 7 },
      remote: { url: 'https://example.com/hunter22?key=another', headers: 7 },
      workbench: { command: 'docker run hunter22' },
    };
    home.write('cursor', JSON.stringify({ mcpServers: odd }, undefined, 2));
    const taken = await home.run('connect', 'cursor', '--yes');
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringMatching(/is there that is not ours\. Nothing/)]);
    for (const options of [[], ['--diff'], ['--json']]) {
      const { code, stdout } = await home.run('connect', 'cursor', '--replace', '--dry-run', ...options);
      expect(code).toBe(0);
      expect(stdout).not.toMatch(secrets);
    }
  });

  test('is a diff with --diff, masked on both sides', async () => {
    const home = createHome(['claude-code', 'codex']);
    for (const client of ['claude-code', 'codex'] as const) {
      const { code, stdout } = await home.run('connect', client, '--diff', '--dry-run');
      expect(code).toBe(0);
      expect(stdout).toMatch(/^-.*server-github/m);
      expect(stdout).toMatch(/^\+.*main\.js/m);
      expect(stdout).not.toMatch(secrets);
    }
    expect(home.read('codex')).not.toContain('main.js');
  });

  test('is asked about on a terminal, and shown again if the file has changed meanwhile', async () => {
    linuxOnly('script of util-linux');
    const home = createHome(['cursor']);
    const terminal = runOnTerminal(['connect', 'cursor'], { env: { HOME: home.path }, cwd: home.path });
    await until(() => terminal.screen().includes('Write?'));
    home.write('cursor', home.read('cursor').replace('{', '{"fontSize":13,'));
    terminal.type('y\r');
    await until(() => terminal.screen().split('Write?').length === 3);
    expect(terminal.screen()).toContain('changed while you looked');
    terminal.type('y\r');
    expect(await terminal.exited).toBe(0);
    expect(valuesOf(home, 'cursor')).toMatchObject({ fontSize: 13, mcpServers: { workbench: {} } });
  });

  test('declined changes nothing', async () => {
    linuxOnly('script of util-linux');
    const home = createHome(['cursor']);
    const before = home.read('cursor');
    const terminal = runOnTerminal(['connect', 'cursor'], { env: { HOME: home.path }, cwd: home.path });
    expect(await answerOn(terminal, 'n\r')).toBe(1);
    expect(terminal.screen()).toContain('Nothing was changed.');
    expect(home.read('cursor')).toBe(before);
  });
});

describe('options', () => {
  test('--keep leaves every server, --name names the entry', async () => {
    const home = createHome(['gemini']);
    await home.run('connect', 'gemini', '--keep', '--name', 'my box', '--yes');
    expect(Object.keys(Object(valuesOf(home, 'gemini')['mcpServers']))).toEqual(['notion', 'my box']);
  });

  test('--json gives documents, also for what is written and undone', async () => {
    const home = createHome(['cursor']);
    const connected = JSON.parse((await home.run('connect', 'cursor', '--yes', '--json')).stdout);
    expect(connected).toMatchObject({
      ...{ version: 1, client: 'cursor', name: 'workbench', written: true },
      removed: [{ name: 'memory', servedBy: { toolbox: 'everyday', server: 'memory' } }, { name: 'notion' }],
      kept: [{ name: 'github' }],
    });
    const listed = JSON.parse((await home.run('undo', '--list', '--json')).stdout);
    expect(listed.changes).toMatchObject([{ number: 1, command: 'connect cursor', files: [home.fileOf('cursor')] }]);
    expect(JSON.parse((await home.run('undo', '--yes', '--json')).stdout)).toMatchObject({ written: true });
    expect(JSON.parse((await home.run('undo', '--yes', '--json')).stdout)).toMatchObject({
      error: { code: 'NOTHING_TO_UNDO' },
    });
  });

  test('--file names another file, which is made if it is not there and goes again', async () => {
    const home = createHome();
    const file = join(home.path, 'profile', 'mcp.json');
    await home.run('connect', 'vscode', '--file', file, '--yes');
    expect(JSON.parse(readFileSync(file, 'utf8')).servers.workbench.type).toBe('stdio');
    expect((await home.run('disconnect', 'vscode', '--file', file, '--yes')).stdout).toContain('is removed');
    expect(existsSync(file)).toBe(false);
  });

  test('--print prints the entry and the own command of the client; json and toml are for others', async () => {
    const home = createHome();
    const { stdout, stderr } = await home.run('connect', 'claude-code', '--print');
    expect(JSON.parse(stdout).mcpServers.workbench.alwaysLoad).toBe(true);
    expect(stderr).toContain("claude mcp add-json --scope user workbench '{");
    expect(parseToml((await home.run('connect', 'toml', '--print')).stdout)).toHaveProperty([
      'mcp_servers',
      'workbench',
      'command',
    ]);
    expect(JSON.parse((await home.run('connect', 'json', '--print')).stdout)).toHaveProperty([
      'mcpServers',
      'workbench',
      'args',
    ]);
    expect(namesIn(home)).toEqual(['.config']);
  });

  test('--project is refused for a version that nobody else could install', async () => {
    const home = createHome();
    const { code, stderr } = await home.run('connect', 'cursor', '--project', '--yes');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/others could not install.*Nothing was changed/)]);
    expect(namesIn(home)).toEqual(['.config']);
  });
});

describe('a server leaves', () => {
  test('if its secrets are in a file that all servers of the configuration share', async () => {
    const home = createHome(['claude-code']);
    const directory = join(home.path, '.config/mcp-workbench');
    writeFileSync(join(directory, 'secrets.env'), 'GH=ghp_0123456789abcdefABCDEF\nOTHER=unused-by-github\n', {
      mode: 0o600,
    });
    const github = {
      ...{ command: 'npx', args: ['-y', '@modelcontextprotocol/server-github'] },
      env: { GITHUB_PERSONAL_ACCESS_TOKEN: '${GH}' },
    };
    const memory = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'], env: { MEMORY_FILE: 'x' } };
    writeFileSync(
      join(directory, 'workbench-config.json'),
      JSON.stringify({
        envFile: 'secrets.env',
        toolboxes: { dev: { description: 'For tests', mcpServers: { github, memory } } },
      }),
    );
    const { stdout } = await home.run('connect', 'claude-code', '--dry-run', '--json');
    // The other one has a variable more in the configuration.
    expect(JSON.parse(stdout).removed).toEqual([{ name: 'github', servedBy: { toolbox: 'dev', server: 'github' } }]);
  });
});

describe('the table of clients', () => {
  test('says what each client has, and what is wrong', async () => {
    const home = createHome(['claude-code', 'cursor', 'codex']);
    await home.run('connect', 'cursor', '--yes');
    home.write('codex', 'a = \n');
    const { code, stdout } = await home.run('connect');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^○ +claude-code +~\/\.claude\.json +not connected, 6 servers +mcp-workbench connect claude-code$/m,
    );
    expect(stdout).toMatch(/^✓ +cursor .*connected as workbench, 1 server beside it$/m);
    expect(stdout).toMatch(/^✗ +codex .*cannot be read: .*config\.toml:2:1 is not valid TOML/m);
    expect(stdout).toContain('Not found: claude-desktop, vscode');
  });

  test('finds servers that stand twice, and an entry whose script is gone', async () => {
    const home = createHome(['cursor', 'gemini']);
    await home.run('connect', 'cursor', '--keep', '--yes');
    await home.run('connect', 'gemini', '--yes');
    home.write('gemini', home.read('gemini').replace(/"[^"]*main\.js"/, '"/nowhere/mcp-workbench/1.0.0/main.js"'));
    const { stdout } = await home.run('connect');
    expect(stdout).toMatch(/^! +cursor .*2 of them twice/m);
    expect(stdout).toMatch(/^✗ +gemini .*the script of its entry is gone: \/nowhere/m);
  });
});

describe('undo', () => {
  test('walks back from the last change, also over a disconnect', async () => {
    const home = createHome(['cursor', 'gemini']);
    const before = [home.read('cursor'), home.read('gemini')];
    await home.run('connect', 'cursor', '--yes');
    const connected = home.read('cursor');
    await home.run('connect', 'gemini', '--yes');
    await home.run('disconnect', 'cursor', '--yes');
    const { stdout } = await home.run('undo', '--list');
    expect(stdout).toMatch(/^1 +just now +disconnect cursor +~\/\.cursor\/mcp\.json\n2 +just now +connect gemini/);
    await home.run('undo', '--yes');
    expect(home.read('cursor')).toBe(connected);
    // The number is that of the list.
    await home.run('undo', '2', '--yes');
    expect(home.read('cursor')).toBe(before[0]);
    await home.run('undo', '--yes');
    expect(home.read('gemini')).toBe(before[1]);
    expect((await home.run('undo', '--yes')).stderr).toBe('There is nothing to undo.\n');
  });

  test('two connects are undone by one disconnect', async () => {
    const home = createHome(['cursor']);
    const before = home.read('cursor');
    await home.run('connect', 'cursor', '--keep', '--yes');
    expect((await home.run('connect', 'cursor', '--yes')).stdout).toContain('−  memory');
    expect((await home.run('connect', 'cursor', '--yes')).stdout).toContain('connected already');
    await home.run('disconnect', 'cursor', '--yes');
    expect(home.read('cursor')).toBe(before);
  });

  test('an entry that was added since under the same name stays, and ours goes even if it was edited', async () => {
    const home = createHome(['cursor']);
    await home.run('connect', 'cursor', '--yes');
    const theirs = '"memory":{"command":"docker"}';
    home.write(
      'cursor',
      home.read('cursor').replace('"mcpServers":{', `"mcpServers":{${theirs},`).replace('"--config"', '"-c"'),
    );
    const { stdout } = await home.run('disconnect', 'cursor', '--yes');
    expect(stdout).toMatch(/^ {2}! memory {3}changed or added since; it stays$/m);
    const servers = Object(valuesOf(home, 'cursor')['mcpServers']);
    expect(Object.keys(servers).sort()).toEqual(['github', 'memory', 'notion']);
    expect(servers.memory).toEqual({ command: 'docker' });
  });

  test('an entry that was pasted is taken out by disconnect, too', async () => {
    const home = createHome(['qwen']);
    home.write('qwen', '{ "mcpServers": { "w": { "command": "mcp-workbench" }, "x": { "command": "y" } } }');
    await home.run('disconnect', 'qwen', '--yes');
    expect(home.read('qwen')).toBe('{ "mcpServers": { "x": { "command": "y" } } }');
    expect((await home.run('disconnect', 'qwen', '--yes')).stderr).toContain('has no entry of ours');
  });

  test('the journal is for the user alone, and keeps 20 changes and every connection', async () => {
    linuxOnly('modes of files');
    const home = createHome(['cursor', 'gemini']);
    await home.run('connect', 'gemini', '--yes');
    for (let count = 0; count < 11; count++)
      for (const command of ['connect', 'disconnect']) await home.run(command, 'cursor', '--yes');
    const journal = join(home.path, '.local/state/mcp-workbench/journal');
    expect(statSync(journal).mode & 0o777).toBe(0o700);
    const names = readdirSync(journal);
    for (const name of names) expect(statSync(join(journal, name)).mode & 0o777).toBe(0o600);
    expect([names.length, names.includes('000001.json.gz')]).toEqual([21, true]);
  }, 60_000);
});

describe('bad input changes nothing and says where it is', () => {
  test.each([
    [
      '{ "mcpServers": {\n  "a": {} "b": {} } }',
      /mcp\.json:2:11 is not valid JSON: Missing comma\. Nothing was changed\. Correct it, or: mcp-workbench connect cursor --print/,
    ],
    ['{ "mcpServers": { "a": {}, "a": {} } }', /mcp\.json:1:28 has the key "a" twice\./],
    ['{ "mcpServers": {}, "mcpServers": {} }', /mcp\.json:1:21 has the key "mcpServers" twice\./],
    ['{ "mcpServers": "none" }', /mcp\.json:1:17 has something else than an object as "mcpServers"/],
    ['[]', /mcp\.json:1:1 is not a JSON object/],
    [
      '{ "mcpServers": { "workbench": { "command": "docker" } } }',
      /cursor: an entry "workbench" is there that is not ours \(command: docker\)\. Nothing was changed\. Use --name other, or --replace\./,
    ],
    ['\uFFFE{\0}\0', /not UTF-8/],
    ['['.repeat(200_000), /Nested too deeply/],
  ])('%.60s', async (text, expected) => {
    const home = createHome();
    home.write('cursor', text);
    const { code, stderr } = await home.run('connect', 'cursor', '--yes');
    expect(code).toBe(1);
    expect(stderr).toMatch(expected);
    expect(home.read('cursor')).toBe(text);
    expect(namesIn(home, '.cursor')).toEqual(['mcp.json']);
  });

  test('an inline or dotted TOML table is refused, and an inline entry stays', async () => {
    const home = createHome();
    home.write('codex', 'mcp_servers.a.command = "x"\n');
    const refused = await home.run('connect', 'codex', '--yes');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/config\.toml:1:1 has mcp_servers as an inline or dotted table.*--print/),
    ]);
    home.write(
      'codex',
      '[mcp_servers]\nmemory = { command = "npx", args = ["-y", "@modelcontextprotocol/server-memory"] }\n',
    );
    const { code, stdout } = await home.run('connect', 'codex', '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain('stays: it is written as an inline or dotted table; take it out by hand');
  });

  test('--replace overwrites an entry of that name, and undo brings it back', async () => {
    const home = createHome();
    const text = '{ "mcpServers": { "workbench": { "command": "docker" } } }';
    home.write('cursor', text);
    expect((await home.run('connect', 'cursor', '--replace', '--yes')).code).toBe(0);
    expect(home.read('cursor')).toContain('main.js');
    await home.run('undo', '--yes');
    expect(home.read('cursor')).toBe(text);
  });

  test('a client that is not there, and one that nobody knows', async () => {
    const home = createHome();
    expect(await home.run('connect', 'cursor', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Cursor was not found: there is no ~/.cursor.'),
    });
    expect(await home.run('connect', 'curser', '--yes')).toMatchObject({
      code: 2,
      stderr: "No client 'curser'. Did you mean 'cursor'?\n",
    });
    expect(await home.run('disconnect')).toMatchObject({ code: 2 });
    expect(await home.run('undo', 'x')).toMatchObject({ code: 2 });
    for (const command of ['connect', 'disconnect'])
      expect(await home.run(command, 'cursor', '--file', 'x', '--project', '--yes')).toMatchObject({ code: 2 });
    expect(await home.run('disconnect', 'cursor')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not connected'),
    });
  });

  test('no configuration, or one with faults', async () => {
    const home = createHome(['cursor']);
    const before = home.read('cursor');
    const config = join(home.path, '.config/mcp-workbench/workbench-config.json');
    writeFileSync(config, '{ "toolboxes": 1 }');
    expect(await home.run('connect', 'cursor', '--yes')).toMatchObject({ code: 3 });
    expect(await home.run('connect', 'cursor', '--yes', '--config', '/nowhere.json')).toMatchObject({ code: 3 });
    expect(home.read('cursor')).toBe(before);
  });

  test('a file of many megabytes', async () => {
    const home = createHome();
    home.write('cursor', `{ "x": "${'y'.repeat(31_000_000)}" }`);
    expect((await home.run('connect', 'cursor', '--yes')).stderr).toContain('it is larger than 30 MB');
    const large = `{"history":[${Array.from({ length: 60_000 }, (_, index) => `{"n":${index},"t":"${'z'.repeat(20)}"}`).join(',')}]}`;
    home.write('cursor', large);
    expect((await home.run('connect', 'cursor', '--yes')).code).toBe(0);
    await home.run('disconnect', 'cursor', '--yes');
    expect(home.read('cursor') === large).toBe(true);
  }, 60_000);

  test('a lock that nobody releases, and one that was left behind', async () => {
    const home = createHome(['claude-code']);
    const lock = join(home.path, '.claude.json.lock');
    mkdirSync(lock);
    const held = setInterval(() => utimesSync(lock, new Date(), new Date()), 500);
    const before = home.read('claude-code');
    const { code, stderr } = await home.run('connect', 'claude-code', '--yes');
    clearInterval(held);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/\.claude\.json\.lock is still there after 5 s.*Nothing was changed/),
    ]);
    expect(home.read('claude-code')).toBe(before);
    const old = new Date(Date.now() - 60_000);
    utimesSync(lock, old, old);
    expect((await home.run('connect', 'claude-code', '--yes')).code).toBe(0);
    expect(existsSync(lock)).toBe(false);
  }, 60_000);
});

test('links are followed: the file behind them is replaced, and they stay', async () => {
  linuxOnly('symbolic links need rights on Windows');
  const home = createHome(['claude-code']);
  const dotfiles = join(home.path, 'dotfiles');
  mkdirSync(dotfiles);
  writeFileSync(join(dotfiles, 'claude.json'), home.read('claude-code'), { mode: 0o640 });
  const linked = createHome();
  symlinkSync(join(dotfiles, 'claude.json'), linked.fileOf('claude-code'));
  await linked.run('connect', 'claude-code', '--yes');
  expect(readFileSync(join(dotfiles, 'claude.json'), 'utf8')).toContain('main.js');
  expect(statSync(join(dotfiles, 'claude.json')).mode & 0o777).toBe(0o640);
  expect(readdirSync(dotfiles)).toEqual(['claude.json']);
});
