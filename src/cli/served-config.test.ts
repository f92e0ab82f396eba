import { expect, test } from 'vitest';
import { servedConfig } from './served-config.js';

test.each([
  [[], { config: undefined }],
  [['serve'], { config: undefined }],
  [['--config', 'a.json'], { config: 'a.json' }],
  [['--config=a.json'], { config: 'a.json' }],
  [['-c', 'a.json'], { config: 'a.json' }],
  [['serve', '--config', 'a.json'], { config: 'a.json' }],
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
  [['--config', 'a', 'b']],
])('%j is left to the commands', (argv) => {
  expect(servedConfig(argv)).toBeUndefined();
});
