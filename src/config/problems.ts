import { type ExpansionListener, expandVariables, type Lookup } from './expand-env.js';
import { formatPlace, type Path } from './place.js';

/** Expands a string; `at` is its place inside the entry. */
export type Expand = (text: string, ...at: Path) => string;

/** The problems that make one server unavailable, collected while its entry is resolved. */
export interface Problems {
  expandWith(lookup: Lookup): Expand;
  report(problem: string, ...at: Path): void;
  /** Undefined when there are none. */
  reason(): string | undefined;
}

/** `inserted`: called with every value of a variable that is inserted. */
export function createProblems(entryPath: Path, inserted: ExpansionListener['inserted']): Problems {
  const reported: string[] = [];
  const missing = new Map<string, Set<string>>();
  const placeOf = (at: Path) => formatPlace([...entryPath, ...at]);
  return {
    expandWith:
      (lookup) =>
      (text, ...at) =>
        expandVariables(text, lookup, {
          missing: (name) => void missing.set(name, (missing.get(name) ?? new Set()).add(placeOf(at))),
          inserted,
        }),
    report(problem, ...at) {
      reported.push(`${placeOf(at)}: ${problem}`);
    },
    reason() {
      const reasons = missing.size === 0 ? reported : [...reported, describeMissing(missing)];
      return reasons.length === 0 ? undefined : reasons.join(' ');
    },
  };
}

function describeMissing(missing: ReadonlyMap<string, ReadonlySet<string>>): string {
  const list = Array.from(missing, ([name, places]) => `${name} (in ${[...places].join(', ')})`).join(', ');
  const [first = ''] = missing.keys();
  const [subject, verb, it] = missing.size === 1 ? ['variable', 'is', 'it'] : ['variables', 'are', 'them'];
  return (
    `Environment ${subject} ${list} ${verb} not set. Set ${it} before the client starts (if the client passes on only part of ` +
    `its environment, set ${it} in its entry for the workbench), give a default (\${${first}:-…}), ` +
    `or put ${it} into a file that "envFile" names.`
  );
}
