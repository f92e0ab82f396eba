import { expect, test } from 'vitest';
import { parseCommand } from './arguments.js';

test.each([
  [[], { kind: 'serve', config: undefined }],
  [['--config', 'a.json'], { kind: 'serve', config: 'a.json' }],
  [['-c', 'a.json'], { kind: 'serve', config: 'a.json' }],
  [['--help', '--config', 'x'], { kind: 'help' }],
  [['--version'], { kind: 'version' }],
])('%j is parsed', (argv, command) => {
  expect(parseCommand(argv)).toEqual(command);
});

test.each([[['--nope']], [['serve']], [['--config']], [['--config', '']]])('%j is invalid', (argv) => {
  expect(parseCommand(argv).kind).toBe('invalid');
});
