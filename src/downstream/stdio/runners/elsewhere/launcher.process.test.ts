import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/launch.js';
import { launchWords } from './launch-words.js';

/** What the launcher for a runner says the program of the package `y` is, if it has these. */
function find(runner: readonly string[], programs: readonly string[]) {
  const ours = temporaryDirectory();
  const place = { directory: ours, ours, node: process.execPath, platform: 'linux' };
  const files = {
    ...launchWords([...runner, 'y'], place)?.files,
    'node_modules/y/package.json': JSON.stringify({
      name: 'y',
      bin: Object.fromEntries(programs.map((one) => [one, './x'])),
    }),
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(ours, name)), { recursive: true });
    writeFileSync(join(ours, name), content);
  }
  const env = { PATH: join(ours, 'node_modules', '.bin') };
  const launcher = join(ours, 'launcher', 'mcp-workbench-launcher.cjs');
  return spawnSync(process.execPath, [launcher, '--find', 'y'], { env, encoding: 'utf8' });
}

test.each([[['bunx']], [['bun', 'x']]])(
  '%j runs the program of the name of the package, or else the first',
  (runner) => {
    expect(find(runner, ['b', 'y', 'a']).stdout).toBe('y');
    expect(find(runner, ['b', 'a']).stdout).toBe('b');
    expect(find(runner, []).stderr).toContain('y has no program');
  },
);

test('pnpm does not choose among several programs', () => {
  expect(find(['pnpm', 'dlx'], ['b', 'a'])).toMatchObject({
    stdout: '',
    stderr: 'y has several programs, and none of its name: b, a\n',
  });
});
