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
import { describe, expect, test } from 'vitest';
import { createHome, namesIn } from '../support/client-homes.js';
import { linuxOnly } from '../support/platform.js';

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

  test('a client that is not there, and an unknown one', async () => {
    const home = createHome();
    expect(await home.run('connect', 'cursor', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Cursor has not been used here yet: there is no ~/.cursor.'),
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
