import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

// A lock entry without a hash is installed unverified. Some binaries of other platforms could not be had where the locks were
// written: they are listed here by name, and the list may only shrink.

const root = fileURLToPath(new URL('..', import.meta.url));
const listed: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(join(root, 'test', 'fixtures', 'locks-without-integrity.json'), 'utf8'),
);

interface Entry {
  readonly integrity?: string;
  readonly link?: boolean;
  /** It is in the archive of another package, which has a hash. */
  readonly inBundle?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

function unverified(lock: string): [string, Entry][] {
  const { packages } = JSON.parse(readFileSync(join(root, lock), 'utf8')) as { packages: Record<string, Entry> };
  return Object.entries(packages).filter(
    ([path, entry]) => path !== '' && !entry.link && !entry.inBundle && entry.integrity === undefined,
  );
}

/** What the checks run on has all its hashes. */
function isCommon({ os = [], cpu = [], libc = [] }: Entry): boolean {
  return os.includes('linux') && cpu.includes('x64') && !libc.includes('musl');
}

const folders = ['.', ...readdirSync(join(root, 'test')).map((name) => `test/${name}`)];
const locks = folders
  .filter(
    (folder) => /^(\.|test\/[^.]+)$/.test(folder) && readdirSync(join(root, folder)).includes('package-lock.json'),
  )
  .map((folder) => (folder === '.' ? 'package-lock.json' : `${folder}/package-lock.json`));

test('every lock file is looked at', () => {
  expect(locks).toEqual(expect.arrayContaining(['package-lock.json', 'test/conformance/package-lock.json']));
  expect(locks).toEqual(expect.arrayContaining(Object.keys(listed)));
});

describe.each(locks)('%s', (lock) => {
  test('has a hash for every package but those listed', () => {
    expect(unverified(lock).map(([path]) => path)).toEqual(listed[lock] ?? []);
  });

  test('lacks one only for optional binaries of other platforms', () => {
    const others = unverified(lock).filter(([, entry]) => entry.optional !== true || isCommon(entry));
    expect(others.map(([path]) => path)).toEqual([]);
  });
});

test('every action of a workflow is named by the digest of its commit: a tag can be moved', () => {
  const folder = join(root, '.github', 'workflows');
  const used = readdirSync(folder).flatMap((name) => [
    ...readFileSync(join(folder, name), 'utf8').matchAll(/^[\s-]*uses:\s*(.+)$/gm),
  ]);
  expect(used.length).toBeGreaterThan(0);
  expect(used.map(([, action = '']) => action).filter((action) => !/^[\w./-]+@[\da-f]{40} # v\d/.test(action))).toEqual(
    [],
  );
});
