import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { linuxOnly, posixOnly } from '../../../test/support/platform.js';
import { startStopwatch } from '../../../test/support/stopwatch.js';
import type { Tool } from '../../contract/types.js';
import { differenceOf } from '../../workbench/lock/deviations.js';
import { createLockFiles } from './lock-files.js';
import { toolHash } from './locked-tool.js';

const tool = (name: string, description = 'Does it.'): Tool => ({ name, description, inputSchema: { type: 'object' } });
const fs = { toolbox: 'dev', server: 'fs' };
const firstSight = (server: string, ...tools: Tool[]) => ({ toolbox: 'dev', server, tools, instructions: undefined });

function place() {
  const dir = temporaryDirectory();
  const config = join(dir, 'workbench-config.json');
  writeFileSync(config, '{}', { mode: 0o600 });
  const home = join(dir, 'home');
  mkdirSync(home);
  const warnings: string[] = [];
  const log = { info: () => {}, warn: (text: string) => void warnings.push(text), error: () => {} };
  const locks = () => createLockFiles({ env: {}, platform: process.platform, home }, log, { keepsFiles: true });
  return { dir, config, home, file: join(dir, 'workbench-config.lock.json'), warnings, locks };
}

/** A lock file with one server. */
async function locked(...tools: Tool[]) {
  const at = place();
  const locks = at.locks();
  await locks.of(at.config).ready();
  locks.of(at.config).add(firstSight('fs', ...tools));
  await locks.flush();
  return at;
}

/** As large as a tool may be: its lines are long in the lock, because each begins with the spaces of its level. */
function deepTool(name: string): Tool {
  const deep = (inner: unknown): unknown => Array.from({ length: 50 }).reduce((value: unknown) => [value], inner);
  const many = deep(Array.from({ length: 9_000 }, () => []));
  return { name, inputSchema: { type: 'object', default: many } };
}

describe('a listing that is too large for the lock', () => {
  const large = Array.from({ length: 380 }, (_, index) => deepTool(`tool-${index}`));

  test('is kept as digests, and every tool of it is recognised', async () => {
    const { config, locks, file } = await locked(...large);
    expect(statSync(file).size).toBeLessThan(1_000_000);
    const again = locks().of(config);
    await again.ready();
    const approved = again.approved(fs);
    expect(large.filter((one) => differenceOf(one, approved) !== undefined)).toEqual([]);
    expect(differenceOf({ ...deepTool('tool-7'), description: 'Other.' }, approved)).toBe('changed');
    expect(differenceOf(tool('another'), approved)).toBe('new');
  });

  test('does not change what is known of another server', async () => {
    const at = await locked(tool('read'));
    const locks = at.locks();
    await locks.of(at.config).ready();
    locks.of(at.config).add(firstSight('large', ...large));
    await locks.flush();
    const again = at.locks().of(at.config);
    await again.ready();
    expect(again.problem).toBeUndefined();
    expect(again.approved(fs)?.tools.get('read')).toEqual([{ copy: tool('read'), sha256: toolHash(tool('read')) }]);
    expect(at.warnings).toEqual([]);
  });
});

test('servers that are too large for the lock together are all in it, the largest as digests', async () => {
  const at = place();
  const locks = at.locks();
  await locks.of(at.config).ready();
  const long = (server: string, length: number) => firstSight(server, tool('long', 'x'.repeat(length)), tool('short'));
  for (let index = 0; index < 25; index++) locks.of(at.config).add(long(`server-${index}`, 800_000 + index));
  locks.of(at.config).add(long('small', 1_000));
  await locks.flush();
  expect(statSync(at.file).size).toBeLessThanOrEqual(16_000_000);
  const again = at.locks().of(at.config);
  await again.ready();
  expect(at.warnings).toEqual([]);
  for (let index = 0; index < 25; index++) {
    const names = { toolbox: 'dev', server: `server-${index}` };
    expect(differenceOf(tool('long', 'x'.repeat(800_000 + index)), again.approved(names))).toBeUndefined();
  }
  const keysOf = (server: string, name: string) =>
    Object.keys(again.approved({ toolbox: 'dev', server })?.tools.get(name)?.[0]?.copy ?? {});
  expect(keysOf('server-24', 'long')).toEqual(['name']);
  expect(keysOf('small', 'short')).toEqual(['description', 'inputSchema', 'name']);
});

describe('the lock file', () => {
  test('is written beside the configuration, for the same people, and read again', async () => {
    const { config, locks, file, dir } = await locked(tool('read'), tool('write'));
    const again = locks().of(config);
    await again.ready();
    expect(again.approved(fs)?.tools).toEqual(
      new Map([tool('read'), tool('write')].map((one) => [one.name, [{ copy: one, sha256: toolHash(one) }]])),
    );
    expect(again.approved({ toolbox: 'dev', server: 'other' })).toBeUndefined();
    expect(readdirSync(dir).toSorted()).toEqual(['home', 'workbench-config.json', 'workbench-config.lock.json']);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('is read and kept once by all sessions of a process, until it changes', async () => {
    const { config, locks, file } = await locked(tool('read'));
    const copyIn = async (of: ReturnType<typeof locks>) => {
      await of.of(config).refresh();
      return of.of(config).approved(fs)?.tools.get('read')?.[0]?.copy;
    };
    const [one, other] = [locks(), locks()];
    const first = await copyIn(one);
    expect(first).toEqual(tool('read'));
    expect(await copyIn(other)).toBe(first);
    writeFileSync(file, readFileSync(file, 'utf8').replace('Does it.', 'Does something else.'));
    expect(await copyIn(other)).toEqual(tool('read', 'Does something else.'));
    expect(await copyIn(one)).toBe(await copyIn(other));
  });

  test('has names as pairs, and everything in the order of names, whatever came first', async () => {
    const names = [
      ['b', '__proto__'],
      ['a', 'x'],
      ['a', '10'],
      ['a', '2'],
    ] as const;
    const texts = [names, names.toReversed()].map(async (order) => {
      const { config, locks, file } = place();
      const all = locks();
      for (const [toolbox, server] of order)
        all.of(config).add({ toolbox, server, tools: [tool('z'), tool('__proto__')], instructions: 'Read this.' });
      await all.flush();
      return readFileSync(file, 'utf8');
    });
    const [one, other] = await Promise.all(texts);
    expect(one).toBe(other);
    const { servers } = JSON.parse(one ?? '');
    expect(servers.map(({ server }: { server: unknown }) => server)).toEqual([
      ['a', '10'],
      ['a', '2'],
      ['a', 'x'],
      ['b', '__proto__'],
    ]);
    expect(servers[0].tools.map((entry: { tool: Tool }) => entry.tool.name)).toEqual(['__proto__', 'z']);
  });

  test('changes by one line for one word of a tool', async () => {
    const text = async (description: string) => {
      const { file } = await locked(tool('read'), tool('write', description));
      return readFileSync(file, 'utf8').split('\n');
    };
    const [before, after] = [await text('Writes.'), await text('Writes it.')];
    expect(before.filter((line) => !after.includes(line))).toHaveLength(2);
  });

  test('of many processes that write at the same time loses nothing, and keeps what was seen first', async () => {
    const { config, locks, file } = place();
    const writers = Array.from({ length: 8 }, () => locks());
    for (const [index, writer] of writers.entries()) {
      writer.of(config).add(firstSight('same', tool('a', `of ${index}`)));
      writer.of(config).add(firstSight(`server-${index}`, tool('b')));
    }
    await Promise.all(writers.map((writer) => writer.flush()));
    const { servers } = JSON.parse(readFileSync(file, 'utf8'));
    expect(servers).toHaveLength(9);
    expect(servers.filter(({ server }: { server: string[] }) => server[1] === 'same')).toHaveLength(1);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  test('that another process has changed is read again', async () => {
    const { config, locks } = await locked(tool('read'));
    const reader = locks().of(config);
    await reader.ready();
    const before = reader.revision;
    await reader.refresh();
    expect(reader.revision).toBe(before);
    const writer = locks();
    writer.of(config).add(firstSight('more', tool('x')));
    await writer.flush();
    await reader.refresh();
    expect(reader.revision).toBeGreaterThan(before);
    expect(reader.approved({ toolbox: 'dev', server: 'more' })?.tools.has('x')).toBe(true);
  });

  test('approves the copy that people read, whatever its digest', async () => {
    const { config, locks, file } = await locked(tool('read'));
    writeFileSync(file, readFileSync(file, 'utf8').replace('Does it.', 'Does something else.'));
    const lock = locks().of(config);
    await lock.ready();
    expect(differenceOf(tool('read'), lock.approved(fs))).toBe('changed');
    expect(differenceOf(tool('read', 'Does something else.'), lock.approved(fs))).toBeUndefined();
  });
});

describe('a lock file that cannot be used', () => {
  const nested = (depth: number) => `{"version":1,"servers":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  test.each([
    ['no JSON', '<<<<<<< HEAD\n{'],
    ['empty', ''],
    ['a list', '[]'],
    ['damaged', '{"version":1,"servers":[{"server":["dev"],"tools":[]}]}'],
    ['without a version', '{"servers":[]}'],
    ['of a later version', '{"version":2,"servers":[],"more":1}'],
    ['too deep', nested(1_000_000)],
    ['with too many values', `{"version":1,"servers":[${'1,'.repeat(2_000_000)}1]}`],
    ['too large', `{"version":1,"x":"${'x'.repeat(17_000_000)}"}`],
  ])('because it is %s gives one warning, and is never written', async (_, text) => {
    const { config, locks, file, warnings } = place();
    writeFileSync(file, text);
    const all = locks();
    const elapsed = startStopwatch();
    await all.of(config).ready();
    expect(elapsed()).toBeLessThan(500);
    await all.of(config).refresh();
    expect(all.of(config).problem).toBeDefined();
    all.of(config).add(firstSight('fs', tool('read')));
    await all.flush();
    expect(readFileSync(file, 'utf8') === text).toBe(true);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(file);
  });

  test('because it is a link, or others can write it, is not followed', async () => {
    posixOnly('has links and modes');
    const { config, locks, file, dir } = await locked(tool('read'));
    const elsewhere = join(dir, 'elsewhere.json');
    writeFileSync(elsewhere, readFileSync(file));
    chmodSync(file, 0o666);
    const open = locks().of(config);
    await open.ready();
    expect(open.problem).toBe('it can be written to by everyone');
    rmSync(file);
    symlinkSync(elsewhere, file);
    const all = locks();
    await all.of(config).ready();
    expect(all.of(config).problem).toBe('it is a symbolic link');
    all.of(config).add(firstSight('more', tool('x')));
    await all.flush();
    expect(JSON.parse(readFileSync(elsewhere, 'utf8')).servers).toHaveLength(1);
  });

  test('any more, or that is gone, leaves in force what was known', async () => {
    const { config, locks, file } = await locked(tool('read'));
    const lock = locks().of(config);
    await lock.ready();
    for (const damage of [() => writeFileSync(file, '{'), () => rmSync(file)]) {
      damage();
      await lock.refresh();
      expect(differenceOf(tool('read'), lock.approved(fs))).toBeUndefined();
      expect(differenceOf(tool('read', 'Else.'), lock.approved(fs))).toBe('changed');
    }
  });

  test('has no prototype for names', async () => {
    const { config, locks, file } = place();
    writeFileSync(
      file,
      '{"version":1,"servers":[{"server":["__proto__","constructor"],"tools":[{"sha256":"x","tool":{"name":"toString","__proto__":{"polluted":1}}}]}]}',
    );
    const lock = locks().of(config);
    await lock.ready();
    expect(lock.approved({ toolbox: '__proto__', server: 'constructor' })?.tools.get('toString')).toHaveLength(1);
    expect(lock.approved({ toolbox: 'constructor', server: '__proto__' })).toBeUndefined();
    expect({}).not.toHaveProperty('polluted');
  });
});

test('what cannot be written beside the configuration goes into the state of the user, and counts as well', async () => {
  linuxOnly('has a directory that nobody can write to');
  const { locks, home, warnings } = place();
  const config = '/proc/self/status';
  for (const [index, server] of ['one', 'two'].entries()) {
    const all = locks();
    all.of(config).add(firstSight(server, tool('x')));
    await all.flush();
    expect(warnings.filter((text) => text.includes('cannot be written'))).toHaveLength(index + 1);
  }
  expect(readdirSync(join(home, '.local', 'state', 'mcp-workbench', 'locks'))).toHaveLength(1);
  const again = locks().of(config);
  await again.ready();
  for (const server of ['one', 'two']) expect(again.approved({ toolbox: 'dev', server })?.tools.has('x')).toBe(true);
});

describe('the lock in the state of the user', () => {
  const config = '/proc/self/status';
  const stateOf = (home: string) => join(home, '.local', 'state', 'mcp-workbench');

  test('that cannot be used leaves nothing to begin with, like the one beside the configuration', async () => {
    linuxOnly('has a directory that nobody can write to');
    const { locks, home } = place();
    const all = locks();
    all.of(config).add(firstSight('one', tool('x')));
    await all.flush();
    const [name = ''] = readdirSync(join(stateOf(home), 'locks'));
    writeFileSync(join(stateOf(home), 'locks', name), '{');
    const again = locks().of(config);
    await again.ready();
    expect(again.problem).toBe('it is not valid JSON');
  });

  test('is not written where others can write', async () => {
    linuxOnly('has a directory that nobody can write to');
    const { locks, home, warnings } = place();
    mkdirSync(stateOf(home), { recursive: true });
    chmodSync(stateOf(home), 0o777);
    const all = locks();
    all.of(config).add(firstSight('one', tool('x')));
    await all.flush();
    expect(readdirSync(stateOf(home))).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('can be written to by other users')]);
  });
});
