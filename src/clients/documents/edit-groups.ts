import { isDeepStrictEqual } from 'node:util';
import type { Document, Edit, KeyPath } from './document.js';

/** A few edits are made one after the other. */
const manyRemovals = 50;

/**
 * Edits that can be made at once, because to parse a file anew for each takes time: edits that add to the same object, and
 * removals of entries that do not stand beside each other.
 */
export function groupsOf(document: Document, edits: readonly Edit[]): Edit[][] {
  return runsOf(edits).flatMap((run) => {
    const [first] = run;
    if (first?.kind !== 'remove') return [run];
    return run.length < manyRemovals ? run.map((edit) => [edit]) : apart(document, first.at, run);
  });
}

/** Edits of one kind and object that follow each other. */
function runsOf(edits: readonly Edit[]): Edit[][] {
  const runs: Edit[][] = [];
  for (const edit of edits) {
    const run = runs.at(-1);
    const [first] = run ?? [];
    if (run !== undefined && first !== undefined && isAlike(first, edit)) run.push(edit);
    else runs.push([edit]);
  }
  return runs;
}

function isAlike(first: Edit, edit: Edit): boolean {
  const isPlain =
    first.kind !== 'add' || (first.after === undefined && edit.kind === 'add' && edit.after === undefined);
  return isPlain && first.kind === edit.kind && isDeepStrictEqual(first.at, edit.at);
}

/** Each time every second one at most, so that the edits do not touch each other. */
function apart(document: Document, at: KeyPath, removals: readonly Edit[]): Edit[][] {
  const waiting = new Map(removals.map((edit) => [edit.name, edit]));
  const groups: Edit[][] = [];
  let names: readonly string[] = document.keysAt(at);
  while (waiting.size > 0) {
    const group = new Map<string, Edit>();
    let isBeside = false;
    for (const name of names) {
      const edit: Edit | undefined = isBeside ? undefined : waiting.get(name);
      if (edit !== undefined) group.set(name, edit);
      isBeside = edit !== undefined;
    }
    // Not in the file, which is said when it is their turn.
    if (group.size === 0) return [...groups, ...Array.from(waiting.values(), (edit) => [edit])];
    groups.push([...group.values()]);
    for (const name of group.keys()) waiting.delete(name);
    names = names.filter((name) => !group.has(name));
  }
  return groups;
}
