import { expect, test } from 'vitest';
import { packagesOf } from './packages.js';

const packages = (command: string, ...args: string[]) =>
  packagesOf({ kind: 'stdio', command, args, env: new Map(), cwd: undefined });

test.each([
  [['npx', '-y', 'pkg', '/dir'], ['pkg']],
  [['/usr/bin/npx', '--yes', '@x/y@latest'], ['@x/y@latest']],
  [['C:\\nodejs\\npx.cmd', 'pkg@1.2', 'other'], ['pkg@1.2']],
  [['npx', '-p', 'pkg', 'program'], ['pkg']],
  [['npx', '--package=pkg', '--', 'program'], ['pkg']],
  [['npm', 'exec', '--', 'pkg'], ['pkg']],
  [['bunx', 'pkg'], ['pkg']],
  [['bun', 'x', 'pkg'], ['pkg']],
  [['pnpm', 'dlx', 'pkg'], ['pkg']],
  [['yarn', 'dlx', '-p', 'pkg', 'program'], ['pkg']],
  [['uvx', '--from', 'pkg', 'program'], ['pkg']],
  [['uvx', '--python', '3.12', 'pkg'], ['pkg']],
  [['cmd', '/c', 'npx', '-y', 'pkg'], ['pkg']],
  [['env', 'A=1', 'npx', 'pkg'], ['pkg']],
  [['sh', '-c', 'cd x && exec npx -y "pkg" y'], ['pkg']],
  [['op', 'run', '--', 'npx', 'pkg'], ['pkg']],
  [['node', '/lib/npm/bin/npx-cli.js', 'pkg'], ['pkg']],
])('%j runs the packages %j', (words, expected) => {
  const [command = '', ...args] = words;
  expect(packages(command, ...args)).toEqual(expected);
});

test('a runner whose words are not certain is one, with no package', () => {
  expect(packages('npx', '--loglevel', 'error', 'pkg')).toEqual([]);
});

test('what is not a runner has no packages', () => {
  expect(packages('npm', 'run', 'build')).toBeUndefined();
  expect(packages('node', 'npx-like.js', 'pkg')).toBeUndefined();
});
