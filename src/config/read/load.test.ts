import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { posixOnly } from '../../../test/support/platform.js';
import { digestOf, writeTrust } from '../trust/trust-store.js';
import { embeddedConfig } from './embedded.js';
import { loadConfigFile } from './load.js';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'workbench-load-'));
  mkdirSync(path.join(directory, 'home/.config/mcp-workbench'), { recursive: true });
});
afterEach(() => rmSync(directory, { recursive: true }));

const valid = (openTimeoutMs: number) => JSON.stringify({ toolboxes: {}, openTimeoutMs });
const write = (name: string, content: string | Buffer) => writeFileSync(path.join(directory, name), content);
const place = () => ({ env: {}, cwd: directory, platform: 'linux', home: path.join(directory, 'home') });
const load = (options: { path?: string; env?: Record<string, string> } = {}) =>
  loadConfigFile({ ...place(), ...options }).config;
const own = 'home/.config/mcp-workbench/workbench-config.json';

test('it is not an error if there is no configuration file', () => {
  expect(load()).toBeUndefined();
});

test('the first file that exists is used: from --config, WORKBENCH_CONFIG, the working directory if trusted, the home directory', () => {
  write(own, valid(4));
  expect(load()?.openTimeoutMs).toBe(4);
  write('workbench-config.json', valid(3));
  expect(loadConfigFile(place())).toMatchObject({
    config: { openTimeoutMs: 4 },
    warnings: [expect.stringContaining('not used: the user has not trusted it')],
  });
  const real = realpathSync.native(path.join(directory, 'workbench-config.json'));
  const sha256 = digestOf(real, Buffer.from(valid(3)));
  writeTrust(place(), { files: [{ path: real, sha256, at: '' }], directories: [] });
  expect(load()?.openTimeoutMs).toBe(3);
  write('env.json', valid(2));
  expect(load({ env: { WORKBENCH_CONFIG: path.join(directory, 'env.json') } })?.openTimeoutMs).toBe(2);
  expect(() => load({ env: { WORKBENCH_CONFIG: 'env.json' } })).toThrow(
    expect.objectContaining({ code: 'CONFIG_UNTRUSTED' }),
  );
  expect(load({ env: { WORKBENCH_CONFIG: 'env.json', CI: 'true' } })?.openTimeoutMs).toBe(2);
  write('named.json', valid(1));
  const config = load({ path: 'named.json', env: { WORKBENCH_CONFIG: 'env.json' } });
  expect(config).toMatchObject({
    openTimeoutMs: 1,
    source: { kind: 'file', path: path.join(directory, 'named.json') },
  });
});

test('a named file that does not exist is an error with its path and an example', () => {
  write('workbench-config.json', valid(3));
  const file = path.join(directory, 'nope.json');
  const named = (by: string) =>
    expect.objectContaining({
      code: 'CONFIG_NOT_FOUND',
      message: expect.stringContaining(
        `Cannot read the configuration file ${file} (named by ${by}): it does not exist. Create it, or correct the path. Example: { "toolboxes"`,
      ),
    });
  expect(() => load({ path: 'nope.json' })).toThrow(named('--config'));
  expect(() => load({ env: { WORKBENCH_CONFIG: 'nope.json' } })).toThrow(named('WORKBENCH_CONFIG'));
});

test('a directory is not a configuration, named or not', () => {
  mkdirSync(path.join(directory, own));
  const expected = expect.objectContaining({
    code: 'CONFIG_NOT_FOUND',
    message: expect.stringContaining('it is a directory'),
  });
  expect(() => load()).toThrow(expected);
  expect(() => load({ path: '.' })).toThrow(expected);
});

test('a file without permission is an error', () => {
  posixOnly('file modes');
  write(own, valid(3));
  chmodSync(directory, 0o755);
  chmodSync(path.join(directory, own), 0);
  // Root may read everything, so the test drops that privilege while it reads.
  const isSuperuser = process.geteuid?.() === 0;
  if (isSuperuser) process.seteuid?.(65_534);
  try {
    expect(() => load()).toThrow(/permission denied/);
  } finally {
    if (isSuperuser) process.seteuid?.(0);
  }
});

test.each([
  ['larger than 10 MB', Buffer.alloc(10_000_001, ' ')],
  ['not UTF-8', Buffer.from('\uFEFF{}', 'utf16le')],
  ['not UTF-8', Buffer.from('{}', 'utf16le')],
  ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
])('a file that is %s is not valid', (problem, content) => {
  write(own, content);
  const expected = { code: 'CONFIG_INVALID', message: expect.stringContaining(problem) };
  expect(() => load()).toThrow(expect.objectContaining(expected));
});

test('an invalid file is an error with its faults, also if it was not named', () => {
  write(own, '{}');
  const expected = {
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('workbench-config.json:1:1 config.toolboxes'),
  };
  expect(() => load()).toThrow(expect.objectContaining(expected));
});

test('the embedded configuration has one toolbox with one built-in server', () => {
  const config = embeddedConfig('/lib/guide.js', '/bin/node');
  expect(config.source).toEqual({ kind: 'embedded' });
  expect([...config.toolboxes.keys()]).toEqual(['getting-started']);
  expect(config.toolboxes.get('getting-started')?.servers.get('guide')).toMatchObject({
    toolbox: 'getting-started',
    name: 'guide',
    target: { kind: 'stdio', command: '/bin/node', args: ['/lib/guide.js'] },
    limits: { startTimeoutMs: 120_000 },
  });
});
