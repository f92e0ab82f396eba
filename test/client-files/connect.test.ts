// @module-tag slow
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { clientFiles, createHome, type FixtureClient, goldenOf, namesIn, valuesOf } from '../support/client-homes.js';
import { answerOn, runOnTerminal } from '../support/commands.js';
import { linuxOnly } from '../support/platform.js';
import { until } from '../support/until.js';

const all = Object.keys(clientFiles) as FixtureClient[];
const secrets = /ghp_|lin_0|hunter22|another|00000000-0000|ada@/;

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
});

// As their files are written: JSON, JSON with comments, and TOML.
test.each(['cursor', 'zed', 'codex'] as const)(
  '%s has the servers that it had after disconnect, and a foreign change between survives',
  async (client) => {
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
  },
);

describe('the preview', () => {
  test('shows each entry, where it is served, and no secret; nothing is written without a yes', async () => {
    const home = createHome(['claude-code']);
    const before = home.read('claude-code');
    const { code, stdout, stderr } = await home.run('connect', 'claude-code');
    expect([code, stderr]).toEqual([2, 'Run it in a terminal, or with --yes.\n']);
    expect(stdout).toMatch(
      /^ {2}\+ {2}workbench +\S.*\Smain\.js'? --config ~\/\.config\/mcp-workbench\/workbench-config\.json/m,
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
    expect([code, stderr]).toEqual([1, expect.stringMatching(/others could not install .*; nothing was changed\.\n$/)]);
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
    expect(stdout).toMatch(/^✓ +cursor .*connected, 1 server beside it$/m);
    expect(stdout).toMatch(/^✗ +codex .*cannot be read\n {6}.*config\.toml:2:1 is not valid TOML/m);
    expect(stdout).toContain('Not found: claude-desktop, vscode');
  });

  test('finds servers that stand twice, and an entry whose script is gone', async () => {
    const home = createHome(['cursor', 'gemini']);
    await home.run('connect', 'cursor', '--keep', '--yes');
    await home.run('connect', 'gemini', '--yes');
    home.write('gemini', home.read('gemini').replace(/"[^"]*main\.js"/, '"/nowhere/mcp-workbench/1.0.0/main.js"'));
    const { stdout } = await home.run('connect');
    expect(stdout).toMatch(/^! +cursor .*2 of them twice/m);
    expect(stdout).toMatch(/^✗ +gemini .*does not start .*\n {6}the script of its entry is gone: \/nowhere/m);
  });
});

test('the tables of connect and undo fit 80 columns, and cut the start of paths', async () => {
  linuxOnly('needs a pseudo-terminal');
  const home = createHome(['claude-code', 'cursor']);
  await home.run('connect', 'cursor', '--yes');
  const file = join(home.path, 'a-directory-with-quite-a-long-name', 'and-another-one-below-it', 'mcp.json');
  await home.run('connect', 'vscode', '--file', file, '--yes');
  for (const [args, row] of [
    [['connect'], /^✓ {2}cursor {7}.*mcp\.json {2}connected, 1 server beside it$/m],
    [['undo', '--list'], /^1 {2}just now {2}connect vscode {2}….*another-one-below-it\/mcp\.json {2}new$/m],
  ] as const) {
    const terminal = runOnTerminal(args, { env: { HOME: home.path, LANG: 'C.UTF-8', NO_COLOR: '1' } });
    await terminal.exited;
    const lines = terminal.screen().replaceAll('\r', '');
    expect(lines).toMatch(row);
    expect(lines.split('\n').filter((line) => line.length > 80 && !line.includes('mcp-workbench '))).toEqual([]);
  }
});

test('where Claude Code has never run, its file is named, and not the home directory', async () => {
  const home = createHome([]);
  const { code, stderr } = await home.run('connect', 'claude-code');
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('Claude Code has not been used here yet: there is no ~/.claude.json. Start it once'),
  ]);
});
