import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/launch.js';
import { startRegistry } from '../../../../test/support/npm-registry.js';
import { createNpxEntries, serverPackage } from '../../../../test/support/npx-servers.js';
import { posixOnly } from '../../../../test/support/platform.js';
import { startChild } from '../child.js';
import { createWatchdog } from '../watchdog.js';
import { askNpm, type Question, type StartProgram } from './ask-npm.js';
import { type NpxEntry, readNpxEntry } from './npx-words.js';

posixOnly('how npm is asked there');

function questionFor(env: Readonly<Record<string, string>>, cacheDirectory: string): Question {
  const watchdog = createWatchdog(process.platform, () => {});
  const start: StartProgram = (program, variables) =>
    startChild(program, {
      ...{ cwd: cacheDirectory, platform: process.platform, watchdog, env: variables },
      ...{ mask: (text: string) => text, onStderr: () => {} },
    });
  return {
    entry: readNpxEntry('npx', ['-y', 'my-server']) as NpxEntry,
    env: new Map([...Object.entries(env), ['PATH', process.env['PATH'] ?? ''], ['HOME', cacheDirectory]]),
    ...{ directory: undefined, cwd: cacheDirectory, cacheDirectory, platform: process.platform, start },
    signal: new AbortController().signal,
  };
}

test('npm reports the program through Node.js in place of the shell, as on Windows', async () => {
  const registry = await startRegistry(serverPackage('my-server'));
  const { env, cache } = createNpxEntries(registry);
  const answer = await askNpm({ ...questionFor(env, join(temporaryDirectory(), 'a b')), platform: 'win32' });
  expect(answer).toMatchObject({ is: 'answered', report: { program: 'my-server' } });
  const searchPath = answer.is === 'answered' ? answer.report.variables.get('PATH') : undefined;
  expect(searchPath?.startsWith(join(cache, '_npx'))).toBe(true);
});

test('a project above the directory that npm is asked in has no say', async () => {
  const [registry, other] = [await startRegistry(serverPackage('my-server')), await startRegistry()];
  const { env } = createNpxEntries(registry);
  const { npm_config_registry: url, ...rest } = env;
  const above = temporaryDirectory();
  mkdirSync(join(above, 'node_modules', 'my-server'), { recursive: true });
  writeFileSync(join(above, 'package.json'), '{"workspaces":["cache/**"]}');
  writeFileSync(join(above, '.npmrc'), `registry=${other.url}\n`);
  const home = temporaryDirectory();
  writeFileSync(join(home, '.npmrc'), `registry=${url}\n`);
  const question = questionFor(rest, join(above, 'cache'));
  const answer = await askNpm({ ...question, env: new Map([...question.env, ['HOME', home]]) });
  expect(answer.is).toBe('answered');
  expect(other.requests).toEqual([]);
});
