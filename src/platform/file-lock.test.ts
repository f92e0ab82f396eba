import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/support/launch.js';
import { withFileLock } from './file-lock.js';

const limitMs = 60_000;

describe('the lock of a file', () => {
  test('lets one in at a time, and is gone afterwards', async () => {
    const file = join(temporaryDirectory(), 'some.json');
    let inside = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
    };
    await Promise.all(Array.from({ length: 5 }, () => withFileLock(file, { limitMs }, work)));
    expect(most).toBe(1);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  test('is gone after a failure, too', async () => {
    const file = join(temporaryDirectory(), 'some.json');
    await expect(withFileLock(file, { limitMs }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  test.each([
    ['of a process that has ended', JSON.stringify({ pid: 2 ** 30, host: hostname(), id: 'x' }), 0],
    ['of another computer that is too old', JSON.stringify({ pid: 1, host: 'elsewhere', id: 'x' }), 60],
    ['without content that is too old', '', 60],
  ])('%s is removed', async (_, content, ageSeconds) => {
    const directory = temporaryDirectory();
    const file = join(directory, 'some.json');
    writeFileSync(`${file}.lock`, content);
    const since = Date.now() / 1000 - ageSeconds;
    utimesSync(`${file}.lock`, since, since);
    expect(await withFileLock(file, { limitMs }, async () => 'in')).toBe('in');
    expect(readdirSync(directory)).toEqual([]);
  });

  test('as a directory is made as other programs make it, and is gone afterwards', async () => {
    const file = join(temporaryDirectory(), 'some.json');
    const isDirectory = await withFileLock(file, { limitMs, form: 'directory' }, () =>
      statSync(`${file}.lock`).isDirectory(),
    );
    expect(isDirectory).toBe(true);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  test.each(['file', 'directory'] as const)('as a %s waits for a directory until that is too old', async (form) => {
    const file = join(temporaryDirectory(), 'some.json');
    mkdirSync(`${file}.lock`);
    await expect(withFileLock(file, { limitMs: 1, form }, () => 'in')).rejects.toMatchObject({ code: 'BUSY' });
    const since = Date.now() / 1000 - 60;
    utimesSync(`${file}.lock`, since, since);
    expect(await withFileLock(file, { limitMs, form }, () => 'in')).toBe('in');
  });

  test('that is a directory with files in it is never removed, and the wait for it ends', async () => {
    const file = join(temporaryDirectory(), 'some.json');
    mkdirSync(join(`${file}.lock`, 'more'), { recursive: true });
    utimesSync(`${file}.lock`, 0, 0);
    const waiting = withFileLock(file, { limitMs: 1, form: 'directory' }, () => 'in');
    await expect(waiting).rejects.toMatchObject({ code: 'BUSY', lock: `${file}.lock` });
  });

  test('that cannot be made says why', async () => {
    const file = join(temporaryDirectory(), 'a file');
    writeFileSync(file, '');
    const inside = join(file, 'some.json');
    await expect(withFileLock(inside, { limitMs, form: 'directory' }, () => 'in')).rejects.toMatchObject({
      code: 'ENOTDIR',
    });
  });

  test('keeps signals from ending the process for as long as its work takes', async () => {
    const file = join(temporaryDirectory(), 'some.json');
    const before = process.listenerCount('SIGTERM');
    await withFileLock(file, { limitMs, isUninterrupted: true }, () => {
      expect(process.listenerCount('SIGTERM')).toBe(before + 1);
    });
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });

  test('of a process that runs is waited for, until the wait is cancelled', async () => {
    const file = join(temporaryDirectory(), 'some.json');
    const content = JSON.stringify({ pid: process.pid, host: hostname(), id: 'x' });
    writeFileSync(`${file}.lock`, content);
    const cancelled = new AbortController();
    const waiting = withFileLock(file, { limitMs, signal: cancelled.signal }, async () => 'in');
    cancelled.abort();
    await expect(waiting).rejects.toThrow();
    expect(existsSync(`${file}.lock`)).toBe(true);
  });
});
