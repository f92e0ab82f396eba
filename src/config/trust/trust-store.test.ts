import { existsSync, linkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { posixOnly } from '../../../test/support/platform.js';
import { isLink, leadsFrom, realPathOf } from './trust-store.js';

function setUp() {
  const directory = realPathOf(temporaryDirectory());
  const file = join(directory, 'foo.json');
  writeFileSync(file, '{}');
  return { directory, file, isAnyCase: existsSync(join(directory, 'FOO.json')) };
}

test('another case of its name does not make a file a link, where the disk takes it for the same', () => {
  const { directory, file, isAnyCase } = setUp();
  const other = join(directory, 'FOO.json');
  // Elsewhere a second name of the same file stands for it.
  if (!isAnyCase) linkSync(file, other);
  expect([isLink(file), isLink(other), leadsFrom(file, other)]).toEqual([false, false, false]);
});

test('a link is one whatever the case of its name is, and so is another file', () => {
  posixOnly('makes links');
  const { directory, file, isAnyCase } = setUp();
  symlinkSync(file, join(directory, 'link.json'));
  expect(isLink(join(directory, 'link.json'))).toBe(true);
  if (isAnyCase) return;
  symlinkSync(file, join(directory, 'Foo.json'));
  writeFileSync(join(directory, 'FOO.json'), '{}');
  expect(isLink(join(directory, 'Foo.json'))).toBe(true);
  expect(leadsFrom(file, join(directory, 'FOO.json'))).toBe(true);
});
