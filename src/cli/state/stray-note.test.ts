import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { strayNoteOf, writtenTarget } from './stray-note.js';

test('a runner without an option for its directory is named where the directory is not trusted', async () => {
  const home = temporaryDirectory();
  const clone = join(home, 'clone');
  mkdirSync(clone);
  const computer = { env: {}, cwd: clone, home, platform: 'linux' as const };
  const config = join(home, 'workbench-config.json');
  const noteFor = (command: string, args: string[], cwd?: string) =>
    strayNoteOf(writtenTarget({ command, args, ...(cwd !== undefined && { cwd }) }, config), config, computer);
  expect(await noteFor('dnx', ['Some.Server'])).toContain('its own is not trusted');
  expect(await noteFor('npx', ['-y', 'server'])).toBeUndefined();
  expect(await noteFor('node', ['server.js'])).toBeUndefined();
  // Beside the configuration in use.
  expect(await noteFor('dnx', ['Some.Server'], '.')).toBeUndefined();
});
