import { type Reference, splitReferences, variableOf } from './expand-env.js';

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
