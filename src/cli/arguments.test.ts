import { expect, test } from 'vitest';
import { parseCommand } from './arguments.js';

test.each([
  [[], { kind: 'serve', config: undefined }],
  [['--config', 'a.json'], { kind: 'serve', config: 'a.json' }],
  [['-c', 'a.json'], { kind: 'serve', config: 'a.json' }],
  [['--help', '--config', 'x'], { kind: 'help' }],
  [['--version'], { kind: 'version' }],
])('%j is understood', (argv, command) => {
  expect(parseCommand(argv)).toEqual(command);
});

test.each([[['--nope']], [['serve']], [['--config']], [['--config', '']]])('%j is wrong usage', (argv) => {
  expect(parseCommand(argv).kind).toBe('misused');
});
