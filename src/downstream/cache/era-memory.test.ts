import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { posixOnly } from '../../../test/support/platform.js';
import type { RemoteTarget, StdioTarget } from '../../config/config.js';
import { sha256 } from '../../platform/crypto.js';
import { createEraMemory as createLazily, type EraMemory } from './era-memory.js';

const day = 24 * 3_600_000;
const target = (command: string, more: Partial<StdioTarget> = {}): StdioTarget => ({
  kind: 'stdio',
  command,
  args: [],
  env: new Map(),
  cwd: undefined,
  ...more,
});
const remote = (url: string, more: Partial<RemoteTarget> = {}): RemoteTarget => ({
  kind: 'remote',
  url,
  headers: new Map(),
  transport: 'auto',
  ...more,
});

/** One that does not gather what it has to write. */
function createEraMemory(file: string | undefined): EraMemory {
  const memory = createLazily(file);
  const atOnce =
    <Target>(change: (target: Target) => void) =>
    (about: Target) => {
      change(about);
      memory.flush();
    };
  return {
    ...memory,
    remember: atOnce((about) => memory.remember(about)),
    forget: atOnce((about) => memory.forget(about)),
    rememberSse: atOnce((about) => memory.rememberSse(about)),
    forgetSse: atOnce((about) => memory.forgetSse(about)),
  };
}

afterEach(() => {
  vi.useRealTimers();
});

test('what is remembered is known to the next one that reads the file', () => {
  const file = join(temporaryDirectory(), 'deep', 'eras.json');
  const memory = createEraMemory(file);
  expect(memory.isLegacy(target('a'))).toBe(false);
  expect(existsSync(file)).toBe(false);
  memory.remember(target('a'));
  expect(memory.isLegacy(target('a'))).toBe(true);
  expect(createEraMemory(file).isLegacy(target('a'))).toBe(true);
  createEraMemory(file).forget(target('a'));
  expect(createEraMemory(file).isLegacy(target('a'))).toBe(false);
});

test('another command, other arguments or another directory is another server', () => {
  const memory = createEraMemory(undefined);
  memory.remember(target('npx', { args: ['-y', 'one'] }));
  expect(memory.isLegacy(target('npx', { args: ['-y', 'one'], env: new Map([['TOKEN', 'x']]) }))).toBe(true);
  const others = [target('npx'), target('npx', { args: ['-y one'] }), target('npx', { args: ['-y', 'one'], cwd: '/' })];
  for (const other of others) expect(memory.isLegacy(other)).toBe(false);
});

test('a remote server is known by its url, whatever its headers', () => {
  const memory = createEraMemory(undefined);
  memory.remember(remote('https://a.test/mcp'));
  const headers = new Map([['Authorization', 'Bearer x']]);
  expect(memory.isLegacy(remote('https://a.test/mcp', { headers, transport: 'http' }))).toBe(true);
  expect(memory.isLegacy(remote('https://a.test/mcp?team=2'))).toBe(false);
});

test('a remote server that speaks only SSE is known to the next one that reads the file, apart from its era', () => {
  const file = join(temporaryDirectory(), 'eras.json');
  const server = remote('https://a.test/mcp?key=canary');
  createEraMemory(file).rememberSse(server);
  expect(createEraMemory(file).isSse(server)).toBe(true);
  expect(createEraMemory(file).isLegacy(server)).toBe(false);
  expect(createEraMemory(file).isSse(remote('https://a.test/'))).toBe(false);
  expect(readFileSync(file, 'utf8')).not.toContain('canary');
  createEraMemory(file).remember(server);
  createEraMemory(file).forgetSse(server);
  expect(createEraMemory(file).isSse(server)).toBe(false);
  expect(createEraMemory(file).isLegacy(server)).toBe(true);
});

test('a file of an earlier version, which has only eras of programs, is read and kept', () => {
  const file = join(temporaryDirectory(), 'eras.json');
  writeFileSync(file, JSON.stringify({ [sha256(JSON.stringify(['a', [], undefined]))]: Date.now() - day }));
  createEraMemory(file).rememberSse(remote('https://a.test/'));
  const memory = createEraMemory(file);
  expect([memory.isLegacy(target('a')), memory.isSse(remote('https://a.test/'))]).toEqual([true, true]);
});

test('after a week it is forgotten', () => {
  vi.useFakeTimers();
  const file = join(temporaryDirectory(), 'eras.json');
  createEraMemory(file).remember(target('a'));
  vi.advanceTimersByTime(7 * day - 1);
  expect(createEraMemory(file).isLegacy(target('a'))).toBe(true);
  vi.advanceTimersByTime(1);
  expect(createEraMemory(file).isLegacy(target('a'))).toBe(false);
});

test('two that write the same file keep what the other has learned', () => {
  const file = join(temporaryDirectory(), 'eras.json');
  const [one, two] = [createEraMemory(file), createEraMemory(file)];
  expect(one.isLegacy(target('a')) || two.isLegacy(target('a'))).toBe(false);
  one.remember(target('a'));
  two.remember(target('b'));
  const third = createEraMemory(file);
  expect([third.isLegacy(target('a')), third.isLegacy(target('b'))]).toEqual([true, true]);
});

test('a thousand are kept, the latest', () => {
  const file = join(temporaryDirectory(), 'eras.json');
  const old = Array.from({ length: 1_000 }, (_, index) => [`${index}`.padStart(64, 'f'), Date.now() - 1]);
  writeFileSync(file, JSON.stringify(Object.fromEntries(old)));
  createEraMemory(file).remember(target('a'));
  const kept: object = JSON.parse(readFileSync(file, 'utf8'));
  expect(Object.keys(kept)).toHaveLength(1_000);
  expect(createEraMemory(file).isLegacy(target('a'))).toBe(true);
});

test.each(['', '{', '[]', 'null', '7', '{"x":"y"}', '{"x":{}}', '\0'])('a file that holds %j is none', (content) => {
  const file = join(temporaryDirectory(), 'eras.json');
  writeFileSync(file, content);
  const memory = createEraMemory(file);
  expect(memory.isLegacy(target('a'))).toBe(false);
  memory.remember(target('a'));
  expect(createEraMemory(file).isLegacy(target('a'))).toBe(true);
});

test('an entry from the future does not count: it would never grow old', () => {
  const file = join(temporaryDirectory(), 'eras.json');
  createEraMemory(file).remember(target('a'));
  const [key = ''] = Object.keys(JSON.parse(readFileSync(file, 'utf8')));
  writeFileSync(file, JSON.stringify({ [key]: Date.now() + 10 * day }));
  expect(createEraMemory(file).isLegacy(target('a'))).toBe(false);
});

test('where nothing can be written it remembers as long as it lives', () => {
  posixOnly('file modes');
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'file'), '');
  chmodSync(directory, 0o700);
  const memory = createEraMemory(join(directory, 'file', 'eras.json'));
  memory.remember(target('a'));
  expect(memory.isLegacy(target('a'))).toBe(true);
});

test('changes within a second are written together', async () => {
  vi.useFakeTimers();
  const file = join(temporaryDirectory(), 'eras.json');
  const memory = createLazily(file);
  for (const name of ['a', 'b', 'c']) memory.remember(target(name));
  expect(existsSync(file)).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toHaveLength(3);
});
