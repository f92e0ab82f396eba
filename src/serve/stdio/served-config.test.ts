import { expect, test } from 'vitest';
import { servedConfig } from './served-config.js';

test.each([
  [[], { config: undefined, isFrozen: false }],
  [['serve'], { config: undefined, isFrozen: false }],
  [['--config', 'a.json'], { config: 'a.json', isFrozen: false }],
  [['--config=a.json'], { config: 'a.json', isFrozen: false }],
  [['-c', 'a.json'], { config: 'a.json', isFrozen: false }],
  [['serve', '--config', 'a.json'], { config: 'a.json', isFrozen: false }],
  [['serve', '--frozen'], { config: undefined, isFrozen: true }],
  [['serve', '--frozen', '--config', 'a.json'], { config: 'a.json', isFrozen: true }],
  [['--config=a.json', '--frozen'], { config: 'a.json', isFrozen: true }],
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
])('%j is left to the commands', (argv) => {
  expect(servedConfig(argv)).toBeUndefined();
});
