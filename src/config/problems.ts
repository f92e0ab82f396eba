import { expandVariables, type Lookup } from './expand-env.js';
import { formatPlace, type Path } from './place.js';

/** Expands a string that stands at a place inside the entry. */
export type Expand = (text: string, ...at: Path) => string;

/** What keeps one server from working here and now, gathered while its entry is resolved. */
export interface Troubles {
  expandWith(lookup: Lookup): Expand;
  report(problem: string, ...at: Path): void;
  /** Undefined when there are none. */
  reason(): string | undefined;
}

export function createTroubles(entryPath: Path): Troubles {
  const problems: string[] = [];
  const missing = new Map<string, Set<string>>();
  const placeOf = (at: Path) => formatPlace([...entryPath, ...at]);
  return {
    expandWith:
      (lookup) =>
      (text, ...at) =>
        expandVariables(text, lookup, (name) => {
          missing.set(name, (missing.get(name) ?? new Set()).add(placeOf(at)));
        }),
    report(problem, ...at) {
      problems.push(`${placeOf(at)}: ${problem}`);
    },
    reason() {
      const reasons = missing.size === 0 ? problems : [...problems, describeMissing(missing)];
      return reasons.length === 0 ? undefined : reasons.join(' ');
    },
  };
}

function describeMissing(missing: ReadonlyMap<string, ReadonlySet<string>>): string {
  const list = Array.from(missing, ([name, places]) => `${name} (in ${[...places].join(', ')})`).join(', ');
  const [first = ''] = missing.keys();
  const [subject, verb, it] = missing.size === 1 ? ['variable', 'is', 'it'] : ['variables', 'are', 'them'];
  return (
    `Environment ${subject} ${list} ${verb} not set. Set ${it} before the client starts (some clients pass on only a part of ` +
    `their environment; then give ${it} in the client's own entry for the workbench), give a default as \${${first}:-…}, ` +
    `or put ${it} into a file named by "envFile".`
  );
}
