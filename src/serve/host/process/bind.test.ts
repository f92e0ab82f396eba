import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/launch.js';
import { posixOnly, rootOnly } from '../../../../test/support/platform.js';
import { bindHost } from './bind.js';

posixOnly('there is no host on Windows');

const names = { shared: 'shared.sock', own: (pid: number) => `own-${pid}.sock` };

function serverFor() {
  const server = createServer();
  onTestFinished(() => void server.close());
  return server;
}

test.each<readonly [string, string, (directory: string) => void]>([
  ['is open to its group', 'is open to other users; its mode must be 0700', (path) => chmodSync(path, 0o710)],
  ['is open to all', 'is open to other users; its mode must be 0700', (path) => chmodSync(path, 0o701)],
  [
    'belongs to another user',
    'belongs to another user',
    (path) => (rootOnly('another user'), chownSync(path, 12_345, 0)),
  ],
  [
    'is a symbolic link to one that could be used',
    'is a symbolic link',
    (path) => (renameSync(path, `${path}-real`), symlinkSync(`${path}-real`, path)),
  ],
  ['is a file', 'EEXIST', (path) => (renameSync(path, `${path}-real`), writeFileSync(path, ''))],
])('no socket is made in a directory that %s', async (_, reason, change) => {
  const root = temporaryDirectory();
  const directory = join(root, 'run');
  mkdirSync(directory, { mode: 0o700 });
  change(directory);
  const server = serverFor();
  await expect(bindHost(server, directory, names)).rejects.toThrow(reason);
  expect(server.listening).toBe(false);
  for (const path of [directory, `${directory}-real`]) expect(filesIn(path)).toEqual([]);
});

test('a directory that does not exist is made for the user alone, and the socket as well', async () => {
  const directory = join(temporaryDirectory(), 'some', 'run');
  const bound = await bindHost(serverFor(), directory, names);
  expect(bound?.isCurrent()).toBe(true);
  const made = [names.own(process.pid), names.shared];
  expect(filesIn(directory)).toEqual(made);
  expect(modeOf(directory)).toBe(0o700);
  for (const name of made) expect(modeOf(join(directory, name))).toBe(0o600);
});

function filesIn(path: string): string[] {
  try {
    return readdirSync(path).sort();
  } catch {
    return [];
  }
}

function modeOf(path: string): number {
  return lstatSync(path).mode & 0o777;
}
