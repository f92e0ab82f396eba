import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { posixOnly } from '../../../test/support/platform.js';
import { stateDirectoryOf } from '../../platform/directories.js';
import { keepLastGood, readLastGood } from './last-good.js';

const day = 86_400_000;
const now = Date.parse('2026-11-17T13:03:00Z');

function setUp() {
  const home = temporaryDirectory();
  const place = { env: {}, platform: process.platform, home };
  const file = join(home, 'config.json');
  writeFileSync(file, '');
  const directory = join(stateDirectoryOf(place), 'last-good');
  return { place, file, home, files: () => readdirSync(directory).map((name) => join(directory, name)) };
}

test('the last text that was kept of a file is read, with its date, in a file that only the user can read', async () => {
  const { place, file, files } = setUp();
  expect(readLastGood(place, file, now)).toBeUndefined();
  keepLastGood(place, file, 'first', now - 60_000);
  keepLastGood(place, file, 'second\n"ü"', now);
  expect(readLastGood(place, file, now)).toEqual({ text: 'second\n"ü"', at: now });
  expect(files()).toHaveLength(1);
  if (process.platform !== 'win32') for (const kept of files()) expect(statSync(kept).mode & 0o777).toBe(0o600);
});

test('a text belongs to the real path of its file', async () => {
  posixOnly('makes links');
  const { place, file, home } = setUp();
  symlinkSync(file, join(home, 'link.json'));
  writeFileSync(join(home, 'other.json'), '');
  keepLastGood(place, join(home, 'link.json'), 'text', now);
  expect(readLastGood(place, file, now)).toMatchObject({ text: 'text' });
  expect(readLastGood(place, join(home, 'other.json'), now)).toBeUndefined();
});

test('the same text is written again only after a day', async () => {
  const { place, file } = setUp();
  keepLastGood(place, file, 'text', now);
  keepLastGood(place, file, 'text', now + day / 2);
  expect(readLastGood(place, file, now + day)).toMatchObject({ at: now });
  keepLastGood(place, file, 'text', now + day);
  expect(readLastGood(place, file, now + day)).toMatchObject({ at: now + day });
});

test('a text is used for 30 days, and removed when another one is kept after that', async () => {
  const { place, file, home, files } = setUp();
  keepLastGood(place, file, 'old', now);
  expect(readLastGood(place, file, now + 30 * day)).toMatchObject({ text: 'old' });
  expect(readLastGood(place, file, now + 30 * day + 1)).toBeUndefined();
  const before = new Date(Date.now() - 31 * day);
  for (const kept of files()) utimesSync(kept, before, before);
  keepLastGood(place, join(home, 'other.json'), 'new');
  expect(files().map((kept) => readFileSync(kept, 'utf8'))).toEqual([expect.stringContaining('"new"')]);
});

test.each([
  ['that others can read', 0o644],
  ['that others can change', 0o622],
])('a kept text in a file %s is not used', async (_, mode) => {
  posixOnly('file modes');
  const { place, file, files } = setUp();
  keepLastGood(place, file, 'text', now);
  for (const kept of files()) chmodSync(kept, mode);
  expect(readLastGood(place, file, now)).toBeUndefined();
});

test('a kept text that is damaged is not used, and is replaced', async () => {
  const { place, file, files } = setUp();
  keepLastGood(place, file, 'text', now);
  for (const damaged of ['', '{"text":"x"', '{"text":7,"at":"2026-11-17"}', '{"text":"x","at":"soon"}']) {
    for (const kept of files()) writeFileSync(kept, damaged);
    expect(readLastGood(place, file, now)).toBeUndefined();
  }
  keepLastGood(place, file, 'text', now);
  expect(readLastGood(place, file, now)).toMatchObject({ text: 'text' });
});

test('nothing is kept in, or read from, a directory that others can write to', async () => {
  posixOnly('file modes');
  const { place, file } = setUp();
  keepLastGood(place, file, 'text', now);
  chmodSync(stateDirectoryOf(place), 0o777);
  expect(readLastGood(place, file, now)).toBeUndefined();
  expect(() => keepLastGood(place, file, 'other', now)).toThrow('can be written to by other users');
});
