import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseJsonc } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { answer, createFreshHome, type FreshHome, mcp, npx } from '../support/init-homes.js';
import { linuxOnly } from '../support/platform.js';
import { until } from '../support/until.js';

const write = 'Write this?';
const connect = 'Connect which clients?';
const enter = '\r';
const ctrlC = '\u0003';

function configOf(home: FreshHome) {
  return parseJsonc(readFileSync(home.config, 'utf8'));
}

const few = () =>
  createFreshHome({
    'claude-code': mcp({
      memory: npx('@modelcontextprotocol/server-memory'),
      github: npx('@modelcontextprotocol/server-github', {
        env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'ghp_0123456789abcdef' },
      }),
    }),
    cursor: mcp({
      memory: npx('@modelcontextprotocol/server-memory'),
      github: npx('@modelcontextprotocol/server-github', {
        env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'ghp_fedcba9876543210' },
      }),
    }),
    vscode: {
      inputs: [{ id: 'azure-key', type: 'promptString', description: 'Key of Azure', password: true }],
      servers: {
        azure: { type: 'stdio', command: 'npx', args: ['-y', '@azure/mcp'], env: { KEY: '${input:azure-key}' } },
      },
    },
  });

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
  test('nothing, and says how to write a file by hand', async () => {
    const home = createFreshHome();
    const { code, stdout, stderr } = await home.run('init');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('No server was found');
    expect(stdout).toContain('Write ~/.config/mcp-workbench/workbench-config.json by hand');
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
        description: 'Tools of files',
        mcpServers: { files: { command: 'x', args: ['$${HOME}'], callTimeoutMs: 90_000 } },
      },
    });
    expect(readFileSync(home.config, 'utf8')).toContain('// The agent chooses a toolbox by its description.');
  });

  test('equal servers once, others of the same name under another, and moves secrets', async () => {
    linuxOnly('the places of the files are those of Linux');
    const home = few();
    const before = home.contents();
    const { code, stdout } = await home.run('init', '--yes');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Found 5 entries in 3 clients, 4 different servers:$/m);
    expect(stdout).toMatch(/^ {2}Cursor +~\/\.cursor\/mcp\.json +2 {3}memory =, github ≠$/m);
    expect(stdout).toMatch(/^ {2}VS Code .* azure \(asks for "azure-key"\)$/m);
    expect(stdout).toContain('azure needs INPUT_AZURE_KEY (VS Code asked for it)');
    expect(stdout).toContain('2 secrets stand in plain text');
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
    const { stdout } = await home.run('init', '--yes');
    expect(stdout).toContain('pg (project shop)');
    expect(stdout).toMatch(
      /which others may have written, would run:\n {2}local: \.\/run '\$\{HOME\}'\n.*\n {2}here: x /,
    );
    expect(configOf(home).toolboxes).toMatchObject({
      shop: { mcpServers: { pg: { command: 'node', args: ['server.js'], cwd: '/code/shop' } } },
      work: {
        mcpServers: { local: { command: './run', cwd: home.cwd }, here: { args: [`${home.cwd}/a`], cwd: home.cwd } },
      },
    });
  });
});

describe('an existing configuration', () => {
  test('is added to, with its comments, and servers that it has are not added again', async () => {
    linuxOnly('the places of the files are those of Linux');
    const home = few();
    const own =
      '{\n  // mine\n  "toolboxes": { "dev": { "description": "d", "mcpServers": { "memory": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"] } } } }\n}\n';
    home.write('.config/mcp-workbench/workbench-config.json', own);
    const { stdout } = await home.run('init', '--yes');
    expect(stdout).toContain('has 1 toolbox already. New: 3 servers.');
    expect(readFileSync(home.config, 'utf8')).toContain('// mine');
    const { dev, everyday } = configOf(home).toolboxes;
    expect(Object.keys(dev.mcpServers)).toEqual(['memory']);
    expect(Object.keys(everyday.mcpServers)).toEqual(['github', 'github-cursor', 'azure']);
    const again = await home.run('init', '--yes');
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('New: nothing.') });
    await home.run('undo', '--yes');
    expect(readFileSync(home.config, 'utf8')).toBe(own);
  });

  test('named by --config is made if it is not there, and a faulty one is left alone', async () => {
    linuxOnly('the places of the files are those of Linux');
    const home = few();
    const file = join(home.path, 'elsewhere', 'w.json');
    expect((await home.run('init', '--yes', '--config', file)).code).toBe(0);
    expect(existsSync(file)).toBe(true);
    writeFileSync(file, '{ "toolboxes": 7 }');
    expect((await home.run('init', '--yes', '--config', file)).code).toBe(3);
    expect(readFileSync(file, 'utf8')).toBe('{ "toolboxes": 7 }');
  });
});

describe('bad input', () => {
  test('without a terminal and without --yes: the plan, and exit code 2', async () => {
    const home = few();
    const before = home.contents();
    const { code, stdout, stderr } = await home.run('init');
    expect([code, stderr]).toEqual([2, 'Run it in a terminal, or with --yes.\n']);
    expect(stdout).toContain('Would write');
    expect(home.contents()).toEqual(before);
  });

  test('a broken file, an unknown type and an entry of nothing are one line each; the rest goes on', async () => {
    linuxOnly('the places of the files are those of Linux');
    const home = createFreshHome({
      cursor: '{ "mcpServers": { "a": { "command": "x" } ',
      windsurf: mcp({
        good: { command: 'x' },
        odd: { type: 'pigeon', command: 'x' },
        empty: {},
        '': { command: 'y' },
        text: 'x',
      }),
    });
    const { code, stdout } = await home.run('init', '--yes');
    expect(code).toBe(0);
    const lines = stdout.split('\n').filter((line) => line.startsWith('  ! '));
    expect(lines).toEqual([
      expect.stringMatching(/Cursor +~\/\.cursor\/mcp\.json:1:\d+ is not valid JSON.*Left alone\.$/),
      expect.stringMatching(/Windsurf +"odd" is left alone: Not an allowed value/),
      expect.stringMatching(/Windsurf +"empty" is left alone: A server needs a command or a url/),
      expect.stringMatching(/Windsurf +"" is left alone: it has no name/),
      expect.stringMatching(/Windsurf +"text" is left alone: /),
    ]);
    expect(Object.keys(configOf(home).toolboxes.everyday.mcpServers)).toEqual(['good']);
  });

  test('names of every kind stay what they are', async () => {
    linuxOnly('the places of the files are those of Linux');
    const names = ['__proto__', '10', '2', 'a/b', 'a b', 'ü🙂', '-x', 'constructor', '${A}', 'x\ny', '"'];
    const text = `{"mcpServers":{${names.map((name) => `${JSON.stringify(name)}:{"command":"x","args":[${JSON.stringify(name)}]}`).join(',')}}}`;
    const home = createFreshHome({ cursor: text });
    expect((await home.run('init', '--yes')).code).toBe(0);
    const listed = JSON.parse((await home.run('list', '--json')).stdout);
    const servers = listed.toolboxes.flatMap(({ servers: all }: { servers: { name: string }[] }) =>
      all.map(({ name }) => name),
    );
    expect(new Set(servers)).toEqual(new Set(names));
  });

  test('10,000 entries', async () => {
    linuxOnly('the places of the files are those of Linux');
    const servers = Array.from({ length: 10_000 }, (_, index) => [
      `s${index}`,
      { command: 'x', args: [String(index)], env: { API_TOKEN: `tok_abcdef${index}` } },
    ]);
    const home = createFreshHome({ cursor: mcp(Object.fromEntries(servers)) });
    const { code, stdout } = await home.run('init', '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain('and 9960 more');
    expect(Object.keys(configOf(home).toolboxes.everyday.mcpServers)).toHaveLength(10_000);
  });

  test('a home that cannot be written is an error that names the file, and nothing is changed', async () => {
    linuxOnly('the places of the files are those of Linux');
    const home = few();
    // Also root cannot write there.
    home.write('.config/mcp-workbench', 'a file');
    const before = home.contents();
    const { code, stderr } = await home.run('init', '--yes', '--connect', 'all');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/\.config\/mcp-workbench.*Nothing was changed/s)]);
    expect(home.contents()).toEqual(before);
  });

  test('an unknown client of --connect is said with the nearest one, before anything else', async () => {
    const { code, stderr } = await few().run('init', '--connect', 'all,curser');
    expect([code, stderr]).toEqual([2, expect.stringContaining("No client 'all'")]);
    const other = await few().run('init', '--connect', 'curser', '--yes');
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("Did you mean 'cursor'?")]);
  });

  test('a client that cannot be connected is one line, and the others are', async () => {
    linuxOnly('the places of the files are those of Linux');
    const home = createFreshHome({
      cursor: mcp({ workbench: { command: 'docker' }, a: { command: 'x' } }),
      windsurf: mcp({ b: { command: 'y' } }),
    });
    const { code, stdout } = await home.run('init', '--yes', '--connect', 'all');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^! Cursor +cursor: an entry "workbench" is there that is not ours/m);
    expect(stdout).toMatch(/^✓ Windsurf +\+ workbench +− 1$/m);
    expect(readFileSync(home.fileOf('cursor'), 'utf8')).not.toContain('main.js');
  });
});

describe('on a terminal', () => {
  test('two questions are answered with keys; undo takes all back', async () => {
    linuxOnly('script of util-linux');
    const home = few();
    const before = home.contents();
    const terminal = home.onTerminal(['init']);
    await answer(terminal, write, enter);
    // The second client is left out.
    await answer(terminal, connect, `\u001B[B ${enter}`);
    expect(await terminal.exited).toBe(0);
    const screen = terminal.screen();
    expect(screen).toContain('◆ Connect which clients? Claude Code, VS Code');
    expect(screen).toMatch(/✓ Claude Code +\+ workbench +− 2/);
    expect(screen).toContain('Next   restart Claude Code and VS Code, and ask: what toolboxes do I have?');
    expect(home.contents()['.cursor/mcp.json']).toBe(before['.cursor/mcp.json']);
    expect(await home.run('undo', '--yes')).toMatchObject({ code: 0 });
    expect(home.contents()).toEqual(before);
  });

  test.each([
    ['the first question', [] as const],
    ['the second question', [enter] as const],
  ])('Ctrl-C at %s changes nothing', async (_, keys) => {
    linuxOnly('script of util-linux');
    const home = few();
    const before = home.contents();
    const terminal = home.onTerminal(['init']);
    for (const key of keys) await answer(terminal, write, key);
    await answer(terminal, keys.length === 0 ? write : connect, ctrlC);
    expect(await terminal.exited).toBe(130);
    expect(terminal.screen()).toContain('Nothing was changed.');
    expect(home.contents()).toEqual(before);
  });

  test('the file can be shown, secrets can stay where they are, and no means no', async () => {
    linuxOnly('script of util-linux');
    const home = few();
    const shown = home.onTerminal(['init', '--connect', 'none']);
    await answer(shown, write, `s${enter}`);
    await answer(shown, '"everyday": {', `n${enter}`);
    expect(await shown.exited).toBe(1);
    expect(shown.screen()).not.toContain('ghp_');
    expect(existsSync(home.config)).toBe(false);
    const kept = home.onTerminal(['init', '--connect', 'none']);
    await answer(kept, write, `2${enter}`);
    expect(await kept.exited).toBe(0);
    expect(existsSync(home.secrets)).toBe(false);
    expect(configOf(home).toolboxes.everyday.mcpServers.github.env.GITHUB_PERSONAL_ACCESS_TOKEN).toBe(
      'ghp_0123456789abcdef',
    );
  });

  test('a terminal that cannot draw gets numbers', async () => {
    linuxOnly('script of util-linux');
    const home = few();
    const terminal = home.onTerminal(['init'], ['env', 'TERM=dumb']);
    await answer(terminal, 'Number (1 to 4): ', '9\r');
    await until(() => terminal.screen().split('Number (1 to 4): ').length === 3);
    terminal.type('1\r');
    await answer(terminal, 'Numbers, all or none: ', `2\r`);
    expect(await terminal.exited).toBe(0);
    expect(terminal.screen()).toMatch(/✓ Cursor +\+ workbench/);
    expect(terminal.screen()).not.toMatch(/✓ VS Code/);
  });
});

test('--json gives the plan and what was written, without secrets', async () => {
  linuxOnly('the places of the files are those of Linux');
  const home = few();
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

test('disconnect takes back what init did to one client, and undo the rest', async () => {
  linuxOnly('the places of the files are those of Linux');
  const home = few();
  const before = home.contents();
  await home.run('init', '--yes', '--connect', 'all');
  expect((await home.run('disconnect', 'cursor', '--yes')).code).toBe(0);
  expect(home.contents()['.cursor/mcp.json']).toBe(before['.cursor/mcp.json']);
  expect(home.contents()['.claude.json']).not.toBe(before['.claude.json']);
  expect((await home.run('disconnect', 'cursor', '--yes')).stderr).toContain('is not connected');
  // The newest is the disconnection itself.
  expect((await home.run('undo', '2', '--yes')).code).toBe(0);
  expect(home.contents()).toEqual(before);
});

test('the first screen says what there is to bring together', async () => {
  linuxOnly('script of util-linux');
  const home = few();
  const terminal = home.onTerminal([]);
  expect(await terminal.exited).toBe(0);
  expect(terminal.screen()).toContain('Found 3 servers in Claude Code, Cursor and VS Code.');
  expect(terminal.screen()).toMatch(/Next +mcp-workbench init +bring them together/);
});

test('what is switched off in the working directory comes disabled, and keys of clients that are left out are one line', async () => {
  linuxOnly('the places of the files are those of Linux');
  const home = createFreshHome();
  const own = { projects: { [home.cwd]: { disabledMcpjsonServers: ['off'] } } };
  home.write('.claude.json', JSON.stringify(own));
  const web = npx('@playwright/mcp', { alwaysAllow: ['a'], trust: true });
  home.write('work/.mcp.json', JSON.stringify(mcp({ off: { command: 'x' }, web })));
  const { stdout, code } = await home.run('init', '--yes');
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
