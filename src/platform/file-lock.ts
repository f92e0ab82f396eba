import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { crypto } from './crypto.js';

/** While the lock is held its time is renewed this often, so that only the lock of a process that has ended gets old. */
const renewalMs = 5_000;
const abandonedAfterMs = 20_000;
const pollMs = 50;

/** Runs `work` while no other process does so for the same file. A lock that a crash has left is removed. */
export async function withFileLock<T>(
  file: string,
  { limitMs, signal }: { readonly limitMs: number; readonly signal?: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  const lock = `${file}.lock`;
  mkdirSync(path.dirname(lock), { recursive: true, mode: 0o700 });
  const own = JSON.stringify({ pid: process.pid, host: hostname(), id: crypto().randomUUID() });
  const deadline = performance.now() + limitMs;
  while (!take(lock, own)) {
    removeAbandoned(lock);
    if (performance.now() > deadline) throw new Error(`another process has held ${lock} for too long`);
    await delay(pollMs, undefined, signal === undefined ? {} : { signal });
  }
  const renewal = setInterval(() => attempt(() => utimesSync(lock, new Date(), new Date())), renewalMs).unref();
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    // After this process was suspended for long, it may be another one's.
    if (contentOf(lock) === own) attempt(() => rmSync(lock));
  }
}

function take(lock: string, content: string): boolean {
  try {
    writeFileSync(lock, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'EEXIST' || error.code === 'EPERM')) return false;
    // On a full disk it was made, and is empty; one that another process holds has its name in it.
    if (contentOf(lock) === '') attempt(() => rmSync(lock));
    throw error;
  }
}

/** Moved away before it is deleted: two processes may find it at the same time, and one may have a lock of its own already. */
function removeAbandoned(lock: string): void {
  const content = contentOf(lock);
  if (content === undefined || !isAbandoned(lock, content)) return;
  const aside = `${lock}.${crypto().randomUUID()}`;
  attempt(() => {
    renameSync(lock, aside);
    if (contentOf(aside) !== content) attempt(() => linkSync(aside, lock));
    rmSync(aside, { force: true });
  });
}

function isAbandoned(lock: string, content: string): boolean {
  try {
    const age = Date.now() - statSync(lock).mtimeMs;
    return age > abandonedAfterMs || hasEnded(content);
  } catch {
    return false;
  }
}

/** Whether the process that holds the lock is known to have ended. */
function hasEnded(content: string): boolean {
  try {
    const holder: unknown = JSON.parse(content);
    if (typeof holder !== 'object' || holder === null || !('host' in holder) || !('pid' in holder)) return false;
    if (holder.host !== hostname() || typeof holder.pid !== 'number') return false;
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

function contentOf(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8');
  } catch {
    return undefined;
  }
}

function attempt(action: () => void): void {
  try {
    action();
  } catch {
    // Another process was faster.
  }
}
