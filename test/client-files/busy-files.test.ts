import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createHome, type Home } from '../support/client-homes.js';

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const hook = fileURLToPath(new URL('../fixtures/change-while-writing.mjs', import.meta.url));

function journalOf(home: Home): string[] {
  return readdirSync(join(home.path, '.local/state/mcp-workbench/journal'));
}

test('a file that changes whenever we want to replace it is left to the other program', () => {
  const home = createHome(['cursor']);
  const before = home.read('cursor');
  const args = ['--import', hook, program, 'connect', 'cursor', '--yes'];
  const env = { PATH: process.env['PATH'], HOME: home.path, CHANGED_FILE: home.fileOf('cursor') };
  const { status, stderr } = spawnSync(process.execPath, args, { env, cwd: home.path, encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/mcp\.json was changed by another program during each of 5 tries\. Nothing was changed\./),
  ]);
  expect(home.read('cursor')).toBe(`${before}${' '.repeat(5)}`);
  expect(journalOf(home)).toEqual([]);
  expect(readdirSync(dirname(home.fileOf('cursor')))).toEqual(['mcp.json']);
});

test('eight of us at once lose nothing, and each change is in the journal', async () => {
  const home = createHome(['cursor']);
  const names = Array.from({ length: 8 }, (_, index) => `w${index}`);
  const ended = await Promise.all(
    names.map((name) => home.run('connect', 'cursor', '--keep', '--yes', '--name', name)),
  );
  expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(names.map(() => [0, '']));
  const servers = Object.keys(JSON.parse(home.read('cursor').replace('\uFEFF', '')).mcpServers);
  expect(servers.toSorted()).toEqual(['github', 'memory', 'notion', ...names]);
  expect(journalOf(home)).toHaveLength(8);
}, 60_000);
