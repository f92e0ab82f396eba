import { type ClientFile, inFile, readClientFile } from '../../../clients/files/client-file.js';
import { commitAll, type Headline } from '../../../clients/journal/commit.js';
import type { ChangeRecord, FileChange } from '../../../clients/journal/record.js';
import { type EntryNote, type Reverted, revertChange, revertEntries } from '../../../clients/journal/revert.js';
import { isOurEntry } from '../../../clients/our-entry.js';
import { clientOf } from '../../../clients/table/clients.js';
import { parseFile } from '../../../config/read/parse.js';
import { isWorkbenchError, WorkbenchError } from '../../../contract/errors.js';
import type { Computer } from '../../../platform/computer.js';
import type { Output } from '../../frame/screen/output.js';
import { shortPath } from '../../frame/screen/short-path.js';

/** Changes of one file that are taken back together, the newest first. */
export interface Undoing {
  readonly path: string;
  readonly changes: readonly FileChange[];
  readonly isConfiguration: boolean;
  /** Entries that are still needed, so that they stay. */
  readonly needed?: ReadonlySet<string>;
  readonly read: () => ClientFile;
}

/** The files of records, each with its changes. */
export function undoingsOf(records: readonly ChangeRecord[]): Undoing[] {
  const newestFirst = records.toSorted((one, other) => other.id - one.id);
  const all = newestFirst.flatMap((record) =>
    record.changes.filter(({ isUndone }) => isUndone !== true).map((change) => ({ record, change })),
  );
  const files = new Map(all.map(({ record, change }) => [change.real, { record, change }]));
  // The last ones first: no client is left without the configuration that its entry names.
  return [...files.values()]
    .toReversed()
    .map(({ record, change: { path, real, format, hasLock, isConfiguration } }) => {
      const client = record.client === undefined ? undefined : clientOf(record.client);
      // Older records do not say it.
      const isLocked = (hasLock ?? client?.hasLock) === true;
      const kind = { format, ...(isLocked && { hasLock: isLocked }), ...(isConfiguration && { isConfiguration }) };
      return {
        path,
        isConfiguration: isConfiguration === true,
        changes: all.map(({ change }) => change).filter((change) => change.real === real),
        read: () => readClientFile(kind, path),
      };
    });
}

/** What becomes of a file, one change after the other. Throws if a configuration would no longer be valid. */
function revertAll({ changes, isConfiguration, needed = new Set() }: Undoing, file: ClientFile): Reverted {
  const start = file.access === undefined ? null : file.document.text;
  const result = changes.reduce<Reverted>(
    (done, change) => {
      const next = inFile(file.path, done.text ?? '', () => revertOne(change, done.text, needed));
      return {
        text: next.text,
        isExact: done.isExact && next.isExact,
        edits: [...done.edits, ...next.edits],
        inverse: [...next.inverse, ...done.inverse],
        notes: [...done.notes, ...next.notes],
      };
    },
    { text: start, isExact: true, edits: [], inverse: [], notes: [] },
  );
  if (isConfiguration && !result.isExact) requireValid(file.path, result.text);
  return result;
}

function revertOne(change: FileChange, now: string | null, needed: ReadonlySet<string>): Reverted {
  const isKept = ({ kind, name }: FileChange['inverse'][number]) => kind === 'remove' && needed.has(name);
  const kept = change.inverse.filter(isKept);
  if (kept.length === 0 || now === null) return revertChange(change, now, isOurEntry);
  const others = change.inverse.filter((edit) => !isKept(edit));
  const reverted = revertEntries({ ...change, inverse: others }, now, isOurEntry);
  return {
    ...reverted,
    notes: [...reverted.notes, ...kept.map(({ at, name }) => ({ what: 'kept' as const, at, name }))],
  };
}

function requireValid(path: string, text: string | null): void {
  if (text === null) return;
  try {
    parseFile(text, path);
  } catch (error) {
    if (!isWorkbenchError(error)) throw error;
    throw new WorkbenchError(
      'CONFIG_INVALID',
      `The file has changed since, and undoing this would not leave it valid. Nothing was changed. ${error.message}`,
    );
  }
}

/** All files as they would become. What the configuration still refers to stays among the secrets. */
export function revertFiles(undoings: readonly Undoing[]): ShownUndoing[] {
  const revert = (undoing: Undoing): ShownUndoing => {
    const file = undoing.read();
    return { undoing, file, reverted: revertAll(undoing, file) };
  };
  const configurations = undoings.filter(({ isConfiguration }) => isConfiguration).map(revert);
  const texts = configurations.map(({ reverted }) => reverted.text ?? '').join('\n');
  const needed = new Set(Array.from(texts.matchAll(/\$\{secret:(\w+)\}/g), ([, name = '']) => name));
  return undoings.map(
    (undoing) =>
      configurations.find((one) => one.undoing === undoing) ??
      revert(undoing.changes.some(({ format }) => format === 'env') ? { ...undoing, needed } : undoing),
  );
}

export function printUndoing(
  { path }: Undoing,
  { isExact, notes, text }: Reverted,
  computer: Computer,
  output: Output,
): void {
  const where = shortPath(path, computer.home);
  const [minus, plus] = output.signs.isUnicode ? ['−', '+'] : ['-', '+'];
  if (isExact)
    output.printText(
      text === null ? `${where} is removed: it was not there before` : `${where} becomes what it was before`,
    );
  else output.printText(`${where} changed since. Only our edits are undone:`);
  const names = (what: EntryNote['what']) => [
    ...new Set(notes.filter((note) => note.what === what).map(({ name }) => name)),
  ];
  const kept = names('kept');
  const line = (sign: string, list: readonly string[], end = '') => {
    if (list.length > 0) output.printText(`  ${sign} ${list.join(', ')}${end}`);
  };
  line(
    minus,
    names('removed').filter((name) => !kept.includes(name)),
  );
  // They were taken out from the last one to the first.
  line(plus, names('restored').toReversed(), '   back, values as they were');
  line('!', kept, `   changed or added since; ${kept.length === 1 ? 'it stays' : 'they stay'}`);
}

/** What the user was shown about one file. */
export interface ShownUndoing {
  readonly undoing: Undoing;
  readonly file: ClientFile;
  readonly reverted: Reverted;
}

export interface UndoWrite {
  readonly computer: Computer;
  readonly shown: readonly ShownUndoing[];
  readonly headline: Headline;
  /** Whether a file that has changed since is planned again. */
  readonly isBlind: boolean;
}

/** Writes all files, or none: false if one of them is no longer what the user was shown. */
export async function writeUndoings({ computer, shown, headline, isBlind }: UndoWrite): Promise<boolean> {
  const files = shown.map(({ undoing, file: seen, reverted }) => ({
    read: undoing.read,
    plan(file: ClientFile) {
      if (file.bytes.equals(seen.bytes)) return reverted;
      return isBlind ? revertAll(undoing, file) : undefined;
    },
  }));
  return (await commitAll({ computer, headline, files })) !== undefined;
}
