import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/support/launch.js';
import { markUsed, removeUnused } from './unused-entries.js';

const hourMs = 3_600_000;

test('files and directories that were not used for long are removed, if they are meant', async () => {
  const parent = temporaryDirectory();
  const longAgo = new Date(Date.now() - 2 * hourMs);
  for (const name of ['old', 'used', 'other']) {
    mkdirSync(path.join(parent, name));
    writeFileSync(path.join(parent, name, 'file'), '');
    utimesSync(path.join(parent, name), longAgo, longAgo);
  }
  await markUsed(path.join(parent, 'used'));
  await removeUnused(parent, hourMs, (name) => name !== 'other');
  expect(readdirSync(parent)).toEqual(['other', 'used']);
});

test('what is not there is neither marked nor removed', async () => {
  const missing = path.join(temporaryDirectory(), 'missing');
  await expect(markUsed(missing)).resolves.toBeUndefined();
  await expect(removeUnused(missing, 0, () => true)).resolves.toBeUndefined();
});
