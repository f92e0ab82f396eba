import { describe, expect, test } from 'vitest';
import { accessProblem, hasModes } from './access.js';

const me = { uid: 1000, gid: 1000, platform: 'linux' };
const file = (mode: number, { uid = 1000, gid = 1000 } = {}) => ({ uid, gid, mode: 0o100_000 | mode, dev: 1 });
const directory = (mode: number, { uid = 1000, gid = 1000 } = {}) => ({ uid, gid, mode: 0o040_000 | mode, dev: 1 });

test.each([
  ['mine', file(0o644)],
  ['mine, writable by my own group', file(0o664)],
  ['of root', file(0o644, { uid: 0, gid: 0 })],
  ['a directory like /tmp', directory(0o1777, { uid: 0, gid: 0 })],
])('a file %s is fine', (_, access) => {
  expect(accessProblem('/f', access, me)).toBeUndefined();
});

test.each([
  ['of another user', file(0o600, { uid: 1001 }), 'belongs to another user (1001)', 'chown 1000 /f'],
  ['writable by everyone', file(0o646), 'can be written to by everyone', 'chmod o-w /f'],
  ['writable by another group', file(0o664, { gid: 50 }), 'can be written to by group 50', 'chmod g-w /f'],
  ['writable by both', file(0o666, { gid: 50 }), 'can be written to by everyone', 'chmod go-w /f'],
  [
    'of root, writable by a group of root',
    file(0o664, { uid: 0, gid: 0 }),
    'can be written to by group 0',
    'chmod g-w /f',
  ],
  ['in a directory writable by everyone', directory(0o777), 'can be written to by everyone', 'chmod o-w /f'],
])('a file %s is not', (_, access, what, remedy) => {
  expect(accessProblem('/f', access, me)).toEqual({ what, remedy });
});

test('a primary group that all users have is not the user’s own', () => {
  expect(accessProblem('/f', file(0o664, { gid: 20 }), { uid: 501, gid: 20, platform: 'darwin' })?.what).toContain(
    'another user',
  );
  expect(
    accessProblem('/f', file(0o664, { uid: 501, gid: 20 }), { uid: 501, gid: 20, platform: 'darwin' }),
  ).toBeDefined();
  expect(accessProblem('/f', file(0o664, { gid: 100 }), { ...me, gid: 100 })).toBeDefined();
});

test('the command to run is quoted for the shell', () => {
  expect(accessProblem("/it's here", file(0o602), me)?.remedy).toBe("chmod o-w '/it'\\''s here'");
});

describe('chmod has an effect', () => {
  const mounts = [
    '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
    '90 22 0:55 / /mnt/c rw,noatime - 9p C:\\134 rw,dirsync,aname=drvfs;path=C:\\;uid=1000;gid=1000;symlinkroot=/mnt/,trans=fd',
    '91 22 0:56 / /mnt/d rw,noatime - 9p D:\\134 rw,aname=drvfs;path=D:\\;metadata,trans=fd',
    '92 22 0:57 / /share rw - 9p host rw,trans=virtio',
    '93 22 0:58 / /mnt/e rw - drvfs E: rw,noatime',
    '94 22 8:17 / /media/stick rw - vfat /dev/sdb1 rw,umask=0000',
    '95 22 259:300 / /media/disk rw - fuseblk /dev/nvme0n1p300 rw,permissions',
  ].join('\n');
  const device = (major: number, minor: number) => (minor & 0xff) | (major << 8) | ((minor & ~0xff) << 12);

  test.each([
    ['on ext4', 8, 1, true],
    ['not on a drive of Windows under WSL 2', 0, 55, false],
    ['on one with metadata', 0, 56, true],
    ['on another 9p', 0, 57, true],
    ['not on a drive of Windows under WSL 1', 0, 58, false],
    ['not on FAT', 8, 17, false],
    ['on NTFS with permissions', 259, 300, true],
    ['where nothing is known', 7, 7, true],
  ])('%s', (_, major, minor, expected) => {
    expect(hasModes(device(major, minor), mounts)).toBe(expected);
  });
});
