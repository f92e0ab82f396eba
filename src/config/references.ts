import { type Reference, splitReferences } from './expand-env.js';

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

export function hasReference(text: string): boolean {
  return referencesIn(text).length > 0;
}
