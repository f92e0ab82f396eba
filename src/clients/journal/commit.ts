import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { recordOwnEdit } from '../../config/edits/own-edits.js';
import { type ChangedFile, keepTrust } from '../../config/read/trust-content.js';
import { WorkbenchError } from '../../contract/errors.js';
import type { Computer } from '../../platform/computer.js';
import { stateDirectoryOf } from '../../platform/directories.js';
import { withClientFileLock } from '../files/client-file-lock.js';
import { requireOwnDirectory } from '../files/own-place.js';
import { removeFile, replaceFile, unwritable } from '../files/replace-file.js';
import { addToRecord, type OptionalCommit } from './optional-commit.js';
import {
  changeOf,
  type FileCommit,
  lockedNamesOf,
  makeDirectoryOf,
  type Planned,
  withLocks,
  write,
} from './planned-file.js';
import type { ChangeRecord } from './record.js';
import { nextId, pruneJournal, readJournal, removeRecord, writeRecord } from './store.js';

/** What the journal says about a change. `restores`: the records that hold again, because what took them back is taken back. */
export interface Headline extends Pick<ChangeRecord, 'command' | 'client' | 'reverts' | 'isUndone'> {
  readonly restores?: readonly number[];
}

interface Change {
  readonly computer: Computer;
  readonly headline: Headline;
}

export interface Commit extends Change, FileCommit {}

export interface CommitAll extends Change {
  /** In the order in which they are written. */
  readonly files: readonly FileCommit[];
  /** Written after them, each by itself: one that cannot be written is left out. */
  readonly optional?: readonly OptionalCommit[];
}

const tries = 5;
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
    const { computer, optional = [] } = change;
    if (change.files.length === 0)
      return addToRecord(recordOf(nextId(computer), change.headline, []), optional, computer);
    for (let count = 0; count < tries; count++) {
      const files = change.files.map(({ read }) => read());
      for (const file of files) if (file.access === undefined) makeDirectoryOf(file);
      const locks = [...new Set(files.flatMap(lockedNamesOf))].sort();
      const result = await withLocks(locks, () => attempt(change));
      if (result !== 'changed') return result && addToRecord(result, optional, computer);
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
  return withClientFileLock(path.join(directory, 'journal'), { limitMs: ownLockLimitMs }, work);
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
  const renewTrust = keepTrust(computer, planned.map(trustChangeOf));
  writeRecord(computer, { ...record, isPending: true });
  // Before the files: running sessions look for it as soon as these have changed.
  for (const { file, content } of planned)
    if (isOurs(file) && content.text !== null) recordOwnEdit(computer, file.real, content.text, textBefore(file));
  if (!(await writeAll(planned, () => removeRecord(computer, record.id)))) return 'changed';
  writeRecord(computer, record);
  markUndone(computer, headline, new Set(planned.map(({ file }) => file.real)));
  pruneJournal(computer);
  renewTrust();
  return record;
}

function textBefore({ bytes }: Planned['file']): string {
  return bytes?.toString('utf8') ?? '';
}

/** A configuration, or the file of secrets beside one. */
function isOurs({ kind }: Planned['file']): boolean {
  return kind.isConfiguration === true || kind.format === 'env';
}

function trustChangeOf({ file: { real, bytes }, content: { text } }: Planned): ChangedFile {
  return { real, before: bytes, after: text === null ? null : Buffer.from(text) };
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

/** A record counts as undone when all its files are. */
function markUndone(computer: Computer, { reverts = [], restores = [] }: Headline, files: ReadonlySet<string>): void {
  for (const record of readJournal(computer)) {
    const isReverted = reverts.includes(record.id);
    if (!isReverted && !restores.includes(record.id)) continue;
    const changes = record.changes.map((change) =>
      files.has(change.real) ? { ...change, isUndone: isReverted } : change,
    );
    writeRecord(computer, { ...record, changes, isUndone: changes.every(({ isUndone }) => isUndone === true) });
  }
}

function recordOf(id: number, headline: Headline, planned: readonly Planned[]): ChangeRecord {
  return { id, at: new Date().toISOString(), ...headline, changes: planned.map(changeOf) };
}
