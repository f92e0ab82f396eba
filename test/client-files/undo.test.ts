import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createHome, valuesOf } from '../support/client-homes.js';
import { linuxOnly } from '../support/platform.js';

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
