import { maxQueryChars, maxQuerySteps } from '../../limits.js';

/** The steps of a query, which are separated by `;`. Those over the limit together are the last one. */
export function stepsOf(query: string): readonly string[] {
  const steps = query
    .slice(0, maxQueryChars)
    .split(/[;；]/)
    .filter((step) => step.trim() !== '');
  if (steps.length <= maxQuerySteps) return steps;
  return [...steps.slice(0, maxQuerySteps - 1), steps.slice(maxQuerySteps - 1).join(' ')];
}

/** The first of each list, then the second of each, and so on: at most `limit`, each entry once. */
export function interleave<T>(lists: readonly (readonly T[])[], limit: number): readonly T[] {
  const taken = new Set<T>();
  let turns = lists.map((list) => list.values());
  while (turns.length > 0 && taken.size < limit) turns = turns.filter((entries) => takeNext(entries, taken));
  return [...taken].slice(0, limit);
}

/** Skips what another list has given already: it does not cost this one its turn. */
function takeNext<T>(entries: Iterator<T>, taken: Set<T>): boolean {
  for (let next = entries.next(); next.done !== true; next = entries.next()) {
    if (taken.has(next.value)) continue;
    taken.add(next.value);
    return true;
  }
  return false;
}
