import { isWorkbenchError, WorkbenchError } from '../../contract/errors.js';
import type { Computer } from '../../platform/computer.js';
import { changeOf, type FileCommit, lockedNamesOf, makeDirectoryOf, withLocks, write } from './planned-file.js';
import type { ChangeRecord } from './record.js';
import { pruneJournal, removeRecord, writeRecord } from './store.js';

/** A file of a client that belongs to a change, which holds without it. */
export interface OptionalCommit extends FileCommit {
  readonly client: string;
  /** Called if it is left out. */
  readonly leave: (error: WorkbenchError) => void;
}

const tries = 5;

/** Writes files one by one and adds them to a record of the journal. Returns the record with the written ones. */
export async function addToRecord(
  record: ChangeRecord,
  files: readonly OptionalCommit[],
  computer: Computer,
): Promise<ChangeRecord> {
  let whole = record;
  for (const file of files) {
    try {
      whole = await addFile(whole, file, computer);
    } catch (error) {
      if (!isWorkbenchError(error)) throw error;
      file.leave(error);
    }
  }
  pruneJournal(computer);
  return whole;
}

async function addFile(record: ChangeRecord, commit: OptionalCommit, computer: Computer): Promise<ChangeRecord> {
  for (let count = 0; count < tries; count++) {
    const seen = commit.read();
    if (seen.access === undefined) makeDirectoryOf(seen);
    const added = await withLocks(lockedNamesOf(seen), () => attempt(record, commit, computer));
    if (added !== undefined) return added;
  }
  throw changed(commit);
}

/** Undefined if another program has changed the file since. The journal has the change before the file has it. */
async function attempt(
  record: ChangeRecord,
  { read, plan, mode = 0o600, client }: OptionalCommit,
  computer: Computer,
): Promise<ChangeRecord | undefined> {
  const file = read();
  const content = plan(file);
  if (content === undefined) throw changed({ read });
  const planned = { file, content, mode };
  const added = { ...record, changes: [...record.changes, { ...changeOf(planned), client }] };
  writeRecord(computer, added);
  let isWritten = false;
  try {
    isWritten = await write(planned);
  } finally {
    if (!isWritten && record.changes.length > 0) writeRecord(computer, record);
    else if (!isWritten) removeRecord(computer, record.id);
  }
  return isWritten ? added : undefined;
}

function changed({ read }: Pick<FileCommit, 'read'>): WorkbenchError {
  return new WorkbenchError('CLIENT_FILE_BUSY', `${read().path} was changed by another program. Left alone.`);
}
