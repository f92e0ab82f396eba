import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { renewTrust } from '../../config/trust-store.js';
import { WorkbenchError } from '../../contract/errors.js';
import type { Computer } from '../../platform/computer.js';
import { stateDirectoryOf } from '../../platform/directories.js';
import type { Edit } from '../documents/document.js';
import type { ClientFile, FileKind } from '../files/client-file.js';
import { withDirectoryLock } from '../files/directory-lock.js';
import { requireOwnDirectory } from '../files/own-place.js';
import { removeFile, replaceFile, unwritable } from '../files/replace-file.js';
import type { ChangeRecord, FileChange } from './record.js';
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

/** A file of a change. */
export interface FileCommit {
  /** Reads the file; again for each try. */
  readonly read: () => ClientFile;
  /** What the file becomes. Undefined: it is no longer what the user was shown, and nothing is written. */
  readonly plan: (file: ClientFile) => NewContent | undefined;
  /** Of a file that does not exist yet. */
  readonly mode?: number;
}

interface Change {
  readonly computer: Computer;
  readonly headline: Headline;
}

export interface Commit extends Change, FileCommit {}

export interface CommitAll extends Change {
  /** In the order in which they are written. */
  readonly files: readonly FileCommit[];
}

const tries = 5;
const clientLockLimitMs = 5_000;
/** Several of us may wait, and each may itself wait for a client. */
const ownLockLimitMs = 60_000;

/** Changes one file. */
export async function commit({ computer, headline, ...file }: Commit): Promise<ChangeRecord | undefined> {
  return commitAll({ computer, headline, files: [file] });
}

/**
 * Changes files under our lock and, where they have one, that of their client; the journal has the change before the files
 * have it. All of them are written, or none. Returns undefined if nothing was written because a plan said so.
 */
export async function commitAll(change: CommitAll): Promise<ChangeRecord | undefined> {
  return withOwnLock(change.computer, async () => {
    for (let count = 0; count < tries; count++) {
      const files = change.files.map(({ read }) => read());
      for (const file of files) if (file.access === undefined) makeDirectoryOf(file);
      const locks = [...new Set(files.flatMap(locksOf))].sort();
      const result = await withLocks(locks, () => attempt(change));
      if (result !== 'changed') return result;
    }
    const paths = change.files.map(({ read }) => read().path).join(', ');
    throw new WorkbenchError(
      'CLIENT_FILE_BUSY',
      `${paths} was changed by another program during each of ${tries} tries. Nothing was changed.`,
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

async function attempt({ computer, headline, files }: CommitAll): Promise<ChangeRecord | undefined | 'changed'> {
  const planned: Planned[] = [];
  for (const { read, plan, mode = 0o600 } of files) {
    const file = read();
    const content = plan(file);
    if (content === undefined) return undefined;
    planned.push({ file, content, mode });
  }
  const record = recordOf(nextId(computer), headline, planned);
  writeRecord(computer, { ...record, isPending: true });
  if (!(await writeAll(planned, () => removeRecord(computer, record.id)))) return 'changed';
  writeRecord(computer, record);
  markUndone(computer, headline);
  pruneJournal(computer);
  for (const { file, content } of planned)
    if (content.text !== null) renewTrust(computer, file.real, file.bytes, Buffer.from(content.text));
  return record;
}

interface Planned {
  readonly file: ClientFile;
  readonly content: NewContent;
  readonly mode: number;
}

/** Writes all files, or none: then `forget` is called. False if one of them is no longer what it was. */
async function writeAll(planned: readonly Planned[], forget: () => void): Promise<boolean> {
  const written: Planned[] = [];
  let isWhole = false;
  try {
    for (const one of planned) {
      if (!(await write(one))) return false;
      written.push(one);
    }
    isWhole = true;
    return true;
  } finally {
    // What could not be taken back stays in the journal.
    if (!isWhole && (await takeBack(written))) forget();
  }
}

async function takeBack(written: readonly Planned[]): Promise<boolean> {
  let isDone = true;
  for (const { file, content, mode } of written.toReversed()) {
    const now = content.text === null ? undefined : Buffer.from(content.text);
    const { real, access } = file;
    try {
      isDone &&=
        access === undefined
          ? removeFile({ real, before: now })
          : await replaceFile({ real, before: now, after: file.bytes, access, mode });
    } catch {
      isDone = false;
    }
  }
  return isDone;
}

function markUndone(computer: Computer, { reverts = [], restores = [] }: Headline): void {
  for (const record of readJournal(computer)) {
    if (reverts.includes(record.id)) writeRecord(computer, { ...record, isUndone: true });
    if (restores.includes(record.id)) writeRecord(computer, { ...record, isUndone: false });
  }
}

async function write({ file, content: { text }, mode }: Planned): Promise<boolean> {
  const { real, access } = file;
  const before = access === undefined ? undefined : file.bytes;
  if (text === null) return removeFile({ real, before });
  return replaceFile({ real, before, after: Buffer.from(text), access, mode });
}

function recordOf(id: number, headline: Headline, planned: readonly Planned[]): ChangeRecord {
  return { id, at: new Date().toISOString(), ...headline, changes: planned.map(changeOf) };
}

function changeOf({ file, content: { text, edits, inverse } }: Planned): FileChange {
  const { path: shown, real, access, document, kind } = file;
  const before = access === undefined ? null : document.text;
  return { path: shown, real, ...factsOf(kind), before, after: text, edits, inverse };
}

/** Without the rest of a client. */
function factsOf({ format, hasLock, isConfiguration }: FileKind): FileKind {
  return { format, ...(hasLock === true && { hasLock }), ...(isConfiguration === true && { isConfiguration }) };
}

function makeDirectoryOf({ real }: ClientFile): void {
  const directory = path.dirname(real);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o755 });
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
