import { expect, test } from 'vitest';
import { runnerStart } from './runner-place.js';

test.each([
  [['npx', '-y', 'pkg'], 'resolved'],
  [['npx', '-c', 'prog'], 'elsewhere'],
  [['pnpm', 'dlx', 'pkg'], 'elsewhere'],
  [['uvx', 'pkg'], 'elsewhere'],
  [['dnx', 'pkg'], 'elsewhere without its directory'],
  [['node', 'server.js'], undefined],
])('where its directory is not trusted, %j starts: %s', ([command = '', ...args], expected) => {
  expect(runnerStart({ command, args }, 'linux')).toBe(expected);
});

test('an entry that is not to be resolved starts as written, in a directory of ours', () => {
  expect(runnerStart({ command: 'npx', args: ['pkg'], resolve: false }, 'linux')).toBe('elsewhere');
});
