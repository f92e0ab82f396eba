import { formatPlace, type Path } from '../place.js';
import { type ExpansionListener, expandReferences, type Reference, type Sources, variableOf } from './expand-env.js';
import { secretsFileName } from './secrets-file.js';

/** Expands a string; `at` is its place inside the entry. */
export type Expand = (text: string, ...at: Path) => string;

/** The problems that make one server unavailable, collected while its entry is resolved. */
export interface Problems {
  expandWith(sources: Sources): Expand;
  /** The same for a string at a place in the file, not in the entry. */
  expandAt(sources: Sources, place: Path): (text: string) => string;
  report(problem: string, ...at: Path): void;
  reportAt(problem: string, place: Path): void;
  /** Undefined when there are none. */
  reason(): string | undefined;
}

/** `placeOf`: the place in the file of a place inside the entry. `inserted`: called with every value that is inserted. */
export function createProblems(placeOf: (at: Path) => Path, inserted: ExpansionListener['inserted']): Problems {
  const reported = new Set<string>();
  const missing = new Map<string, Missing>();
  /** Places that name a user where there is none. */
  const ofUsers = new Set<string>();

  function addMissing(reference: Reference, place: string): void {
    if (reference.kind === 'user' || reference.kind === 'claim') {
      ofUsers.add(place);
      return;
    }
    const name = variableOf(reference);
    const known = missing.get(name) ?? { name, places: new Set(), input: undefined };
    known.places.add(place);
    missing.set(name, reference.kind === 'input' ? { ...known, input: reference.name } : known);
  }

  function reportAt(problem: string, place: Path): void {
    reported.add(`${formatPlace(place)}: ${problem}`);
  }

  const expandAt = (sources: Sources, place: Path) => (text: string) =>
    expandReferences(text, sources, {
      missing: (reference) => addMissing(reference, shortPlace(place, placeOf([]))),
      failed: (problem) => reportAt(problem, place),
      inserted,
    });

  return {
    expandWith:
      (sources) =>
      (text, ...at) =>
        expandAt(sources, placeOf(at))(text),
    expandAt,
    report: (problem, ...at) => reportAt(problem, placeOf(at)),
    reportAt,
    reason() {
      const all = [...missing.values()];
      const inputs = all.filter(({ input }) => input !== undefined).map(describeInput);
      const variables = all.filter(({ input }) => input === undefined);
      const users = ofUsers.size === 0 ? [] : [describeUsers(ofUsers)];
      const reasons = [
        ...reported,
        ...users,
        ...inputs,
        ...(variables.length === 0 ? [] : [describeMissing(variables)]),
      ];
      return reasons.length === 0 ? undefined : reasons.join(' ');
    },
  };
}

interface Missing {
  readonly name: string;
  readonly places: Set<string>;
  /** The id of the input that it stands for. */
  readonly input: string | undefined;
}

function describeUsers(places: ReadonlySet<string>): string {
  return (
    `It is set up for each user (${[...places].join(', ')}), and only agents over HTTP have users. ` +
    'Connect the agent over HTTP, or remove what names a user from its entry.'
  );
}

function describeInput({ name, places, input }: Missing): string {
  return (
    `The input '${input}' (${[...places].join(', ')}) is missing: VS Code would ask for it. Set the environment variable ${name}, ` +
    'or put it into a file that "envFile" names.'
  );
}

function describeMissing(missing: readonly Missing[]): string {
  const each = (describe: (one: Missing) => string) => inWords(missing.map(describe));
  const [only, ...others] = missing;
  const fact =
    only !== undefined && others.length === 0
      ? `${only.name} is not set (${placesOf(only)})`
      : `${each((one) => `${one.name} (${placesOf(one)})`)} are not set`;
  return (
    `${fact}. Put ${each(({ name }) => `${name}=…`)} into ${secretsFileName} ` +
    `and write ${each(({ name }) => `\${secret:${name}}`)}.`
  );
}

function inWords(texts: readonly string[]): string {
  return [texts.slice(0, -1).join(', '), ...texts.slice(-1)].filter((text) => text !== '').join(' and ');
}

function placesOf({ places }: Missing): string {
  return [...places].join(', ');
}

/** A place inside the entry without that of the entry: the server is named with every reason. */
function shortPlace(place: Path, entry: Path): string {
  const isInside = entry.every((segment, index) => place[index] === segment);
  return formatPlace(isInside ? place.slice(entry.length) : place).replace(/^config\.?/, '');
}
