import { isDeepStrictEqual } from 'node:util';
import type { Document, Edit } from '../documents/document.js';
import { applyEdits, openDocument } from '../documents/open-document.js';
import type { FileChange } from './record.js';

/** What becomes of one entry. */
export interface EntryNote {
  /** `kept`: it is no longer what we wrote, or another one has its name, so it stays as it is. */
  readonly what: 'removed' | 'restored' | 'kept';
  readonly at: readonly string[];
  readonly name: string;
}

export interface Reverted {
  /** Null: the file goes. */
  readonly text: string | null;
  /** Every byte is as it was before. */
  readonly isExact: boolean;
  readonly edits: readonly Edit[];
  readonly inverse: readonly Edit[];
  readonly notes: readonly EntryNote[];
}

/**
 * Takes a change back. If the file is what the change made of it, it becomes what it was before; else only the edits are
 * taken back, entry by entry, and what others have changed since stays. `isOurs`: whether an entry starts this program.
 */
export function revertChange(change: FileChange, now: string | null, isOurs: (value: unknown) => boolean): Reverted {
  if (now === change.after) {
    const notes = change.inverse.map(
      ({ kind, at, name }): EntryNote => ({ what: kind === 'add' ? 'restored' : 'removed', at, name }),
    );
    return { text: change.before, isExact: true, edits: change.inverse, inverse: change.edits, notes };
  }
  if (now === null) return { text: null, isExact: false, edits: [], inverse: [], notes: [] };
  return revertEntries(change, now, isOurs);
}

/** The same, entry by entry. */
export function revertEntries(change: FileChange, now: string, isOurs: (value: unknown) => boolean): Reverted {
  let text = now;
  const notes: EntryNote[] = [];
  const edits: Edit[] = [];
  const inverse: Edit[] = [];
  for (const edit of change.inverse) {
    const { at, name } = edit;
    const verdict = judge(openDocument(change.format, text), edit, change, isOurs);
    if (verdict === 'skip') continue;
    if (verdict === 'keep') {
      notes.push({ what: 'kept', at, name });
      continue;
    }
    const made = applyEdits(change.format, text, [edit]);
    text = made.text;
    edits.push(edit);
    inverse.unshift(...made.inverse);
    notes.push({ what: edit.kind === 'add' ? 'restored' : 'removed', at, name });
  }
  return { text, isExact: false, edits, inverse, notes };
}

function judge(
  document: Document,
  edit: Edit,
  { edits }: FileChange,
  isOurs: (value: unknown) => boolean,
): 'apply' | 'keep' | 'skip' {
  const found = document.entriesAt(edit.at).find(({ name }) => name === edit.name);
  if (edit.kind === 'add') return found === undefined ? 'apply' : 'keep';
  if (found === undefined) return 'skip';
  const added = edits.find((one) => one.kind === 'add' && one.name === edit.name && isDeepStrictEqual(one.at, edit.at));
  const isAsAdded =
    added?.kind === 'add' && ('text' in added.source || isDeepStrictEqual(added.source.value, found.value));
  return isAsAdded || isOurs(found.value) ? 'apply' : 'keep';
}
