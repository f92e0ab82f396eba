import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commented, createHome, type Home } from '../support/homes.js';
import { prepareLaunch } from '../support/launch.js';
import { posixOnly } from '../support/platform.js';

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
    [
      ['add', 'dev', 'files', '-e', 'A', 'npx', '-y', '--json'],
      `"https://a.example/mcp" }\n`,
      `"https://a.example/mcp" },\n        "files": {\n          "command": "npx",\n          "args": ["-y", "--json"],\n          "env": { "A": "\${A}" }\n        }\n`,
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

  test('--dry-run writes nothing', async () => {
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

  test('add makes the file that --config names', async () => {
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

  test('commands other than add have nothing to edit', async () => {
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
      ['add', 'dve', 'files', 'npx', '-y', '$x'],
      "No toolbox 'dve'. Did you mean 'dev'?\n  mcp-workbench add dev files -- npx -y '$x'\nFor a new one, say what it is for:\n  mcp-workbench add dve files --description 'What it is for' -- npx -y '$x'",
    ],
    [['add', 'dev', 'files', 'ftp://a.example'], "'ftp://a.example' is not an http or https URL."],
    [
      ['add', 'dev', 'web', 'https://b.example'],
      "Toolbox 'dev' has a server 'web' already. Under another name:\n  mcp-workbench add dev web-2 https://b.example",
    ],
    [
      ['add', 'dev', 'x', '--description', 'Other', '--', 'x'],
      "Toolbox 'dev' has a description already. Without --description:\n  mcp-workbench add dev x -- x",
    ],
    [['add', 'dev', 'x'], "What is 'x'? Give a URL or a program:\n  mcp-workbench add dev x COMMAND"],
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
      ['move', 'dev', 'web', 'dat'],
      "No toolbox 'dat'. Did you mean 'data'?\n  mcp-workbench move dev web data\nFor a new one, say what it is for:\n  mcp-workbench move dev web dat --description 'What it is for'",
    ],
    [['add', '{"a":{"command":"x"}}'], 'Which toolbox? Say it with --toolbox. There are: dev, data'],
    [
      ['add', '--toolbox', 'dev', '--header', 'A: b', 'npx -y x'],
      'Nothing was added. --header is not for a pasted text: write it into the text.',
    ],
    [
      ['add', '--toolbox', 'dev', '{"a":{"command":"x","args":"y"}}'],
      'Nothing was added. "a": Expected an array, found a string. Write [ … ].',
    ],
    [
      ['add', '--toolbox', 'dev', 'cd x && npx y'],
      'Nothing was added. It is more than one command of a shell. Give only the one that starts or adds the server.',
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

  test('the corrected command has no secret of the one that failed', async () => {
    const home = createHome(commented);
    const args = ['add', 'dev', 'x', '-e', 'TOKEN=hunter22x1', '-eAPI_KEY=hunter22x1', 'npx', 'srv'].with(1, 'dve');
    const { code, stderr } = await home.run(...args);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("\n  mcp-workbench add dev x -e 'TOKEN=…' '-eAPI_KEY=…' -- npx srv\n"),
    ]);
    expect(stderr).not.toContain('hunter22');
  });

  test('the corrected commands do what was meant', async () => {
    const home = createHome(commented);
    const { stderr } = await home.run('add', 'dve', "o'n", 'npx', '-y', 'a b', '$HOME', '');
    expect(runShell(home, stderr.split('\n')[3] ?? '')).toMatchObject({ code: 0 });
    const { stdout } = await home.run('list', 'dve', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ toolboxes: [{ name: 'dve', servers: [{ name: "o'n" }] }] });
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

  test('an edit whose result would be a fault is not written', async () => {
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
