import type { Path, PlacedFault } from '../place.js';
import { type EntryPlaces, ownPlace, placeIn } from '../resolve/entry-place.js';
import type { ConfigFile } from '../schema/schema.js';
import { runsCode } from '../values/code-variables.js';
import { type PlacedText, referencesIn, textsIn } from '../values/references.js';

/** What is wrong with `${user:…}` and `${claim:…}` in a valid file. They are faults of its text, whoever reads it. */
export function userFaults(file: ConfigFile, places: EntryPlaces): PlacedFault[] {
  const { toolboxes, $schema: _, ...settings } = file;
  const found: PlacedFault[] = [...textsIn(settings)].flatMap(({ at, text }) => misplaced(text, at));
  for (const [toolbox, { mcpServers, envFile = '' }] of toolboxes) {
    found.push(...misplaced(envFile, ['toolboxes', toolbox, 'envFile']));
    for (const [server, entry] of mcpServers) {
      const place = places.get(entry) ?? ownPlace(toolbox, server);
      for (const text of textsIn(entry)) found.push(...faultsOf(text, placeIn(place, text.at), file));
    }
  }
  return found;
}

type Named = { readonly kind: 'user' | 'claim'; readonly name: string };

function namedIn(value: unknown): Named[] {
  return referencesIn(value).flatMap(({ kind, name }) => (kind === 'user' || kind === 'claim' ? [{ kind, name }] : []));
}

/** What may be made of a user: `value` is passed on as it is; `start` decides what is started or called. */
function useOf([key, inside]: Path): 'value' | 'start' | undefined {
  if (key === 'env' || key === 'headers' || (key === 'transport' && inside === 'headers')) return 'value';
  const isStart = ['args', 'cwd', 'url', 'httpUrl', 'serverUrl'].some((one) => one === key);
  return isStart || (key === 'transport' && inside === 'url') ? 'start' : undefined;
}

function faultsOf({ at, text }: PlacedText, path: Path, { http }: ConfigFile): PlacedFault[] {
  const use = useOf(at);
  if (use === undefined) return misplaced(text, path);
  const faults = namedIn(text).flatMap((named) => {
    const written = `\${${named.kind}:${named.name}}`;
    if (named.kind === 'claim' && use === 'start') return misplacedClaim(written);
    if (named.kind === 'claim' && at[0] === 'env' && decidesWhatRuns(String(at[1]))) return inCodeVariable(written);
    if (http?.auth === undefined) {
      const remedy = `Add "auth" to "http", or remove ${written}.`;
      return { what: 'This names a user, and "http" has no "auth" that says who users are.', remedy };
    }
    if (named.kind === 'user' || http.auth.claims?.includes(named.name) === true) return [];
    const remedy = `Add ${JSON.stringify(named.name)} to "claims" of "http.auth", or remove ${written}.`;
    return { what: `"claims" of "http.auth" does not list the claim '${named.name}'.`, remedy };
  });
  return placed(faults, path);
}

function misplaced(text: string, path: Path): PlacedFault[] {
  const faults = namedIn(text).map(({ kind, name }) => {
    const written = `\${${kind}:${name}}`;
    if (kind === 'claim') return misplacedClaim(written);
    const remedy = 'Write it in "env", "headers", "args", "cwd" or "url" of a server, or remove it.';
    return { what: `${written} cannot be used here.`, remedy };
  });
  return placed(faults, path);
}

/** A user may be able to choose what a claim says. */
function misplacedClaim(written: string): Fault {
  const remedy = 'A claim may be text that its user chooses. Pass it to the server in "env" or "headers".';
  return { what: `${written} can be used only in values of "env" and "headers".`, remedy };
}

function inCodeVariable(written: string): Fault {
  const remedy = 'A claim may be text that its user chooses. Pass it to the server in a variable of another name.';
  return { what: `${written} cannot be used in a variable that may decide which code runs.`, remedy };
}

/** Whom commits are by is data, although other variables of git run programs. */
function decidesWhatRuns(variable: string): boolean {
  return runsCode(variable) && !/^git_(?:author|committer)_(?:name|email)$/i.test(variable);
}

type Fault = Omit<PlacedFault, 'path'>;

/** One that occurs several times in a string is reported once. */
function placed(faults: readonly Fault[], path: Path): PlacedFault[] {
  const byText = new Map(faults.map((fault) => [fault.what, fault]));
  return Array.from(byText.values(), (fault) => ({ ...fault, path }));
}
