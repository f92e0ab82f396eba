import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/launch.js';
import { startElsewhere } from './start-elsewhere.js';

const computer = { platform: process.platform };

test.each([
  ['env', '-C', '/some/clone', 'npx', 'y'],
  ['sh', '-c', 'cd /some/clone && npx y'],
  ['npm', '-C', '/some/clone', 'exec', 'y'],
  ['npx', '--prefix', '.', 'y'],
])('the note for %s %s %s … does not promise that the runner stays in our directory', async (command, ...args) => {
  const cacheDirectory = temporaryDirectory();
  const started = await startElsewhere({ command, args }, temporaryDirectory(), { computer, cacheDirectory });
  expect(started?.note).toContain('unless words of the entry lead to another');
});
