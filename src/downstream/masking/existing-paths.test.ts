import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { createFindExisting } from './existing-paths.js';

test('paths that exist are found: directories, files, lists of them, relative ones, and below the home directory', async () => {
  const directory = temporaryDirectory();
  writeFileSync(path.join(directory, 'file'), '');
  const list = [directory, path.join(directory, 'file')].join(path.delimiter);
  const existing = [directory, path.join(directory, 'file'), list, './file', '~/file'];
  const others = [
    path.join(directory, 'none'),
    `${list}${path.delimiter}/none`,
    '/K7MDENG/bPxRf',
    'file',
    `/${'x'.repeat(5_000)}`,
  ];
  const found = await createFindExisting(directory)([...existing, ...others], directory);
  expect([...found]).toEqual(existing);
});
