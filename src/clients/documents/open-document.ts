import { isDeepStrictEqual } from 'node:util';
import { type Document, type Edit, type Fact, type Format, Misfit, type SplicedAll, splice } from './document.js';
import { groupsOf } from './edit-groups.js';
import { openEnv } from './env-document.js';
import { openJson } from './json-document.js';
import { openToml } from './toml-document.js';

/** Parses the text of a file. Throws a `Misfit` for one that is not valid. */
export function openDocument(format: Format, text: string): Document {
  if (format === 'env') return openEnv(text);
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
  for (const group of groupsOf(original, edits)) {
    for (let rest = group; rest.length > 0; ) {
      const { splices, inverse: back } = splicesOf(current, rest);
      current = reopened(format, splice(current.text, splices));
      verify(current, rest.slice(0, back.length));
      inverse.unshift(...back.toReversed());
      rest = rest.slice(back.length);
    }
  }
  const places = placesOf(edits);
  if (!isDeepStrictEqual(factsBeside(original, places), factsBeside(current, places)))
    throw new Misfit('cannot be edited without changing something else.', 0);
  return { text: current.text, inverse };
}

/** The splices of the first edit, or of all of them if they can be made at once. */
function splicesOf(document: Document, edits: readonly Edit[]): SplicedAll {
  const additions = edits.filter((edit) => edit.kind === 'add');
  if (additions.length > 1) {
    const all = document.splicesForAll?.(additions);
    if (all !== undefined) return all;
  }
  const made = (additions.length > 0 ? edits.slice(0, 1) : edits).map((edit) => document.splicesFor(edit));
  return { splices: made.flatMap(({ splices }) => splices), inverse: made.map(({ inverse }) => inverse) };
}

function reopened(format: Format, text: string): Document {
  try {
    return openDocument(format, text);
  } catch {
    throw new Misfit('is written in a form that cannot be edited safely.', 0);
  }
}

function verify(document: Document, edits: readonly Edit[]): void {
  const [first] = edits;
  const entries = new Map(first && document.entriesAt(first.at).map((entry) => [entry.name, entry]));
  for (const edit of edits) {
    const found = entries.get(edit.name);
    const isRight =
      edit.kind === 'remove'
        ? found === undefined
        : found !== undefined && ('text' in edit.source || isDeepStrictEqual(found.value, edit.source.value));
    if (!isRight) throw new Misfit('cannot be edited safely.', found?.offset ?? 0);
  }
}

/** The edited entries, and the objects around them. */
interface Places {
  readonly edited: ReadonlySet<string>;
  readonly around: ReadonlySet<string>;
}

function placesOf(edits: readonly Edit[]): Places {
  const edited = new Set<string>();
  const around = new Set<string>();
  for (const { at, name } of edits) {
    edited.add(keyOf([...at, name]));
    for (let length = at.length + 1; length >= 0; length--) around.add(keyOf([...at, name].slice(0, length)));
  }
  return { edited, around };
}

/** What a file says, but for the edited entries and that there are objects around them. */
function factsBeside(document: Document, { edited, around }: Places): Pick<Fact, 'path' | 'text'>[] {
  const beside = document.facts().filter(({ path, text }) => {
    const isEdited = path.some((_, index) => edited.has(keyOf(path.slice(0, index + 1))));
    return !isEdited && !(text === '{' && around.has(keyOf(path)));
  });
  return beside.map(({ path, text }) => ({ path, text }));
}

function keyOf(path: Fact['path']): string {
  return JSON.stringify(path);
}
