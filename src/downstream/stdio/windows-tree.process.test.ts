import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { posixOnly } from '../../../test/support/platform.js';
import { until } from '../../../test/support/until.js';
import {
  createWindowsTrees,
  orphansOf,
  parseProcesses,
  systemRootOf,
  taskkillArguments,
  taskkillOf,
} from './windows-tree.js';

test('a tree is ended whole and without asking, by the taskkill of Windows itself', () => {
  expect(taskkillArguments(4711)).toEqual(['/pid', '4711', '/T', '/F']);
  expect(taskkillOf('C:\\Windows')).toBe('C:\\Windows\\System32\\taskkill.exe');
});

test.each([
  [{ SystemRoot: 'D:\\Win' }, 'D:\\Win'],
  [{ SYSTEMROOT: 'D:\\Win' }, 'D:\\Win'],
  [{ SystemRoot: '' }, 'C:\\Windows'],
  [{}, 'C:\\Windows'],
])('with %j Windows is in %s', (env, root) => {
  expect(systemRootOf(new Map(Object.entries(env)))).toBe(root);
});

test('a listing is one process a line; anything else in it is skipped', () => {
  expect(parseProcesses('4 0 1700000000000\r\n\r\n8 4 1700000000001\r\nGet-CimInstance : Access denied\r\n')).toEqual([
    { pid: 4, parent: 0, createdAt: 1_700_000_000_000 },
    { pid: 8, parent: 4, createdAt: 1_700_000_000_001 },
  ]);
  expect(parseProcesses('')).toEqual([]);
});

test('orphans are what a process started while it lived, not what a later one of the same number did', () => {
  const processes = [
    { pid: 1, parent: 10, createdAt: 5_000 },
    { pid: 2, parent: 10, createdAt: 1_000 },
    { pid: 3, parent: 10, createdAt: 9_001 },
    { pid: 4, parent: 11, createdAt: 5_000 },
  ];
  expect(orphansOf({ pid: 10, from: 4_000, to: 9_000 }, processes)).toEqual([1]);
});

/** Fakes of the two programs of Windows. On POSIX a backslash is an ordinary character, so each path is one file name. */
function fakeWindows(listing: string) {
  const root = join(temporaryDirectory(), 'Windows');
  const log = join(temporaryDirectory(), 'log');
  appendFileSync(log, '');
  const program = (path: string, script: string) => {
    writeFileSync(`${root}\\System32\\${path}`, `#!/bin/sh\n${script}\n`);
    chmodSync(`${root}\\System32\\${path}`, 0o755);
  };
  program('taskkill.exe', `echo "taskkill $*" >> '${log}'`);
  program('WindowsPowerShell\\v1.0\\powershell.exe', `echo powershell >> '${log}'; printf '${listing}'`);
  return { env: new Map([['SystemRoot', root]]), log: () => readFileSync(log, 'utf8').trim().split('\n') };
}

describe('a tree', () => {
  posixOnly('the fake programs are scripts for sh');

  const leader = (pid: number, env: Map<string, string>, exited: Promise<unknown>) => ({ pid, mark: '', env, exited });
  const never = new Promise<never>(() => {});

  test('whose leader lives is ended through it, and then nothing has to be looked for', async () => {
    const { env, log } = fakeWindows('');
    const tree = createWindowsTrees()(leader(10, env, never));
    expect(await tree.isAlive()).toBe(true);
    await tree.signal('SIGTERM');
    await tree.endStrays();
    expect(log()).toEqual(['taskkill /pid 10 /T /F']);
  });

  test('whose leader has ended by itself is ended through its children, with one listing for all that end together', async () => {
    const { env, log } = fakeWindows(`101 10 ${Date.now()}\\r\\n102 11 ${Date.now()}\\r\\n103 12 ${Date.now()}\\r\\n`);
    const treeOf = createWindowsTrees();
    const trees = [10, 11].map((pid) => treeOf(leader(pid, env, Promise.resolve())));
    await until(async () => !(await trees[0]?.isAlive()));
    await Promise.all(trees.map((tree) => tree.endStrays()));
    expect(log().sort()).toEqual(['powershell', 'taskkill /pid 101 /T /F', 'taskkill /pid 102 /T /F']);
  });

  test('cannot be ended where Windows has no taskkill, and that is no error', async () => {
    const tree = createWindowsTrees()(leader(2 ** 30, new Map([['SystemRoot', '/nowhere']]), Promise.resolve()));
    await tree.signal('SIGKILL');
    await tree.endStrays();
  });
});
