import type { Path } from '../place.js';
import { type Reference, splitReferences, variableOf } from './expand-env.js';

/** A string, and its place inside the value that it is part of. */
export interface PlacedText {
  readonly at: Path;
  readonly text: string;
}

/** All strings in a value, in order; names are none. */
export function* textsIn(value: unknown, at: Path = []): Generator<PlacedText> {
  if (typeof value === 'string') yield { at, text: value };
  if (typeof value !== 'object' || value === null) return;
  const entries: Iterable<[unknown, unknown]> =
    value instanceof Map || Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [key, one] of entries) yield* textsIn(one, [...at, typeof key === 'number' ? key : String(key)]);
}

/** All references in the strings of a value, in the order in which they occur. */
export function referencesIn(value: unknown): Reference[] {
  if (typeof value === 'string') {
    return splitReferences(value).flatMap((part) =>
      typeof part === 'object' && part.kind !== 'malformed' ? [part] : [],
    );
  }
  if (value instanceof Map || Array.isArray(value)) return Array.from(value.values(), referencesIn).flat();
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(referencesIn) : [];
}

/** Directories that clients write as if they were variables. */
export const directoryNames: ReadonlySet<string> = new Set(['workspaceFolder', 'userHome']);

/** The variables of the environment that strings refer to, in order, each once. `isNeeded`: only those without a default. */
export function variablesReferred(value: unknown, isNeeded = false): string[] {
  const references = referencesIn(value).filter(
    ({ kind, name, fallback }) =>
      (kind === 'input' || (kind === 'variable' && !directoryNames.has(name))) && !(isNeeded && fallback !== undefined),
  );
  return [...new Set(references.map(variableOf))];
}

export function hasReference(text: string): boolean {
  return referencesIn(text).length > 0;
}
