import type { Path, PlacedFault } from '../place.js';
import type { ServerFileEntry, ServerFileSettings } from '../schema/schema.js';
import { namedIn } from './named-users.js';
import { contradictions } from './shared-entry.js';

type Fault = Omit<PlacedFault, 'path'> & { readonly at: Path };

/** What contradicts `forEveryone` in an entry. `at`: inside the entry. */
export function faultsForEveryone(entry: ServerFileEntry, defaults: ServerFileSettings): Fault[] {
  if (entry.forEveryone !== true) return [];
  const named = namedIn(entry).map(({ at, written }) => {
    const what = `${written} names one user, and "forEveryone" shares the server.`;
    return { at, what, remedy: 'Remove one of them.' };
  });
  const others = contradictions(entry, defaults).map((key) =>
    key === 'oauth' ? ofLogin(entry) : ofSession(key, entry[key] !== undefined),
  );
  return [...named, ...others];
}

function ofSession(key: 'perSession' | 'roots', isOwn: boolean): Fault {
  const why = 'gives every session a process of its own, and "forEveryone" shares one.';
  if (isOwn) return { at: [key], what: `"${key}" ${why}`, remedy: 'Remove one of them.' };
  const remedy = `Write "${key}": false, or remove "forEveryone".`;
  return { at: ['forEveryone'], what: `"${key}" of "defaults" ${why}`, remedy };
}

function ofLogin({ oauth }: ServerFileEntry): Fault {
  const at = oauth?.grant === undefined ? ['oauth'] : ['oauth', 'grant'];
  const remedy = 'Write "grant": "client_credentials" or "none", or remove "forEveryone".';
  return { at, what: 'A login is that of one person, and "forEveryone" shares the server.', remedy };
}
