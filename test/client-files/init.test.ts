import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../support/commands.js';
import { configOf, createFreshHome, type FreshHome, mcp, npx, threeClients } from '../support/init-homes.js';
import { linuxOnly } from '../support/platform.js';

/** 40 servers over nine clients; each has five, of which one is the same in all and one has the same name with other content. */
function many(count: number): FreshHome {
  const block = (client: string) =>
    Object.fromEntries(
      [
        ['memory', npx('@modelcontextprotocol/server-memory')],
        [
          'github',
          npx('@modelcontextprotocol/server-github', {
            env: { GITHUB_PERSONAL_ACCESS_TOKEN: `ghp_0123456789${client}` },
          }),
        ],
        ['browser', npx('@playwright/mcp', { env: { PROFILE: client } })],
        [`pg ${client}`, npx('@modelcontextprotocol/server-postgres')].map((part, index) =>
          index === 0
            ? part
            : { ...(part as object), args: ['-y', '@modelcontextprotocol/server-postgres', `db-${client}`] },
        ),
        [`own-${client}`, { command: 'node', args: [`${client}.js`] }],
      ].slice(0, count) as [string, object][],
    );
  const opencode = Object.fromEntries(
    Object.entries(block('opencode')).map(([name, value]) => {
      const { command, args, env } = value as { command: string; args: string[]; env?: object };
      return [name, { type: 'local', command: [command, ...args], ...(env && { environment: env }) }];
    }),
  );
  const toml = Object.entries(block('codex')).map(([name, value]) => {
    const { command, args, env = {} } = value as { command: string; args: string[]; env?: Record<string, string> };
    const table = Object.entries(env).map(([key, text]) => `${key} = ${JSON.stringify(text)}`);
    return `[mcp_servers.${JSON.stringify(name)}]\ncommand = "${command}"\nargs = ${JSON.stringify(args)}\nenv = { ${table.join(', ')} }\n`;
  });
  return createFreshHome({
    'claude-code': mcp(block('claude')),
    'claude-desktop': mcp(block('desktop')),
    cursor: mcp(block('cursor')),
    vscode: { servers: block('vscode') },
    codex: toml.join('\n'),
    gemini: mcp(block('gemini')),
    opencode: { mcp: opencode },
    windsurf: mcp(block('windsurf')),
    zed: { context_servers: block('zed') },
  });
}

describe('init finds', () => {
  test('nothing, and says how to add a server', async () => {
    const home = createFreshHome();
    const { code, stdout, stderr } = await home.run('init');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('No server was found');
    expect(stdout).toContain('it goes into ~/.config/mcp-workbench/workbench-config.json');
    expect(stdout).toContain('mcp-workbench add dev files -- npx');
    expect(existsSync(home.config)).toBe(false);
  });

  test('one server, which goes into everyday', async () => {
    linuxOnly('the places of the files are those of Linux');
    const home = createFreshHome({
      zed: { context_servers: { files: { command: 'x', args: ['${HOME}'], timeout: 90 } } },
    });
    const { code, stdout } = await home.run('init', '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain('Found 1 entry in 1 client:');
    expect(configOf(home).toolboxes).toEqual({
      everyday: {
        mcpServers: { files: { command: 'x', args: ['$${HOME}'], callTimeoutMs: 90_000 } },
      },
    });
  });

  test('equal servers once, others of the same name under another, and moves secrets', async () => {
    linuxOnly('the places of the files are those of Linux');
    const home = threeClients();
    const before = home.contents();
    const { code, stdout } = await home.run('init', '--yes');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Found 5 entries in 3 clients, 4 different servers:$/m);
    expect(stdout).toMatch(/^ {2}Cursor +~\/\.cursor\/mcp\.json +2 {3}memory =, github ≠$/m);
    expect(stdout).toMatch(/^ {2}VS Code .* azure \(asks for "azure-key"\)$/m);
    expect(stdout).toContain('azure needs INPUT_AZURE_KEY (VS Code asked for it)');
    expect(stdout).toContain('2 secrets are in plain text');
    expect(stdout).not.toMatch(/ghp_/);
    const { everyday } = configOf(home).toolboxes;
    expect(Object.keys(everyday.mcpServers)).toEqual(['memory', 'github', 'github-cursor', 'azure']);
    expect(everyday.mcpServers.github.env.GITHUB_PERSONAL_ACCESS_TOKEN).toMatch(/^\$\{secret:\w+\}$/);
    expect(readFileSync(home.config, 'utf8')).toContain(
      '// VS Code asked for "Key of Azure". Set the variable INPUT_AZURE_KEY.',
    );
    expect(readFileSync(home.secrets, 'utf8')).toMatch(/ghp_0123456789abcdef[^]*ghp_fedcba9876543210/);
    expect([home.secrets, home.config].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
    // Nothing is connected, so no client has changed.
    expect(home.contents()).toMatchObject(before);
    expect((await home.run('validate')).code).toBe(0);
    expect((await home.run('undo', '--yes')).code).toBe(0);
    expect(home.contents()).toEqual(before);
  });

  test('12 servers: those for the web and for data have toolboxes of their own', async () => {
    linuxOnly('the places of the files are those of Linux');
    const own = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`own ${index}`, { command: 'node', args: [`${index}.js`] }]),
    );
    const home = createFreshHome({
      'claude-code': mcp({
        ...own,
        browser: npx('@playwright/mcp@latest'),
        pg: npx('@modelcontextprotocol/server-postgres'),
      }),
      cursor: mcp({ search: npx('tavily-mcp') }),
    });
    await home.run('init', '--yes');
    const { toolboxes } = configOf(home);
    expect(Object.keys(toolboxes)).toEqual(['everyday', 'web', 'data']);
    expect(Object.keys(toolboxes.web.mcpServers)).toEqual(['browser', 'search']);
    expect(Object.keys(toolboxes.data.mcpServers)).toEqual(['pg']);
    // A variable that the package reads, and that clients would have passed on.
    expect(toolboxes.web.mcpServers.search.env_vars).toEqual(['TAVILY_API_KEY']);
  });

  test('40 servers over nine clients, with clashes, and every client gets all bytes back', async () => {
    linuxOnly('the places of the files are those of Linux');
    const home = many(5);
    const before = home.contents();
    const { code, stdout, stderr } = await home.run('init', '--yes', '--connect', 'all');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Found 45 entries in 9 clients, 37 different servers:');
    expect(stdout).toContain('Processes when all 9 run: 45 → 9.');
    const { toolboxes } = configOf(home);
    expect(Object.keys(toolboxes)).toEqual(['everyday', 'web', 'data']);
    expect(Object.values(toolboxes).flatMap((toolbox) => Object.keys(Object(toolbox).mcpServers))).toHaveLength(37);
    expect((await home.run('undo', '--list', '--json')).stdout).toContain('"command":"init"');
    expect(JSON.parse((await home.run('undo', '--list', '--json')).stdout).changes).toHaveLength(1);
    expect((await home.run('undo', '--yes')).code).toBe(0);
    expect(home.contents()).toEqual(before);
  });

  test('servers of projects: theirs in ~/.claude.json, and the files of the working directory with what they run', async () => {
    linuxOnly('the places of the files are those of Linux');
    const home = createFreshHome({
      'claude-code': { projects: { '/code/shop': mcp({ pg: { command: 'node', args: ['server.js'] } }) } },
    });
    home.write('work/.mcp.json', JSON.stringify(mcp({ local: { command: './run', args: ['${HOME}'] } })));
    home.write(
      'work/.vscode/mcp.json',
      JSON.stringify({ servers: { here: { command: 'x', args: ['${workspaceFolder}/a'] } } }),
    );
    const { stdout } = await home.run('init', '--yes', '--project');
    expect(stdout).toContain('pg (project shop)');
    expect(stdout).toMatch(
      /that others may have written would run:\n {2}local: \.\/run '\$\{HOME\}'\n.*\n.*\n {2}here: x /,
    );
    expect(configOf(home).toolboxes).toMatchObject({
      shop: { mcpServers: { pg: { command: 'node', args: ['server.js'], cwd: '/code/shop' } } },
      work: {
        mcpServers: { local: { command: './run', cwd: home.cwd }, here: { args: [`${home.cwd}/a`], cwd: home.cwd } },
      },
    });
  });
});

test('in the home directory, the own files of clients belong to no project', async () => {
  linuxOnly('the places of the files are those of Linux');
  const home = createFreshHome({ cursor: mcp({ a: { command: 'x' } }), codex: '' });
  const inHome = (...args: string[]) => runCommand(args, { env: { HOME: home.path }, cwd: home.path });
  expect((await inHome('init', '--yes')).stdout).not.toContain('others may have written');
  expect(Object.keys(configOf(home).toolboxes)).toEqual(['everyday']);
  expect((await inHome('connect', 'cursor', '--file', 'other.json', '--dry-run')).stdout).not.toContain(
    'shared by git',
  );
});

test('--json gives the plan and what was written, without secrets', async () => {
  linuxOnly('the places of the files are those of Linux');
  const home = threeClients();
  const dry = await home.run('init', '--dry-run', '--json');
  expect(JSON.parse(dry.stdout)).toMatchObject({
    ...{ version: 1, command: 'init', config: home.config, isNew: true, written: false },
    toolboxes: [{ name: 'everyday', isNew: true, servers: ['memory', 'github', 'github-cursor', 'azure'] }],
    inputs: [{ server: 'azure', id: 'azure-key', variable: 'INPUT_AZURE_KEY', question: 'Key of Azure' }],
  });
  const done = await home.run('init', '--yes', '--connect', 'cursor', '--json');
  expect(JSON.parse(done.stdout)).toMatchObject({
    written: true,
    undo: 'mcp-workbench undo',
    clients: [{ client: 'cursor', removed: [{}, {}] }],
  });
  expect(dry.stdout + done.stdout).not.toMatch(/ghp_/);
});

test('the first screen says what there is to bring together', async () => {
  linuxOnly('script of util-linux');
  const home = threeClients();
  const terminal = home.onTerminal([]);
  expect(await terminal.exited).toBe(0);
  // As many as init finds: two of them have the same name.
  expect(terminal.screen()).toContain('Found 4 servers in Claude Code, Cursor and VS Code.');
  expect(terminal.screen()).toMatch(/Next +mcp-workbench init +bring them together/);
});

test('what is switched off in the working directory comes disabled, and keys of clients that are left out are one line', async () => {
  linuxOnly('the places of the files are those of Linux');
  const home = createFreshHome();
  const own = { projects: { [home.cwd]: { disabledMcpjsonServers: ['off'] } } };
  home.write('.claude.json', JSON.stringify(own));
  const web = npx('@playwright/mcp', { alwaysAllow: ['a'], trust: true });
  home.write('work/.mcp.json', JSON.stringify(mcp({ off: { command: 'x' }, web })));
  const { stdout, code } = await home.run('init', '--yes', '--project');
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('off (disabled): x') });
  expect(stdout).toContain('\n  Left out, because only clients use them: alwaysAllow (web), trust (web).\n');
  expect(stdout).toContain(
    '\n  web: "perSession" gives every session its own process, with its own browser or terminal.\n',
  );
  expect(configOf(home).toolboxes.work.mcpServers).toMatchObject({
    off: { command: 'x', disabled: true },
    web: { perSession: true },
  });
});
