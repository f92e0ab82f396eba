import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectAgentTo, opened, text } from '../support/agents.js';
import { answerOn, runCommand, runOnTerminal } from '../support/commands.js';
import { createHome, type Home } from '../support/homes.js';
import { prepareLaunch } from '../support/launch.js';
import { linuxOnly, posixOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';

const commented = `// Mine.
{
  "toolboxes": {
    "dev": {
      "description": "Code", // the agent chooses by it
      "mcpServers": {
        // Reads issues.
        "github": { "command": "gh", "args": ["x"] }, // pinned
        "web": { "url": "https://a.example/mcp" }
      }
    },
    "data": { "description": "Data", "mcpServers": { "sql": { "command": "sql", "enabled": false } } }
  }
}
`;

const read = (file: string) => readFileSync(file, 'utf8');
const secretsOf = (home: Home) => join(dirname(home.config), 'secrets.env');

describe('every command keeps what it does not edit, and undo gives every byte back', () => {
  test.each<[string[], string, string]>([
    [
      ['add', 'dev', 'files', '--', 'npx', '-y', 'srv', '.'],
      `"https://a.example/mcp" }\n`,
      `"https://a.example/mcp" },\n        "files": {\n          "command": "npx",\n          "args": ["-y", "srv", "."]\n        }\n`,
    ],
    [
      ['add', 'data', 'sentry', 'https://mcp.sentry.dev/mcp', '--header', 'X-Key: ${KEY}'],
      '"enabled": false } } }',
      '"enabled": false }, "sentry": { "url": "https://mcp.sentry.dev/mcp", "headers": { "X-Key": "${KEY}" } } } }',
    ],
    [['disable', 'dev', 'web'], '"https://a.example/mcp" }', '"https://a.example/mcp", "disabled": true }'],
    [['enable', 'data', 'sql'], '"sql", "enabled": false }', '"sql" }'],
    [
      ['remove', 'dev', 'github'],
      `        // Reads issues.\n        "github": { "command": "gh", "args": ["x"] }, // pinned\n`,
      '',
    ],
    [
      ['remove', 'data', 'sql'],
      `    },\n    "data": { "description": "Data", "mcpServers": { "sql": { "command": "sql", "enabled": false } } }\n`,
      '    }\n',
    ],
  ])('%j', async (args, before, after) => {
    const home = createHome(commented);
    const written = await home.run(...args);
    expect(written).toMatchObject({ code: 0, stderr: '' });
    expect(written.stdout).toContain(`${args[1]} ${args[2]}   `);
    expect(written.stdout).toContain('sessions that run see it now.');
    expect(read(home.config)).toBe(commented.replace(before, after));
    expect(await home.run('validate')).toMatchObject({ code: 0 });
    expect(await home.run('undo', '--yes')).toMatchObject({ code: 0 });
    expect(read(home.config)).toBe(commented);
  });

  test('move, also to a new toolbox', async () => {
    const home = createHome(commented);
    const moved = await home.run('move', 'dev', 'github', 'new one', '--description', 'New');
    expect(moved).toMatchObject({ code: 0, stderr: '' });
    const shown = await home.run('list', 'new one', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ toolboxes: [{ name: 'new one', servers: [{ name: 'github' }] }] });
    expect(read(home.config)).toContain('// Reads issues.');
    await home.run('undo', '--yes');
    expect(read(home.config)).toBe(commented);
  });

  test('not with --dry-run, which writes nothing', async () => {
    const home = createHome(commented);
    for (const args of [
      ['add', 'dev', 'x', '--', 'x'],
      ['remove', 'data', 'sql'],
      ['move', 'dev', 'web', 'data'],
      ['disable', 'dev', 'web'],
      ['add', 'dev', 'x', '-e', 'TOKEN=abcdefgh1', '--yes', '--', 'x'],
    ]) {
      const { code, stdout } = await home.run(...args);
      expect(code).toBe(0);
      expect(stdout).not.toBe('');
      await home.run('undo', '--yes');
      const dry = await home.run(args[0] ?? '', '--dry-run', ...args.slice(1));
      expect(dry).toMatchObject({ code: 0 });
      expect(dry.stdout).toContain('would be');
      expect(read(home.config)).toBe(commented);
    }
    expect(existsSync(secretsOf(home))).toBe(false);
  });
});

describe('without a configuration', () => {
  test('add makes the file of the user, says so, and undo removes it', async () => {
    const home = createHome();
    const added = await home.run('add', 'dev', 'files', '--description', 'Files', '--', 'npx', 'srv');
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toContain('added, to a new file');
    expect(JSON.parse(read(home.config))).toEqual({
      toolboxes: { dev: { description: 'Files', mcpServers: { files: { command: 'npx', args: ['srv'] } } } },
    });
    await home.run('undo', '--yes');
    expect(existsSync(home.config)).toBe(false);
  });

  test('or the one that --config names', async () => {
    const home = createHome();
    const file = join(home.directory, 'other', 'mine.json');
    const args = ['add', 'dev', 'a', '--description', 'd', '--json', '--config', file, '--', 'a'];
    const { code, stdout } = await home.run(...args);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { version: 1, command: 'add', config: file, toolbox: 'dev', server: 'a', new: true, written: true },
    ]);
    expect(JSON.parse(read(file))).toMatchObject({ toolboxes: { dev: { mcpServers: { a: { command: 'a' } } } } });
    expect(existsSync(home.config)).toBe(false);
  });

  test('the others have nothing to edit', async () => {
    const home = createHome();
    for (const args of [
      ['remove', 'dev', 'a'],
      ['move', 'dev', 'a', 'b'],
      ['enable', 'dev', 'a'],
    ])
      expect(await home.run(...args)).toMatchObject({ code: 3, stderr: /no configuration yet/ });
    expect(existsSync(home.config)).toBe(false);
  });
});

describe('an error prints the whole corrected command, quoted for a shell, and changes nothing', () => {
  test.each<[string[], string]>([
    [
      ['add', 'dev', 'files', 'npx', '-y', 'srv', 'a b'],
      "Unknown option -y. The program comes after --:\n  mcp-workbench add dev files -- npx -y srv 'a b'",
    ],
    [
      ['add', 'dev', 'files', '-e', 'A', 'npx', 'srv'],
      "'npx' is not a URL. The program comes after --:\n  mcp-workbench add dev files -e A -- npx srv",
    ],
    [
      ['add', 'new', 'files', '--', 'npx', '$x'],
      "Toolbox 'new' does not exist. The agent chooses by its description; give one:\n  mcp-workbench add new files --description 'What it is for' -- npx '$x'",
    ],
    [
      ['add', 'dve', 'files', '--', 'npx'],
      "Toolbox 'dve' does not exist. The agent chooses by its description; give one:\n  mcp-workbench add dve files --description 'What it is for' -- npx\nOr did you mean 'dev'?\n  mcp-workbench add dev files -- npx",
    ],
    [
      ['add', 'dev', 'web', 'https://b.example'],
      "Toolbox 'dev' has a server 'web' already. Under another name:\n  mcp-workbench add dev web-2 https://b.example",
    ],
    [
      ['add', 'dev', 'x', '--description', 'Other', '--', 'x'],
      "Toolbox 'dev' has a description already. Without --description:\n  mcp-workbench add dev x -- x",
    ],
    [['add', 'dev', 'x'], "What is 'x'? Give a URL, or a program after --:\n  mcp-workbench add dev x -- COMMAND"],
    [
      ['add', 'dev', 'x', 'https://b.example', '-e', 'TOKEN=abcdefgh1', '--cwd=/x'],
      "--env is for programs, and this is a URL. A token goes into a header:\n  mcp-workbench add dev x https://b.example --header 'Authorization: Bearer ${TOKEN}'",
    ],
    [
      ['add', 'dev', 'x', '--header', 'A: b', '--', 'x'],
      '--header is for a URL, and this is a program. A token goes into a variable:\n  mcp-workbench add dev x -e TOKEN -- x',
    ],
    [
      ['add', 'dev', 'x', 'https://b.example', '--', 'x'],
      'Either a URL or a program, not both.\n  mcp-workbench add dev x -- x',
    ],
    [
      ['move', 'dev', 'web', 'new'],
      "Toolbox 'new' does not exist. The agent chooses by its description; give one:\n  mcp-workbench move dev web new --description 'What it is for'",
    ],
    [
      ['remove', 'github', 'x'],
      "No toolbox 'github'. A server of that name is in toolbox 'dev': mcp-workbench remove dev github x",
    ],
    [['disable', 'dev', 'gihub'], "No server 'gihub' in toolbox 'dev'. Did you mean 'github'? There are: github, web"],
  ])('%j', async (args, problem) => {
    const home = createHome(commented);
    expect(await home.run(...args)).toEqual({ code: 2, stdout: '', stderr: `${problem}\n` });
    expect(read(home.config)).toBe(commented);
  });

  test('but no secret of it', async () => {
    const home = createHome(commented);
    const args = ['add', 'dev', 'x', '-e', 'TOKEN=hunter22x1', '-eAPI_KEY=hunter22x1', 'npx', 'srv'];
    const { code, stderr } = await home.run(...args);
    expect([code, stderr]).toEqual([
      2,
      "'npx' is not a URL. The program comes after --:\n  mcp-workbench add dev x -e 'TOKEN=…' '-eAPI_KEY=…' -- npx srv\n",
    ]);
  });

  test('the corrected commands do what was meant', async () => {
    const home = createHome(commented);
    const { stderr } = await home.run('add', 'it', "o'n", 'npx', '-y', 'a b', '$HOME', '');
    const second = runShell(home, stderr.split('\n')[1] ?? '');
    const third = runShell(home, second.stderr.split('\n')[1] ?? '');
    expect(third).toMatchObject({ code: 0 });
    const { stdout } = await home.run('list', 'it', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ toolboxes: [{ name: 'it', servers: [{ name: "o'n" }] }] });
    expect(read(home.config)).toContain('"args": ["-y", "a b", "$HOME", ""]');
  });

  test('a file with faults is not edited', async () => {
    const home = createHome('{ "toolboxes": { "dev": { "mcpServers": {} } } }');
    const before = read(home.config);
    for (const args of [
      ['add', 'dev', 'a', '--', 'a'],
      ['remove', 'dev', 'a'],
    ])
      expect(await home.run(...args)).toMatchObject({ code: 3, stderr: /is not valid/ });
    expect(read(home.config)).toBe(before);
  });

  test('and a result that would be a fault is not written', async () => {
    const home = createHome(commented);
    expect(await home.run('add', 'dev', 'x', '--', 'x', '${')).toMatchObject({
      code: 3,
      stderr: /nothing was changed/,
    });
    expect(await home.run('add', '*', 'x', '--description', 'd', '--', 'x')).toMatchObject({ code: 3 });
    expect(read(home.config)).toBe(commented);
  });
});

/** A printed command, pasted into a shell. */
function runShell(home: Home, line: string) {
  posixOnly('sh parses the line');
  const { command, args } = prepareLaunch({});
  const program = line.trim().replace(/^mcp-workbench/, '"$NODE" "$MAIN"');
  const env = { ...process.env, ...home.env, NODE: command, MAIN: args[0] ?? '' };
  const { status, stderr } = spawnSync('sh', ['-c', program], { env, encoding: 'utf8', input: '' });
  return { code: status, stderr };
}

test('names that begin with - come after --, and the program after another one', async () => {
  const home = createHome(commented);
  expect(await home.run('add', '--description', 'd', '--', '-box', '--', '--', 'x', '-y')).toMatchObject({ code: 2 });
  expect(await home.run('add', '--description', 'd', '--', '-box', '-s', '--', 'x', '-y')).toMatchObject({ code: 0 });
  expect(read(home.config)).toContain('"-s": {\n          "command": "x",\n          "args": ["-y"]');
  expect(await home.run('remove', '--', '-box', '-s')).toMatchObject({ code: 0 });
});

describe('the entry', () => {
  test('refers to variables, and has paths that do not depend on where it is started', async () => {
    const home = createHome(commented);
    const work = join(home.directory, 'work');
    mkdirSync(work);
    writeFileSync(join(work, 'server.js'), '');
    // Node.js 20 looks for it, too.
    writeFileSync(join(work, 'v.env'), '');
    const args = [
      'add',
      'dev',
      'x',
      '-e',
      'A',
      '-e',
      'B=${C:-d}',
      '-e',
      'EMPTY=',
      '--env-file',
      'v.env',
      '--cwd',
      'sub',
    ];
    const run = (...rest: string[]) => runCommand(rest, { env: home.env, cwd: work });
    expect(await run(...args, '--', './server.js')).toMatchObject({ code: 0, stderr: '' });
    const { toolboxes } = JSON.parse(read(home.config).replaceAll(/\/\/(?!a\.).*/g, ''));
    expect(toolboxes.dev.mcpServers.x).toEqual({
      command: join(work, 'server.js'),
      env: { A: '${A}', B: '${C:-d}', EMPTY: '' },
      cwd: join(work, 'sub'),
      envFile: join(work, 'v.env'),
    });
    const local = await run('add', 'dev', 'y', '--', 'node', 'server.js');
    expect(local).toMatchObject({ code: 0, stderr: /server\.js is a file of this directory.*--cwd \./ });
  });

  test.each([
    [['-e', '1x=2'], "-e needs NAME or NAME=VALUE, and '1x' is not the name of a variable."],
    [['-e', '=2'], "-e needs NAME or NAME=VALUE, and '' is not the name of a variable."],
  ])('is not made of %j', async (options, problem) => {
    const home = createHome(commented);
    expect(await home.run('add', 'dev', 'x', ...options, '--', 'x')).toMatchObject({ code: 2, stderr: `${problem}\n` });
  });
});

describe('a value that may be a secret', () => {
  const add = ['add', 'dev', 'x', '-e', 'API_TOKEN=hunter22x1', '-e', 'LOG=debug', '--', 'x'];

  test('stands in the file with a warning if nobody can be asked', async () => {
    const home = createHome(commented);
    const { code, stdout, stderr } = await home.run(...add);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^! API_TOKEN stands in the configuration as plain text\. --yes moves it to secrets\.env/);
    expect(stdout + stderr).not.toContain('hunter22');
    expect(read(home.config)).toContain('hunter22x1');
  });

  test('is found among the arguments and in a URL as well', async () => {
    const home = createHome(commented);
    const words = ['dev', 'x', '-e', 'X_TOKEN=abcdefgh1', '--', 'srv', '--api-key', 'sk-a1b2c3d4', '--token=t1u2v3w4'];
    const { stderr, code } = await home.run('add', ...words);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^! X_TOKEN, --api-key, --token stand in the configuration as plain text\./);
    await home.run('undo', '--yes');
    expect((await home.run('add', '--yes', ...words)).code).toBe(0);
    expect((await home.run('add', '--yes', 'dev', 'y', 'https://me:pw123456@y.example/mcp')).code).toBe(0);
    expect(read(home.config)).toContain('"args": ["--api-key", "${secret:X_API_KEY}", "--token=${secret:X_TOKEN_2}"]');
    expect(read(home.config)).toContain('"url": "${secret:Y_URL}"');
    expect(read(secretsOf(home))).toBe(
      'X_TOKEN=abcdefgh1\nX_API_KEY=sk-a1b2c3d4\nX_TOKEN_2=t1u2v3w4\nY_URL=https://me:pw123456@y.example/mcp\n',
    );
  });

  test('is moved to secrets.env after a yes on the terminal, and undo takes both back', async () => {
    linuxOnly('needs the script of util-linux');
    const home = createHome(commented);
    const terminal = runOnTerminal(add, { env: home.env, cwd: home.directory });
    expect(await answerOn(terminal, 'y\r')).toBe(0);
    expect(terminal.screen()).toContain('API_TOKEN would stand in the configuration as plain text.');
    expect(terminal.screen()).not.toContain('hunter22');
    expect(read(home.config)).toContain('"env": { "API_TOKEN": "${secret:API_TOKEN}", "LOG": "debug" }');
    expect(read(secretsOf(home))).toBe('API_TOKEN=hunter22x1\n');
    expect(statSync(secretsOf(home)).mode & 0o777).toBe(0o600);
    await home.run('undo', '--yes');
    expect([read(home.config), existsSync(secretsOf(home))]).toEqual([commented, false]);
  });

  test('stays after a no, and nothing is changed after Ctrl-C', async () => {
    linuxOnly('needs the script of util-linux');
    const home = createHome(commented);
    const interrupted = runOnTerminal(add, { env: home.env, cwd: home.directory });
    expect(await answerOn(interrupted, '\u0003')).toBe(130);
    expect(interrupted.screen()).toContain('Nothing was changed.');
    expect(read(home.config)).toBe(commented);
    expect(await answerOn(runOnTerminal(add, { env: home.env, cwd: home.directory }), 'n\r')).toBe(0);
    expect(read(home.config)).toContain('hunter22x1');
    expect(existsSync(secretsOf(home))).toBe(false);
  });

  test('gets another name if that has another value, and each server gets its own alone', async () => {
    const home = createHome(commented);
    const { command = '', args } = fixture();
    for (const [name, value] of [
      ['one', 'first-1a'],
      ['two', 'second-2b'],
    ] as const)
      await home.run('add', 'dev', name, '-e', `API_TOKEN=${value}`, '--yes', '--', command, ...(args ?? []));
    expect(read(secretsOf(home))).toBe('API_TOKEN=first-1a\nAPI_TOKEN_2=second-2b\n');
    // The environment does not override them.
    const launch = prepareLaunch({ args: ['--config', home.config], env: { API_TOKEN: 'of-the-shell-3c' } });
    const agent = await connectAgentTo(launch, 'v2 legacy');
    const variables = async (server: string) => text(await agent.use('dev', server, 'env'));
    const [one, two] = [JSON.parse(await variables('one')), JSON.parse(await variables('two'))];
    expect([one.API_TOKEN, one.API_TOKEN_2, two.API_TOKEN, two.API_TOKEN_2]).toEqual([
      'first-1a',
      undefined,
      'second-2b',
      undefined,
    ]);
  });
});

describe('undo of a change that others have edited since', () => {
  test('leaves what they added, and no secret that is still referred to is removed', async () => {
    const home = createHome();
    const add = (name: string, ...options: string[]) =>
      home.run(
        'add',
        'dev',
        name,
        '-e',
        `${name.toUpperCase()}_TOKEN=hunter22-${name}`,
        '--yes',
        ...options,
        '--',
        'x',
      );
    await add('a', '--description', 'd');
    await add('b');
    const { code, stdout } = await home.run('undo', '2', '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain('! dev   changed or added since; it stays');
    expect(read(secretsOf(home))).toBe('A_TOKEN=hunter22-a\nB_TOKEN=hunter22-b\n');
  });

  test('is refused if the configuration would not be valid any more', async () => {
    const home = createHome(commented);
    await home.run('add', 'data', 'other', '--', 'x');
    const edited = read(home.config).replace('"sql": { "command": "sql", "enabled": false },', '');
    writeFileSync(home.config, edited);
    const { code, stderr } = await home.run('undo', '--yes');
    expect([code, stderr]).toEqual([3, expect.stringContaining('undoing this would not leave it valid')]);
    expect(read(home.config)).toBe(edited);
  });
});

describe('a configuration in the working directory', () => {
  const local = '{ "toolboxes": { "dev": { "description": "Here", "mcpServers": { "h": { "command": "h" } } } } }\n';
  const repository = (home: Home) => {
    const directory = join(home.directory, 'repository');
    mkdirSync(directory);
    writeFileSync(join(directory, 'workbench-config.json'), local);
    return {
      file: join(directory, 'workbench-config.json'),
      run: (...args: string[]) => runCommand(args, { env: home.env, cwd: directory }),
    };
  };

  test('that is trusted is edited and stays trusted, also after undo', async () => {
    const home = createHome(commented);
    const { file, run } = repository(home);
    await run('trust', '--yes');
    for (const args of [
      ['add', 'dev', 'x', '--', 'x'],
      ['disable', 'dev', 'h'],
      ['remove', 'dev', 'x'],
      ['undo', '--yes'],
    ]) {
      expect(await run(...args)).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse((await run('list', '--json')).stdout)).toMatchObject({ config: file });
    }
    expect(read(home.config)).toBe(commented);
  });

  test('that is not trusted is neither used nor written: the file of the user is', async () => {
    const home = createHome(commented);
    const { file, run } = repository(home);
    const { code, stderr } = await run('add', 'dev', 'x', '--', 'x');
    expect([code, stderr]).toEqual([0, expect.stringContaining('is not used: the user has not trusted it')]);
    expect(read(file)).toBe(local);
    expect(read(home.config)).toContain('"x": {');
  });
});

test('a session that runs follows', async () => {
  const home = createHome();
  const { command = '', args } = fixture();
  const marker = ['-e', 'WORKBENCH_TEST_MARKER'];
  const add = (name: string, ...options: string[]) =>
    home.run('add', 'dev', name, ...marker, ...options, '--', command, ...(args ?? []));
  await add('one', '--description', 'd');
  const agent = await connectAgentTo(prepareLaunch({ args: ['--config', home.config] }), 'v2 modern');
  const servers = async () => [...new Set(opened(await agent.open('dev')).tools.map(({ server }) => server))].join();
  expect(await servers()).toBe('one');
  await add('two');
  await until(async () => (await servers()) === 'one,two');
  await home.run('disable', 'dev', 'one');
  await until(async () => (await servers()) === 'two');
  await home.run('move', 'dev', 'two', 'other', '--description', 'd');
  await until(async () => text(await agent.use('other', 'two', 'env')).startsWith('{'));
  await home.run('undo', '--yes');
  await until(async () => (await servers()) === 'two');
  await home.run('enable', 'dev', 'one');
  await until(async () => (await servers()) === 'one,two');
  await home.run('remove', 'dev', 'two');
  await until(async () => (await servers()) === 'one');
});
