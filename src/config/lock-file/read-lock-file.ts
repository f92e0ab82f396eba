import { constants, type Stats } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { maxLockBytes } from '../../limits.js';
import { unsafeAccess } from '../files/access.js';
import { type LockDocument, parseLock } from './lock-document.js';

/** A lock file as it was found. `state` differs if the file does. */
export type FoundLock =
  | { readonly is: 'missing'; readonly state: string }
  | { readonly is: 'read'; readonly state: string; readonly document: LockDocument }
  | { readonly is: 'unusable'; readonly state: string; readonly problem: string };

const missing: FoundLock = { is: 'missing', state: 'missing' };

interface ReadOptions {
  /** What was read before. */
  readonly known?: readonly (FoundLock | undefined)[];
  readonly isWalked?: boolean;
}

/** Reads a lock file; gives one of `known` back, if it is still the same. Never fails. */
export async function readLockFile(
  file: string,
  { known = [], isWalked = false }: ReadOptions = {},
): Promise<FoundLock> {
  try {
    const found = await lstat(file);
    const state = stateOf(found);
    const same = known.find((one) => one?.state === state);
    if (same !== undefined) return same;
    const content = await contentOf(file, found, isWalked);
    return 'problem' in content
      ? { is: 'unusable', state, problem: content.problem }
      : { is: 'read', state, document: content };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (code === 'ENOENT' || code === 'ENOTDIR') return missing;
    return { is: 'unusable', state: code, problem: `it cannot be read (${code})` };
  }
}

/** Refuses a file that others can write, because they could approve anything, and a link, which may lead to such a file. */
async function contentOf(
  file: string,
  found: Stats,
  isWalked: boolean,
): Promise<LockDocument | { readonly problem: string }> {
  if (found.isSymbolicLink()) return { problem: 'it is a symbolic link' };
  if (!found.isFile()) return { problem: 'it is not a regular file' };
  // If it has become a link or a pipe since, it is neither followed nor waited for.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const opened = await handle.stat();
    if (!opened.isFile()) return { problem: 'it is not a regular file' };
    const unsafe = unsafeAccess(file, opened);
    if (unsafe !== undefined) return { problem: `it ${unsafe}` };
    if (opened.size > maxLockBytes) return { problem: `it is larger than ${maxLockBytes / 1_000_000} MB` };
    return parseLock(await handle.readFile(), isWalked);
  } finally {
    await handle.close();
  }
}

function stateOf({ dev, ino, size, mtimeMs, ctimeMs, mode, uid }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs, mode, uid].join(' ');
}
