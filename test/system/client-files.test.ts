import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createHome, type Home } from '../support/client-homes.js';
import { type Finished, runCommand } from '../support/commands.js';
import { asNobody, nobodyId, withMounts } from './namespaces.js';

// Files of clients that cannot be written. Root can write everything, so it is another user who tries.

function homeOfNobody(): Home {
  const home = createHome(['cursor']);
  execFileSync('chown', ['-R', `${nobodyId}:${nobodyId}`, home.path]);
  return home;
}

function connect(home: Home, through: readonly string[] = asNobody()): Promise<Finished> {
  const env = { HOME: home.path, LANG: 'C.UTF-8' };
  return runCommand(['connect', 'cursor', '--yes'], { env, cwd: home.path, through });
}

test('a directory that may not be written, or a file that may not be read, is left alone', async () => {
  const home = homeOfNobody();
  const directory = join(home.path, '.cursor');
  const before = home.read('cursor');
  execFileSync('chown', ['root:root', directory]);
  expect(await connect(home)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Cannot write .*mcp\.json: permission denied\. Nothing was changed\./),
  });
  expect(home.read('cursor')).toBe(before);
  execFileSync('chown', ['root:root', home.fileOf('cursor')]);
  chmodSync(home.fileOf('cursor'), 0o600);
  expect(await connect(home)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/mcp\.json cannot be used: permission denied\. Nothing was changed/),
  });
  expect(readdirSync(join(home.path, '.local/state/mcp-workbench/journal'))).toEqual([]);
});

test('mode and owner stay, also if root connects for a user', async () => {
  const home = homeOfNobody();
  chmodSync(home.fileOf('cursor'), 0o640);
  execFileSync('chown', ['-R', 'root:root', join(home.path, '.config')]);
  expect((await connect(home, ['env'])).code).toBe(0);
  const { uid, gid, mode } = statSync(home.fileOf('cursor'));
  expect([uid, gid, mode & 0o777]).toEqual([nobodyId, nobodyId, 0o640]);
});

test('a file that is a mount of its own is written in place', async () => {
  const home = createHome(['cursor']);
  const real = join(home.path, 'elsewhere.json');
  writeFileSync(real, home.read('cursor'));
  const mounted = withMounts(`mount --bind '${real}' '${home.fileOf('cursor')}'`);
  expect(await connect(home, mounted)).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(real, 'utf8')).toContain('main.js');
  expect(readdirSync(join(home.path, '.cursor'))).toEqual(['mcp.json']);
  // With a shorter content, too.
  const undo = await runCommand(['undo', '--yes'], { env: { HOME: home.path }, cwd: home.path, through: mounted });
  expect(undo.code).toBe(0);
  expect(readFileSync(real, 'utf8')).toBe(home.read('cursor'));
});

test('a full disk leaves the file as it was', async () => {
  const home = createHome(['cursor']);
  const disk = join(home.path, '.cursor');
  const before = home.read('cursor');
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
  onTestFinished(() => void execFileSync('umount', ['--lazy', disk]));
  writeFileSync(home.fileOf('cursor'), before);
  try {
    writeFileSync(join(disk, 'filler'), Buffer.alloc(1_000_000));
  } catch {
    // As much as fits.
  }
  expect(await connect(home, ['env'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Cannot write .*mcp\.json: the disk is full\. Nothing was changed\./),
  });
  expect(home.read('cursor')).toBe(before);
  expect(readdirSync(disk)).toEqual(['filler', 'mcp.json']);
});

test('a full disk for the journal prevents the change', async () => {
  const home = createHome(['cursor']);
  const before = home.read('cursor');
  const state = join(home.path, '.local', 'state');
  mkdirSync(state, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,nr_inodes=3', 'tmpfs', state]);
  onTestFinished(() => void execFileSync('umount', ['--lazy', state]));
  expect(await connect(home, ['env'])).toMatchObject({ code: 1, stderr: expect.stringContaining('the disk is full') });
  expect(home.read('cursor')).toBe(before);
});
