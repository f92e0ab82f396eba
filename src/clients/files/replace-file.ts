import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Access } from '../../config/files/text-file.js';
import { WorkbenchError } from '../../contract/errors.js';
import { crypto } from '../../platform/crypto.js';

const temporaryMark = '.mcp-workbench-';
const leftBehindAfterMs = 60_000;
const renameTries = 20;
const renameRetryMs = 50;

/** A file that is to be replaced. */
export interface Replacement {
  /** Where links lead. */
  readonly real: string;
  /** What it has to hold for the replacement to be right; undefined: it must not exist. */
  readonly before: Buffer | undefined;
  readonly after: Buffer;
  readonly access: Access | undefined;
  /** For a file that does not exist. */
  readonly mode: number;
}

/**
 * Replaces the content of a file that others may write, too: a temporary file beside it, with the same mode and owner, is
 * renamed. Readers see the old content or the new, whatever happens. Returns false if the file is no longer what it was.
 */
export async function replaceFile(replacement: Replacement): Promise<boolean> {
  const { real } = replacement;
  try {
    removeLeftBehind(real);
    return await replaceByRename(replacement);
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkbenchError') throw error;
    throw unwritable(real, error);
  }
}

/** Removes a file. Returns false if it is no longer what it was. */
export function removeFile({ real, before }: Pick<Replacement, 'real' | 'before'>): boolean {
  try {
    if (!isSame(real, before)) return false;
    rmSync(real, { force: true });
    return true;
  } catch (error) {
    throw unwritable(real, error);
  }
}

async function replaceByRename(replacement: Replacement): Promise<boolean> {
  const { real, before, access } = replacement;
  const temporary = `${real}${temporaryMark}${crypto().randomUUID().slice(0, 8)}.tmp`;
  try {
    const isAlike = writeTemporary(temporary, replacement);
    if (!isSame(real, before)) return false;
    if (isAlike && (await tryRename(temporary, real))) {
      syncDirectory(path.dirname(real));
      return true;
    }
    if (access === undefined) throw new Error('it cannot be renamed');
    writeInPlace(replacement);
    return true;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Whether it could be given the owner of the file. */
function writeTemporary(temporary: string, { after, access, mode }: Replacement): boolean {
  const descriptor = openSync(temporary, 'wx', (access?.mode ?? mode) & 0o777);
  try {
    writeAll(descriptor, after);
    if (access === undefined || process.platform === 'win32') return true;
    const own = fstatSync(descriptor);
    if (own.uid !== access.uid || own.gid !== access.gid) {
      try {
        fchownSync(descriptor, access.uid, access.gid);
      } catch {
        return false;
      }
    }
    fchmodSync(descriptor, access.mode & 0o7777);
    return true;
  } finally {
    fsyncSync(descriptor);
    closeSync(descriptor);
  }
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at, bytes.length - at, at);
}

function isSame(file: string, before: Buffer | undefined): boolean {
  try {
    const now = readFileSync(file);
    return before?.equals(now) ?? false;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return before === undefined;
    throw error;
  }
}

/** False if the file cannot be renamed over, because it is a mount point. */
async function tryRename(from: string, to: string): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      renameSync(from, to);
      return true;
    } catch (error) {
      const code = codeOf(error);
      if (code === 'EXDEV' || (code === 'EBUSY' && process.platform !== 'win32')) return false;
      // Windows refuses while another program has the file open.
      const isOpen = process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(code);
      if (!isOpen || tries === renameTries) throw error;
      await wait(renameRetryMs);
    }
  }
}

/** Spaces make the new content as long as the old: if it is not cut, it is still valid. */
function writeInPlace({ real, before, after }: Replacement): void {
  const descriptor = openSync(real, constants.O_WRONLY);
  try {
    const padding = Buffer.alloc(Math.max(0, (before?.length ?? 0) - after.length), ' ');
    writeAll(descriptor, Buffer.concat([after, padding]));
    fsyncSync(descriptor);
    ftruncateSync(descriptor, after.length);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Temporary files of processes that were killed. */
function removeLeftBehind(real: string): void {
  const directory = path.dirname(real);
  const start = path.basename(real) + temporaryMark;
  for (const name of readdirSync(directory).filter((one) => one.startsWith(start))) {
    const stats = statSync(path.join(directory, name), { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > leftBehindAfterMs)
      rmSync(path.join(directory, name), { force: true });
  }
}

/** So that the new name outlasts a power failure, where the system can do that. */
function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } catch {
    // Not every file system can.
  } finally {
    closeSync(descriptor);
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
};

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

export function unwritable(file: string, error: unknown): WorkbenchError {
  const code = codeOf(error);
  const reason = reasons[code] ?? (code === 'unknown error' && error instanceof Error ? error.message : code);
  return new WorkbenchError('CLIENT_FILE_UNWRITABLE', `Cannot write ${file}: ${reason}. Nothing was changed.`, {
    cause: error,
  });
}
