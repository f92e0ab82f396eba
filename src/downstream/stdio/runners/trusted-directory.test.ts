import { chmodSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/launch.js';
import { posixOnly } from '../../../../test/support/platform.js';
import { createRunnerTrust, trustedDirectory } from './trusted-directory.js';

posixOnly('modes of files');

function placeIn(directory: string, configFile?: string) {
  const home = temporaryDirectory();
  return { computer: { env: {}, cwd: directory, platform: process.platform, home }, configFile };
}

test('the directory of a configuration that the user named is trusted, unless others can write to it', () => {
  const directory = realpathSync(temporaryDirectory());
  const place = placeIn(directory, join(directory, 'workbench-config.json'));
  expect(createRunnerTrust(place)(directory)).toBe(true);
  chmodSync(directory, 0o1777);
  expect(createRunnerTrust(place)(directory)).toBe(false);
});

test.each([
  ['{"workspaces":["sub"]}', false],
  ['{"workspaces":{"packages":["sub"]}}', false],
  ['{', false],
  ['{"name":"other"}', true],
])('with %s above it, a trusted directory with a project is used: %s', (text, expected) => {
  const above = realpathSync(temporaryDirectory());
  const sub = join(above, 'deep', 'sub');
  mkdirSync(sub, { recursive: true });
  writeFileSync(join(above, 'package.json'), text);
  writeFileSync(join(sub, 'package.json'), '{}');
  const place = placeIn(sub, join(sub, 'workbench-config.json'));
  expect(trustedDirectory({ cwd: undefined }, place)).toBe(expected ? sub : undefined);
});
