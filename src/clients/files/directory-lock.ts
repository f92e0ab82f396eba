import { mkdirSync, rmdirSync, statSync, utimesSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { WorkbenchError } from '../../contract/errors.js';

const retryMs = 50;
/** A holder sets the time of its lock again long before this. */
const staleMs = 10_000;
const refreshMs = 2_000;

/**
 * Runs something while holding a lock that is a directory, as Claude Code does it: who makes the directory has the lock. One
 * that is old and whose time does not change was left behind by a process that was killed.
 */
export async function withDirectoryLock<T>(directory: string, limitMs: number, work: () => Promise<T> | T): Promise<T> {
  await acquire(directory, limitMs);
  const refresh = setInterval(() => touch(directory), refreshMs);
  // A write takes milliseconds; interrupted, it would leave the lock behind.
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const ignore = () => {};
  for (const signal of signals) process.on(signal, ignore);
  try {
    return await work();
  } finally {
    clearInterval(refresh);
    release(directory);
    for (const signal of signals) process.off(signal, ignore);
  }
}

async function acquire(directory: string, limitMs: number): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!tryMake(directory)) {
    if (isStale(directory)) release(directory);
    else if (Date.now() > deadline)
      throw new WorkbenchError(
        'CLIENT_FILE_BUSY',
        `${directory} is still there after ${limitMs / 1_000} s: another program is writing the file. Nothing was changed.`,
      );
    else await wait(retryMs);
  }
  touch(directory);
}

function tryMake(directory: string): boolean {
  try {
    mkdirSync(directory);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') return false;
    throw new WorkbenchError(
      'CLIENT_FILE_UNWRITABLE',
      `Cannot lock the file: ${code} for ${directory}. Nothing was changed.`,
    );
  }
}

function isStale(directory: string): boolean {
  const stats = statSync(directory, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > staleMs;
}

function release(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // Somebody else has removed it.
  }
}

function touch(directory: string): void {
  try {
    const now = new Date();
    utimesSync(directory, now, now);
  } catch {
    // It was taken for one that was left behind.
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
