import { chmodSync, existsSync, mkdirSync, realpathSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import Module from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../../test/support/launch.js';
import { posixOnly } from '../../test/support/platform.js';
import { until } from '../../test/support/until.js';
import { build } from './build.js';
import { keepCompiledCode } from './compiled-code.js';

// Node.js 20 has no such function, and in later versions it would act on this process.
const enable = vi.fn();
const original: unknown = Reflect.get(Module, 'enableCompileCache');
beforeEach(() => void Reflect.set(Module, 'enableCompileCache', enable.mockClear()));
afterEach(() => void Reflect.set(Module, 'enableCompileCache', original));

function userWith(env: Readonly<Record<string, string>> = {}) {
  const home = realpathSync(temporaryDirectory());
  const computer = { env: { XDG_CACHE_HOME: join(home, 'cache'), ...env }, cwd: home, home, platform: 'linux' };
  const ours = join(home, 'cache', 'mcp-workbench');
  const all = join(ours, 'compiled');
  mkdirSync(ours, { recursive: true, mode: 0o700 });
  return { computer, ours, all, directory: join(all, build) };
}

test('keeps compiled code in a directory that only the user can read and write', () => {
  posixOnly('file modes');
  const { computer, directory } = userWith();
  keepCompiledCode(computer);
  expect(enable).toHaveBeenCalledExactlyOnceWith(directory);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

test('keeps nothing in a directory that others can read, or whose parents they can write to', () => {
  posixOnly('file modes');
  for (const [level, mode] of [
    ['directory', 0o750],
    ['all', 0o777],
    ['ours', 0o757],
  ] as const) {
    const user = userWith();
    mkdirSync(user.directory, { recursive: true, mode: 0o700 });
    chmodSync(user[level], mode);
    keepCompiledCode(user.computer);
  }
  expect(enable).not.toHaveBeenCalled();
});

test('keeps nothing behind a link', () => {
  posixOnly('links');
  const { computer, all } = userWith();
  symlinkSync(realpathSync(temporaryDirectory()), all);
  keepCompiledCode(computer);
  expect(enable).not.toHaveBeenCalled();
});

test('writes nothing if the user has chosen a directory, or none', () => {
  for (const name of ['NODE_COMPILE_CACHE', 'NODE_DISABLE_COMPILE_CACHE']) {
    const { computer, all } = userWith({ [name]: '1' });
    keepCompiledCode(computer);
    expect(existsSync(all)).toBe(false);
  }
  expect(enable).not.toHaveBeenCalled();
});

test('does without where there is no such function, and where no directory can be made', () => {
  keepCompiledCode({ ...userWith().computer, env: { XDG_CACHE_HOME: '/dev/null' } });
  expect(enable).not.toHaveBeenCalled();
  Reflect.set(Module, 'enableCompileCache', undefined);
  const { computer, all } = userWith();
  keepCompiledCode(computer);
  expect(existsSync(all)).toBe(false);
});

test('makes no cache directory: a command that only looks leaves nothing in a new home', () => {
  const { computer, ours } = userWith();
  rmSync(ours, { recursive: true });
  keepCompiledCode(computer);
  expect(existsSync(ours)).toBe(false);
  expect(enable).not.toHaveBeenCalled();
});

test('a new build removes the code of builds that are long gone', async () => {
  const { computer, all } = userWith();
  const [old, recent] = [join(all, 'old'), join(all, 'recent')];
  for (const directory of [old, recent]) mkdirSync(directory, { recursive: true, mode: 0o700 });
  utimesSync(old, 0, 0);
  keepCompiledCode(computer);
  await until(() => !existsSync(old));
  expect(existsSync(recent)).toBe(true);
});
