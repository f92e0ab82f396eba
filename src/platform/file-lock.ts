import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { crypto } from './crypto.js';

/** While a lock is held its time is renewed this often, so that only the lock of a process that has ended gets old. */
const renewalMs = 2_000;
const abandonedAfterMs = { file: 20_000, directory: 10_000 };
const pollMs = 50;

export interface LockOptions {
  /** How long to wait for others. */
  readonly limitMs: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
  /**
   * `file`, unless said otherwise: it names its owner. `directory`: what other programs, such as Claude Code, take for a lock of
   * the same file; it has no owner in it, so one that a crash has left is known by its age only.
   */
  readonly form?: 'file' | 'directory';
  /** Signals do not end this process during `work`, which has to be short. */
  readonly isUninterrupted?: true;
}

/** The lock was not taken. `code`: of the system, or `BUSY` if others have held it for too long. */
export class FileLockFailure extends Error {
  override readonly name = 'FileLockFailure';
  readonly lock: string;
  readonly code: string;

  constructor(lock: string, code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.lock = lock;
    this.code = code;
  }
}

/** Runs `work` while no other process does so for the same file. A lock that a crash has left is removed. */
export async function withFileLock<T>(
  file: string,
  options: LockOptions,
  work: () => Promise<T> | T,
): Promise<Awaited<T>> {
  const lock = `${file}.lock`;
  const owner = options.form === 'directory' ? undefined : ownerText();
  await acquire(lock, owner, options);
  const renewal = setInterval(() => renew(lock), renewalMs).unref();
  const allowSignals = options.isUninterrupted === true ? ignoreSignals() : () => {};
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    // After this process was suspended for long, it may be another one's.
    if (contentOf(lock) === owner) attempt(() => remove(lock, owner));
    allowSignals();
  }
}

async function acquire(lock: string, owner: string | undefined, { limitMs, signal }: LockOptions): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!take(lock, owner)) {
    if (removeAbandoned(lock)) continue;
    if (performance.now() > deadline) {
      throw new FileLockFailure(lock, 'BUSY', `another process has held ${lock} for too long`);
    }
    await delay(pollMs, undefined, signal === undefined ? {} : { signal });
  }
  renew(lock);
}

function take(lock: string, owner: string | undefined): boolean {
  try {
    if (owner === undefined) {
      mkdirSync(lock);
      return true;
    }
    mkdirSync(path.dirname(lock), { recursive: true, mode: 0o700 });
    writeFileSync(lock, owner, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    // Windows says EPERM of a file that is being deleted.
    if (code === 'EEXIST' || (code === 'EPERM' && owner !== undefined)) return false;
    // On a full disk it was made, and is empty; one that another process holds has its name in it.
    if (contentOf(lock) === '') attempt(() => rmSync(lock));
    throw new FileLockFailure(lock, code, error instanceof Error ? error.message : code, { cause: error });
  }
}

/** A file is moved away before it is deleted: two processes may find it at the same time, and one may have a lock of its own already. */
function removeAbandoned(lock: string): boolean {
  const content = contentOf(lock);
  if (!isAbandoned(lock, content)) return false;
  return attempt(() => {
    if (content === undefined) {
      rmdirSync(lock);
      return;
    }
    const aside = `${lock}.${crypto().randomUUID()}`;
    renameSync(lock, aside);
    if (contentOf(aside) !== content) attempt(() => linkSync(aside, lock));
    rmSync(aside, { force: true });
  });
}

function isAbandoned(lock: string, content: string | undefined): boolean {
  const stats = statSync(lock, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  const limitMs = abandonedAfterMs[stats.isDirectory() ? 'directory' : 'file'];
  return Date.now() - stats.mtimeMs > limitMs || (content !== undefined && hasEnded(content));
}

function ownerText(): string {
  return JSON.stringify({ pid: process.pid, host: hostname(), id: crypto().randomUUID() });
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
    // Not EPERM: it may be a process of another user, who may write the same file.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/** Interrupted, the work would leave its lock behind, and half of what it does. */
function ignoreSignals(): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const ignore = () => {};
  for (const signal of signals) process.on(signal, ignore);
  return () => {
    for (const signal of signals) process.off(signal, ignore);
  };
}

/** Undefined for a directory. */
function contentOf(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8');
  } catch {
    return undefined;
  }
}

function renew(lock: string): void {
  attempt(() => utimesSync(lock, new Date(), new Date()));
}

function remove(lock: string, owner: string | undefined): void {
  if (owner === undefined) rmdirSync(lock);
  else rmSync(lock);
}

/** False if another process was faster. */
function attempt(action: () => void): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}

/** Not by `instanceof`: parts have their own copies of the class. */
export function isFileLockFailure(error: unknown): error is FileLockFailure {
  return error instanceof Error && error.name === 'FileLockFailure';
}
