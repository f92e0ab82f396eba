import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { configOf, createFreshHome, mcp, threeClients } from '../support/init-homes.js';
import { linuxOnly } from '../support/platform.js';

describe('bad input', () => {
  test('without a terminal and without --yes: the plan, and exit code 2', async () => {
    const home = threeClients();
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
    const home = threeClients();
    // Also root cannot write there.
    home.write('.config/mcp-workbench', 'a file');
    const before = home.contents();
    const { code, stderr } = await home.run('init', '--yes', '--connect', 'all');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/\.config\/mcp-workbench.*Nothing was changed/s)]);
    expect(home.contents()).toEqual(before);
  });

  test('an unknown client of --connect is said with the nearest one, before anything else', async () => {
    const { code, stderr } = await threeClients().run('init', '--connect', 'all,curser');
    expect([code, stderr]).toEqual([2, expect.stringContaining("No client 'all'")]);
    const other = await threeClients().run('init', '--connect', 'curser', '--yes');
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
    expect(stdout).toMatch(/^✓ Windsurf: 1 server replaced by workbench$/m);
    expect(readFileSync(home.fileOf('cursor'), 'utf8')).not.toContain('main.js');
  });
});
