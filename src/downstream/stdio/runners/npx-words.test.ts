import { expect, test } from 'vitest';
import {
  askingWords,
  isUnclear,
  type NpxEntry,
  nameInSpec,
  readNpxEntry,
  versionInSpec,
  withSpec,
} from './npx-words.js';

function entryOf(line: readonly string[]): NpxEntry {
  const [command = '', ...args] = line;
  const entry = readNpxEntry(command, args);
  if (entry === undefined || isUnclear(entry)) throw new Error(`not clear: ${line.join(' ')}`);
  return entry;
}

test.each<[line: string[], packages: string[], wanted: string, args: string[]]>([
  [['npx', '-y', 'pkg', '/dir'], [], 'pkg', ['/dir']],
  [['npx', 'pkg@1.2', '-y', '--', '-p', 'x'], [], 'pkg@1.2', ['-y', '--', '-p', 'x']],
  [['/usr/bin/npx', '--yes', '@x/y@latest'], [], '@x/y@latest', []],
  [['C:\\Program Files\\nodejs\\npx.cmd', 'pkg'], [], 'pkg', []],
  [['npx', '-q', '--', 'pkg', '--flag'], [], 'pkg', ['--flag']],
  [['npx', '-p', 'pkg', 'program', 'a b'], ['pkg'], 'program', ['a b']],
  [['npx', '-p=pkg', '--package=@x/y@^2', '--package', 'z', 'program'], ['pkg', '@x/y@^2', 'z'], 'program', []],
  [['npm', 'exec', '--', 'pkg', '--flag'], [], 'pkg', ['--flag']],
  [['npm', 'x', 'pkg', '-y', 'a', '--', '--b', '--'], [], 'pkg', ['a', '--b', '--']],
  [['npm', 'exec', '--package=pkg', '--yes', '--', 'program'], ['pkg'], 'program', []],
  [['cmd', '/c', 'npx', '-y', 'pkg', 'x'], [], 'pkg', ['x']],
  [['npx', '-y', 'pkg@>=1 <3'], [], 'pkg@>=1 <3', []],
  [['npx', '-y', '@x.z/y.js@~1.2'], [], '@x.z/y.js@~1.2', []],
])(
  '%j asks npm, and its packages, its program and the arguments of the server are found',
  (line, packages, wanted, args) => {
    expect(entryOf(line)).toMatchObject({ packages, wanted, args });
  },
);

test.each<[string[]]>([
  [['npx', '-y', 'github:x/y']],
  [['npx', '-y', 'x/y']],
  [['npx', 'git+https://example.org/x.git']],
  [['npx', './tool']],
  [['npx', '../x.tgz']],
  [['npx', 'alias@npm:pkg@1']],
  [['npx', 'pkg@file:../x']],
  [['npx', '-p', './x', 'program']],
  [['npx', '-y', '.']],
  [['npx', '-y', 'srv.tgz']],
  [['npx', '-y', '@x/srv.TAR.GZ']],
  [['npx', '-y', 'pkg@.']],
  [['npx', '-y', 'pkg@x.tar']],
  [['npx', '-y', '~x']],
  [['npx', '-c', 'pkg']],
  [['npx', '--no-install', 'pkg']],
  [['npx', '--registry=http://example.org', 'pkg']],
  [['npx', '-y']],
  [['npx']],
  [['npx', '-p', 'pkg']],
  [['npx', '-p']],
  [['npm', 'exec', 'pkg', '--port', '1']],
  [['npm', 'exec', '-p', 'pkg', 'program']],
])('%j is left to npm, with a reason', (line) => {
  const [command = '', ...args] = line;
  expect(readNpxEntry(command, args)).toEqual({ why: expect.stringMatching(/\w/) });
});

test.each<[string[]]>([
  [['node', 'npx']],
  [['npm', 'run', 'x']],
  [['bunx', 'pkg']],
  [['sh', '-c', 'npx pkg']],
  [['npxx', 'y']],
])('%j is not an entry of npx', (line) => {
  const [command = '', ...args] = line;
  expect(readNpxEntry(command, args)).toBeUndefined();
});

test('npm is asked with the flags and packages of the entry, without the arguments of the server', () => {
  const entry = entryOf(['npm', 'exec', '-y', '--package', 'pkg', '--', 'program', '--secret']);
  expect(askingWords(entry, '/a b/shell')).toEqual([
    ...['exec', '--script-shell=/a b/shell', '-y', '--package=pkg', '--', 'program'],
  ]);
});

test('another version is asked for in place of that of the entry', () => {
  expect(withSpec(entryOf(['npx', '@x/y@latest']), '@x/y@2.0.0').wanted).toBe('@x/y@2.0.0');
  const several = entryOf(['npx', '-p', 'a@1', '-p', 'b', 'program']);
  expect(withSpec(several, 'b@2.0.0')).toEqual({ ...several, packages: ['a@1', 'b@2.0.0'] });
});

test('a spec has a name and perhaps a version', () => {
  expect(['@x/y@1', '@x/y', 'y@latest', 'y'].map(nameInSpec)).toEqual(['@x/y', '@x/y', 'y', 'y']);
  expect(['@x/y@1', '@x/y', 'y@latest', 'y'].map(versionInSpec)).toEqual(['1', undefined, 'latest', undefined]);
});
