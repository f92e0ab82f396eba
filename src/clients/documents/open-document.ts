import { isDeepStrictEqual } from 'node:util';
import { type Document, type Edit, type Fact, type Format, type KeyPath, Misfit, splice } from './document.js';
import { openJson } from './json-document.js';
import { openToml } from './toml-document.js';

/** Parses the text of a file. Throws a `Misfit` for one that is not valid. */
export function openDocument(format: Format, text: string): Document {
  return format === 'json' ? openJson(text) : openToml(text);
}

export interface Edited {
  readonly text: string;
  /** The edits that take it back, in the order in which they are to be made. */
  readonly inverse: readonly Edit[];
}

/**
 * Makes edits one after the other. Then the result is read again: everything but what was edited must mean the same as before,
 * in the same order, and an entry that was added must be what was asked for. Throws a `Misfit` otherwise.
 */
export function applyEdits(format: Format, text: string, edits: readonly Edit[]): Edited {
  const original = openDocument(format, text);
  let current = original;
  const inverse: Edit[] = [];
  for (const edit of edits) {
    const made = current.splicesFor(edit);
    current = reopened(format, splice(current.text, made.splices));
    verifyAdded(current, edit);
    inverse.unshift(made.inverse);
  }
  const paths = edits.map(({ at, name }) => [...at, name]);
  if (!isDeepStrictEqual(factsBeside(original, paths), factsBeside(current, paths)))
    throw new Misfit('cannot be edited without changing something else.', 0);
  return { text: current.text, inverse };
}

function reopened(format: Format, text: string): Document {
  try {
    return openDocument(format, text);
  } catch {
    throw new Misfit('is written in a form that cannot be edited safely.', 0);
  }
}

function verifyAdded(document: Document, edit: Edit): void {
  const found = document.entriesAt(edit.at).find(({ name }) => name === edit.name);
  const isRight =
    edit.kind === 'remove'
      ? found === undefined
      : found !== undefined && ('text' in edit.source || isDeepStrictEqual(found.value, edit.source.value));
  if (!isRight) throw new Misfit('cannot be edited safely.', found?.offset ?? 0);
}

/** What a file says, but for the edited entries and that there are objects around them. */
function factsBeside(document: Document, edited: readonly KeyPath[]): Pick<Fact, 'path' | 'text'>[] {
  const beside = document.facts().filter(({ path, text }) => {
    const isEdited = (entry: KeyPath) => entry.every((key, index) => path[index] === key);
    const isAround = (entry: KeyPath) => text === '{' && path.every((key, index) => entry[index] === key);
    return !edited.some((entry) => isEdited(entry) || isAround(entry));
  });
  return beside.map(({ path, text }) => ({ path, text }));
}
