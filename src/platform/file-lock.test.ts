import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
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
