import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/launch.js';
import { startElsewhere } from './start-elsewhere.js';

const computer = { platform: process.platform, home: '/' };

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

test('where the cache cannot be written to, all starts of an entry use one temporary directory', async () => {
  vi.stubEnv(process.platform === 'win32' ? 'TEMP' : 'TMPDIR', temporaryDirectory());
  onTestFinished(() => void vi.unstubAllEnvs());
  const blocked = join(temporaryDirectory(), 'file');
  writeFileSync(blocked, '');
  const directory = realpathSync(temporaryDirectory());
  const start = async (name: string) =>
    startElsewhere({ command: 'dnx', args: [name] }, directory, { computer, cacheDirectory: blocked });
  const [first, second, other] = [await start('y'), await start('y'), await start('z')];
  expect(first?.cwd).toContain('mcp-workbench-runner-');
  expect(second?.cwd).toBe(first?.cwd);
  expect(other?.cwd).not.toBe(first?.cwd);
});
