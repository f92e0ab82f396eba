import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { WorkbenchError } from '../../contract/errors.js';
import type { Computer } from '../../platform/computer.js';
import { stateDirectoryOf } from '../../platform/directories.js';
import type { Edit } from '../documents/document.js';
import type { ClientFile } from '../files/client-file.js';
import { withDirectoryLock } from '../files/directory-lock.js';
import { requireOwnDirectory } from '../files/own-place.js';
import { removeFile, replaceFile, unwritable } from '../files/replace-file.js';
import type { ChangeRecord } from './record.js';
import { nextId, pruneJournal, readJournal, removeRecord, writeRecord } from './store.js';

/** What a file becomes. Null: it is removed. */
export interface NewContent {
  readonly text: string | null;
  readonly edits: readonly Edit[];
  readonly inverse: readonly Edit[];
}

/** What the journal says about a change. `restores`: the records that hold again, because what took them back is taken back. */
export interface Headline extends Pick<ChangeRecord, 'command' | 'client' | 'reverts' | 'isUndone'> {
  readonly restores?: readonly number[];
}

export interface Commit {
  readonly computer: Computer;
  readonly headline: Headline;
  /** Reads the file; again for each try. */
  readonly read: () => ClientFile;
  /** What the file becomes. Undefined: it is no longer what the user was shown, and nothing is written. */
  readonly plan: (file: ClientFile) => NewContent | undefined;
  readonly mode?: number;
}

const tries = 5;
const clientLockLimitMs = 5_000;
/** Several of us may wait, and each may itself wait for a client. */
const ownLockLimitMs = 60_000;

/**
 * Changes a file of a client under our lock and, if it has one, that of the client; the journal has the change before the file
 * has it. Returns undefined if nothing was written because the plan said so.
 */
export async function commit(change: Commit): Promise<ChangeRecord | undefined> {
  return withOwnLock(change.computer, async () => {
    for (let count = 0; count < tries; count++) {
      const file = change.read();
      if (file.access === undefined) makeDirectoryOf(file);
      const result = await withLocks(locksOf(file), () => attempt(change));
      if (result !== 'changed') return result;
    }
    const { path: file } = change.read();
    throw new WorkbenchError(
      'CLIENT_FILE_BUSY',
      `${file} was changed by another program during each of ${tries} tries. Nothing was changed.`,
    );
  });
}

/** A lock against two of us: they would number their records alike. */
async function withOwnLock<T>(computer: Computer, work: () => Promise<T>): Promise<T> {
  const directory = stateDirectoryOf(computer);
  requireOwnDirectory(directory, computer);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unwritable(directory, error);
  }
  return withDirectoryLock(path.join(directory, 'journal.lock'), ownLockLimitMs, work);
}

async function attempt({
  computer,
  headline,
  read,
  plan,
  mode = 0o600,
}: Commit): Promise<ChangeRecord | undefined | 'changed'> {
  const file = read();
  const content = plan(file);
  if (content === undefined) return undefined;
  const before = file.access === undefined ? undefined : file.bytes;
  const record = recordOf(nextId(computer), headline, file, content);
  writeRecord(computer, { ...record, isPending: true });
  let isWritten = false;
  try {
    isWritten = await write(file, before, content.text, mode);
  } finally {
    if (!isWritten) removeRecord(computer, record.id);
  }
  if (!isWritten) return 'changed';
  writeRecord(computer, record);
  markUndone(computer, headline);
  pruneJournal(computer);
  return record;
}

function markUndone(computer: Computer, { reverts = [], restores = [] }: Headline): void {
  for (const record of readJournal(computer)) {
    if (reverts.includes(record.id)) writeRecord(computer, { ...record, isUndone: true });
    if (restores.includes(record.id)) writeRecord(computer, { ...record, isUndone: false });
  }
}

async function write(
  file: ClientFile,
  before: Buffer | undefined,
  text: string | null,
  mode: number,
): Promise<boolean> {
  const { real, access } = file;
  if (text === null) return removeFile({ real, before });
  return replaceFile({ real, before, after: Buffer.from(text), access, mode });
}

function recordOf(
  id: number,
  headline: Headline,
  file: ClientFile,
  { text, edits, inverse }: NewContent,
): ChangeRecord {
  const { path: shown, real, access, document, kind } = file;
  const before = access === undefined ? null : document.text;
  const change = { path: shown, real, format: kind.format, before, after: text, edits, inverse };
  return { id, at: new Date().toISOString(), ...headline, changes: [change] };
}

function makeDirectoryOf({ real }: ClientFile): void {
  const directory = path.dirname(real);
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    throw unwritable(directory, error);
  }
}

/** Claude Code locks the name that it knows; which of the two that is, depends on its version. */
function locksOf({ kind, path: shown, real }: ClientFile): string[] {
  return kind.hasLock === true ? [...new Set([`${real}.lock`, `${shown}.lock`])] : [];
}

async function withLocks<T>([first, ...others]: readonly string[], work: () => Promise<T>): Promise<T> {
  return first === undefined ? work() : withDirectoryLock(first, clientLockLimitMs, () => withLocks(others, work));
}
