import type { Path, PlacedFault } from '../place.js';
import { type EntryPlaces, ownPlace, placeIn } from '../resolve/entry-place.js';
import type { ConfigFile } from '../schema/schema.js';
import { runsCode } from '../values/code-variables.js';
import { faultsForEveryone } from './for-everyone.js';
import { type NamedUser, namedIn } from './named-users.js';

/** What is wrong with `${user:…}`, `${claim:…}` and `forEveryone` in a valid file. These are faults of its text, whoever reads it. */
export function userFaults(file: ConfigFile, places: EntryPlaces): PlacedFault[] {
  const { toolboxes, $schema: _, ...settings } = file;
  const found: PlacedFault[] = namedIn(settings).map((named) => ({ ...misplaced(named), path: named.at }));
  for (const [toolbox, { mcpServers, envFile }] of toolboxes) {
    for (const named of namedIn(envFile, ['toolboxes', toolbox, 'envFile']))
      found.push({ ...misplaced(named), path: named.at });
    for (const [server, entry] of mcpServers) {
      const place = places.get(entry) ?? ownPlace(toolbox, server);
      const faults = [
        ...namedIn(entry).flatMap((named) => faultsOf(named, file)),
        ...faultsForEveryone(entry, file.defaults ?? {}),
      ];
      for (const { at, ...fault } of faults) found.push({ ...fault, path: placeIn(place, at) });
    }
  }
  return withoutRepeats(found);
}

type Fault = Omit<PlacedFault, 'path'>;

/** What may be made of a user: `value` is passed on as it is; `start` decides what is started or called. */
function useOf([key, inside]: Path): 'value' | 'start' | undefined {
  if (key === 'env' || key === 'headers' || (key === 'transport' && inside === 'headers')) return 'value';
  const isStart = ['args', 'cwd', 'url', 'httpUrl', 'serverUrl'].some((one) => one === key);
  return isStart || (key === 'transport' && inside === 'url') ? 'start' : undefined;
}

function faultsOf(named: NamedUser, { http }: ConfigFile): (Fault & { readonly at: Path })[] {
  const { kind, name, at, written } = named;
  const use = useOf(at);
  if (use === undefined || (kind === 'claim' && use === 'start')) return [{ ...misplaced(named), at }];
  if (kind === 'claim' && at[0] === 'env' && decidesWhatRuns(String(at[1]))) {
    const what = `${written} cannot be used in a variable that may decide which code runs.`;
    const remedy = 'A claim may be text that its user chooses. Pass it to the server in a variable of another name.';
    return [{ at, what, remedy }];
  }
  if (http?.auth === undefined) {
    const remedy = `Add "auth" to "http", or remove ${written}.`;
    return [{ at, what: 'This names a user, and "http" has no "auth" that says who users are.', remedy }];
  }
  if (kind === 'user' || http.auth.claims?.includes(name) === true) return [];
  const remedy = `Add ${JSON.stringify(name)} to "claims" of "http.auth", or remove ${written}.`;
  return [{ at, what: `"claims" of "http.auth" does not list the claim '${name}'.`, remedy }];
}

function misplaced({ kind, written }: NamedUser): Fault {
  if (kind === 'claim') {
    const remedy = 'A claim may be text that its user chooses. Pass it to the server in "env" or "headers".';
    return { what: `${written} can be used only in values of "env" and "headers".`, remedy };
  }
  const remedy = 'Write it in "env", "headers", "args", "cwd" or "url" of a server, or remove it.';
  return { what: `${written} cannot be used here.`, remedy };
}

/** Whom commits are by is data, although other variables of git run programs. */
function decidesWhatRuns(variable: string): boolean {
  return runsCode(variable) && !/^git_(?:author|committer)_(?:name|email)$/i.test(variable);
}

/** A string may name a user several times. */
function withoutRepeats(faults: readonly PlacedFault[]): PlacedFault[] {
  return [...new Map(faults.map((fault) => [JSON.stringify([fault.path, fault.what]), fault])).values()];
}
