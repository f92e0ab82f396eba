import { mkdtempSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { linuxOnly } from '../../../test/support/platform.js';
import { keptFileBytes, keptResultMs, maxKeptResults } from '../limits.js';
import { createKeptQuota } from './kept-quota.js';
import { createKeptResults, type KeptPlace, type KeptResults } from './kept-results.js';

const tool = { toolbox: 'dev', server: 'any', name: 'read' };
const megabyte = 1_048_576;

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'kept-results-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return join(made, 'cache');
}

function store(place: KeptPlace): KeptResults {
  const kept = createKeptResults({ quota: createKeptQuota(Number.POSITIVE_INFINITY), ...place });
  onTestFinished(() => kept.close());
  return kept;
}

/** Keeps a result of so many bytes, all of which say which one it is. */
async function keep(kept: KeptResults, bytes: number, which = 0): Promise<string | undefined> {
  const id = kept.nextId();
  return (await kept.keep(tool, [Buffer.alloc(bytes - 3, which), Buffer.alloc(3, which)])) ? id : undefined;
}

async function readable(kept: KeptResults, ids: readonly (string | undefined)[]): Promise<string[]> {
  const found: string[] = [];
  for (const id of ids) if (id !== undefined && (await kept.read(id, tool)) !== undefined) found.push(id);
  return found;
}

describe.each([
  ['in a file', directory],
  ['in memory', () => undefined],
])('a kept result %s', (_, place) => {
  test.each([1_000, 65_537, 3 * megabyte])('of %i bytes is read as it was, again and again', async (bytes) => {
    const kept = store({ directory: place() });
    expect(kept.nextId()).toBe('r1');
    expect(await keep(kept, bytes, 7)).toBe('r1');
    expect(kept.nextId()).toBe('r2');
    for (let time = 0; time < 3; time++)
      expect((await kept.read('r1', tool))?.equals(Buffer.alloc(bytes, 7))).toBe(true);
  });

  test('is found only by its id and its tool', async () => {
    const kept = store({ directory: place() });
    const [other, id] = [store({ directory: place() }), await keep(kept, 70_000)];
    for (const [key] of Object.entries(tool)) expect(await kept.read('r1', { ...tool, [key]: 'x' })).toBeUndefined();
    for (const wrong of ['r2', 'r01', 'R1', '', '__proto__', 'constructor'])
      expect(await kept.read(wrong, tool)).toBeUndefined();
    for (let number = 0; number < 10_000; number++) expect(await other.read(`r${number}`, tool)).toBeUndefined();
    expect(await readable(kept, [id])).toEqual(['r1']);
  });

  test('goes after an hour in which nobody has read it, and when a hundred newer ones are kept', async () => {
    let now = 0;
    const kept = store({ directory: place(), now: () => now });
    const ids = [await keep(kept, 70_000), await keep(kept, 70_000)];
    now += keptResultMs - 1;
    expect(await readable(kept, ['r1'])).toEqual(['r1']);
    now += 2;
    expect(await readable(kept, ids)).toEqual(['r1']);
    for (let one = 0; one < maxKeptResults; one++) await keep(kept, 1_000);
    expect(await readable(kept, ids)).toEqual([]);
    expect(await readable(kept, ['r3', 'r102'])).toEqual(['r3', 'r102']);
  });

  test('cannot be read when the session has ended, and nothing more is kept', async () => {
    const kept = store({ directory: place() });
    await keep(kept, 70_000);
    await kept.close();
    expect(await kept.read('r1', tool)).toBeUndefined();
    expect(await keep(kept, 70_000)).toBeUndefined();
  });
});

test('sixty results of 4 MB take two files of 32 MB and hardly any memory; the latest are kept', async () => {
  const place = directory();
  const kept = store({ directory: place });
  const before = process.memoryUsage().arrayBuffers;
  const bytes = Buffer.alloc(4 * megabyte, 1);
  for (let one = 0; one < 60; one++) expect(await kept.keep(tool, [bytes])).toBe(true);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * megabyte);
  const ids = Array.from({ length: 60 }, (_, at) => `r${at + 1}`);
  const left = await readable(kept, ids);
  expect(left).toEqual(ids.slice(-left.length));
  expect(left.length).toBeGreaterThanOrEqual(8);
  expect(left.length).toBeLessThanOrEqual(16);
  if (process.platform === 'linux') expect(bytesOnDisk(place)).toBeLessThanOrEqual(2 * keptFileBytes);
});

test('ten sessions beside each other keep what is theirs, and read nothing of another in 10,000 tries', async () => {
  const place = directory();
  const sessions = Array.from({ length: 10 }, () => store({ directory: place }));
  const each = 6;
  await Promise.all(
    sessions.map(async (kept, which) => {
      for (let one = 0; one < each; one++) await keep(kept, 4 * megabyte, which + 1);
    }),
  );
  for (const [which, kept] of sessions.entries())
    for (let one = 1; one <= each; one++) {
      const bytes = await kept.read(`r${one}`, tool);
      expect(bytes?.equals(Buffer.alloc(4 * megabyte, which + 1))).toBe(true);
    }
  if (process.platform === 'linux') expect(bytesOnDisk(place)).toBeLessThanOrEqual(10 * each * 4 * megabyte);
  const stranger = store({ directory: place });
  for (let one = 1; one <= 10_000; one++) expect(await stranger.read(`r${one}`, tool)).toBeUndefined();
});

test('a file of kept results has no name, and nobody else could open it while it had one', async () => {
  linuxOnly('reads /proc');
  const place = directory();
  const kept = store({ directory: place });
  await keep(kept, 70_000);
  expect(readdirSync(place)).toEqual([]);
  expect(bytesOnDisk(place)).toBe(70_000);
  expect(openFiles(place).map(({ mode }) => mode & 0o777)).toEqual([0o600]);
  await kept.close();
  expect(openFiles(place)).toEqual([]);
});

test('a result that is larger than a file is kept, too', async () => {
  const kept = store({ directory: directory() });
  const [small, large] = [await keep(kept, 70_000), await keep(kept, keptFileBytes + 1)];
  expect(await readable(kept, [small, large])).toEqual(['r1', 'r2']);
  expect(await readable(kept, [await keep(kept, 70_000), small, large])).toEqual(['r3', 'r2']);
});

test('small results stay in memory, up to 4 MB', async () => {
  const kept = store({ directory: directory() });
  const ids: (string | undefined)[] = [];
  for (let one = 0; one < 80; one++) ids.push(await keep(kept, 65_536));
  expect(await readable(kept, ids)).toEqual(ids.slice(-64));
});

test.each([
  ['is a file', 'file'],
  ['cannot be made', 'file/inner'],
  ['has an impossible name', 'a\0b'],
])('where the directory %s, results are kept in memory, up to 8 MB', async (_, name) => {
  const place = join(directory(), '..');
  writeFileSync(join(place, 'file'), '');
  const kept = store({ directory: join(place, name) });
  const ids = [await keep(kept, 5 * megabyte), await keep(kept, 3 * megabyte), await keep(kept, 9 * megabyte)];
  expect(ids).toEqual(['r1', 'r2', undefined]);
  expect(await readable(kept, ids)).toEqual(['r1', 'r2']);
  expect(await readable(kept, [await keep(kept, 4 * megabyte), ...ids])).toEqual(['r4', 'r2']);
});

test('many results at once are all kept', async () => {
  const kept = store({ directory: directory() });
  const ids = await Promise.all(Array.from({ length: 50 }, (_, which) => keep(kept, 600_000 + which, which)));
  for (const [which, id] of ids.entries())
    expect((await kept.read(id ?? '', tool))?.equals(Buffer.alloc(600_000 + which, which))).toBe(true);
});

test('over the limit of the process, the session that keeps most loses its older results', async () => {
  const quota = createKeptQuota(100 * megabyte);
  const [greedy, modest] = [store({ directory: directory(), quota }), store({ directory: directory(), quota })];
  const own = [await keep(modest, 10 * megabyte), await keep(modest, 20 * megabyte)];
  const ids: (string | undefined)[] = [];
  for (let one = 0; one < 8; one++) ids.push(await keep(greedy, 9 * megabyte));
  expect(await readable(modest, own)).toEqual(own);
  const left = await readable(greedy, ids);
  expect(left).toEqual(ids.slice(-left.length));
  expect(left.length).toBeLessThan(8);
  await greedy.close();
  for (let one = 0; one < 3; one++) await keep(modest, 20 * megabyte);
});

interface OpenFile {
  readonly mode: number;
  readonly size: number;
}

/** The open files of this process that were in a directory and have no name any more. */
function openFiles(place: string): OpenFile[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const link = readlinkSync(`/proc/self/fd/${fd}`);
      if (!link.startsWith(place) || !link.endsWith(' (deleted)')) return [];
      const { mode, size } = statSync(`/proc/self/fd/${fd}`);
      return [{ mode, size }];
    } catch {
      return [];
    }
  });
}

function bytesOnDisk(place: string): number {
  return openFiles(place).reduce((sum, { size }) => sum + size, 0);
}

test('a reserved id is that of no other result, and its result has a place whatever its size', async () => {
  const kept = store({});
  const id = kept.reserve();
  expect([id, kept.nextId()]).toEqual(['r1', 'r2']);
  const second = await keep(kept, 1_000);
  expect(await keep(kept, 9 * megabyte)).toBeUndefined();
  expect(await readable(kept, [id, second])).toEqual(['r2']);
  expect(await kept.keep(tool, [Buffer.alloc(9 * megabyte)], id)).toBe(true);
  expect(await readable(kept, [id, second])).toEqual(['r1']);
});
