import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Edit } from '../documents/document.js';
import type { ClientFile, FileKind } from '../files/client-file.js';
import { withClientFileLock } from '../files/client-file-lock.js';
import { removeFile, replaceFile, unwritable } from '../files/replace-file.js';
import type { FileChange } from './record.js';

const clientLockLimitMs = 5_000;

/** What a file becomes. Null: it is removed. */
export interface NewContent {
  readonly text: string | null;
  readonly edits: readonly Edit[];
  readonly inverse: readonly Edit[];
}

/** A file of a change. */
export interface FileCommit {
  /** Reads the file; again for each try. */
  readonly read: () => ClientFile;
  /** What the file becomes. Undefined: it is no longer what the user was shown, and nothing is written. */
  readonly plan: (file: ClientFile) => NewContent | undefined;
  /** Of a file that does not exist yet. */
  readonly mode?: number;
}

/** A file and what it becomes. */
export interface Planned {
  readonly file: ClientFile;
  readonly content: NewContent;
  /** Of a file that does not exist yet. */
  readonly mode: number;
}

/** False if it is no longer what it was. */
export async function write({ file, content: { text }, mode }: Planned): Promise<boolean> {
  const { real, access } = file;
  const before = access === undefined ? undefined : file.bytes;
  if (text === null) return removeFile({ real, before });
  return replaceFile({ real, before, after: Buffer.from(text), access, mode });
}

export function changeOf({ file, content: { text, edits, inverse } }: Planned): FileChange {
  const { path: shown, real, access, document, kind } = file;
  const before = access === undefined ? null : document.text;
  return { path: shown, real, ...factsOf(kind), before, after: text, edits, inverse };
}

/** Without the rest of a client. */
function factsOf({ format, hasLock, isConfiguration }: FileKind): FileKind {
  return { format, ...(hasLock === true && { hasLock }), ...(isConfiguration === true && { isConfiguration }) };
}

export function makeDirectoryOf({ real }: ClientFile): void {
  const directory = path.dirname(real);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o755 });
  } catch (error) {
    throw unwritable(directory, error);
  }
}

/** The names to lock. Claude Code locks the one that it knows; which of the two that is, depends on its version. */
export function lockedNamesOf({ kind, path: shown, real }: ClientFile): string[] {
  return kind.hasLock === true ? [...new Set([real, shown])] : [];
}

export async function withLocks<T>([first, ...others]: readonly string[], work: () => Promise<T>): Promise<T> {
  if (first === undefined) return work();
  const options = { limitMs: clientLockLimitMs, form: 'directory' } as const;
  return withClientFileLock(first, options, () => withLocks(others, work));
}
