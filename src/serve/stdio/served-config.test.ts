import { expect, test } from 'vitest';
import { servedConfig } from './served-config.js';

test.each([
  [[], { config: undefined, hostName: undefined, isFrozen: false }],
  [['serve'], { config: undefined, hostName: undefined, isFrozen: false }],
  [['--config', 'a.json'], { config: 'a.json', hostName: undefined, isFrozen: false }],
  [['--config=a.json'], { config: 'a.json', hostName: undefined, isFrozen: false }],
  [['-c', 'a.json'], { config: 'a.json', hostName: undefined, isFrozen: false }],
  [['serve', '--config', 'a.json'], { config: 'a.json', hostName: undefined, isFrozen: false }],
  [['serve', '--frozen'], { config: undefined, hostName: undefined, isFrozen: true }],
  [['serve', '--frozen', '--config', 'a.json'], { config: 'a.json', hostName: undefined, isFrozen: true }],
  [['--config=a.json', '--frozen'], { config: 'a.json', hostName: undefined, isFrozen: true }],
  [['serve', '--host-name', 'work'], { config: undefined, hostName: 'work', isFrozen: false }],
  [['--host-name=a-1.b_2', '-c', 'a.json'], { config: 'a.json', hostName: 'a-1.b_2', isFrozen: false }],
])('%j serves', (argv, expected) => {
  expect(servedConfig(argv)).toEqual(expected);
});

test.each([
  [['--help', '--config', 'x']],
  [['--version']],
  [['--nope']],
  [['trust']],
  [['--config']],
  [['--config', '']],
  [['--config', '--help']],
  [['--config=']],
  [['serve', 'more']],
  [['serve', '--config', '--frozen']],
  [['serve', '--frozen', '--frozen']],
  [['serve', '--frozen=yes']],
  [['--config', 'a', 'b']],
  [['--config', 'a', '--config', 'b']],
  [['--host-name']],
  [['--host-name', '']],
  [['--host-name', '--frozen']],
  [['--host-name', 'a b']],
  [['--host-name', '../x']],
  [['--host-name', 'a'.repeat(65)]],
  [['--host-name', 'a', '--host-name', 'b']],
])('%j is left to the commands', (argv) => {
  expect(servedConfig(argv)).toBeUndefined();
});
