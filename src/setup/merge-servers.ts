import type { Served } from '../clients/served-servers.js';
import { identityOf, joined, type OwnEntry } from './own-entry.js';
import type { Input, TranslatedServer } from './translate-servers.js';

/** A server that the configuration is to have. */
export interface ImportedServer {
  readonly name: string;
  /** The directory of the project that it is for. */
  readonly project: string | undefined;
  readonly entry: OwnEntry;
  readonly inputs: readonly Input[];
}

/** What becomes of a server of a client. */
export type Fate =
  /** `wanted`: the name that another server has. */
  | { readonly kind: 'new'; readonly server: ImportedServer; readonly wanted?: string }
  /** It is the same as another one. */
  | { readonly kind: 'same'; readonly server: ImportedServer }
  /** The configuration has it already. */
  | { readonly kind: 'there'; readonly served: Served };

export interface MergedServers {
  readonly servers: readonly ImportedServer[];
  readonly fates: ReadonlyMap<TranslatedServer, Fate>;
}

/** What the configuration has. */
export interface Existing {
  /** The server that is the same as one of a client. */
  readonly find: (server: TranslatedServer) => Served | undefined;
  /** Whether a name is taken where a server for this project would go. */
  readonly isTaken: (name: string, project: string | undefined) => boolean;
}

export const nothingYet: Existing = { find: () => undefined, isTaken: () => false };

/** Equal servers become one; one name for different servers becomes NAME and NAME-CLIENT, or NAME-2 for a pasted one. */
export function mergeServers(all: readonly TranslatedServer[], existing: Existing): MergedServers {
  const fates = new Map<TranslatedServer, Fate>();
  const entries = joinedEntries(all);
  const byIdentity = new Map<string, ImportedServer>();
  const names = new Set<string>();
  const keyOf = (name: string, project: string | undefined) => JSON.stringify([project ?? null, name]);
  for (const server of all) {
    const { found, inputs, source } = server;
    const { project } = found;
    const served = existing.find(server);
    const identity = identityOf(server.entry);
    const same = byIdentity.get(identity);
    if (served !== undefined) fates.set(server, { kind: 'there', served });
    else if (same !== undefined) fates.set(server, { kind: 'same', server: same });
    else {
      const isFree = (name: string) => !names.has(keyOf(name, project)) && !existing.isTaken(name, project);
      const name = freeName(found.name, source.isPasted === true ? undefined : source.client.name, isFree);
      names.add(keyOf(name, project));
      const made: ImportedServer = { name, project, entry: entries.get(identity) ?? server.entry, inputs };
      byIdentity.set(identity, made);
      fates.set(server, { kind: 'new', server: made, ...(name !== found.name && { wanted: found.name }) });
    }
  }
  return { servers: [...byIdentity.values()], fates };
}

function joinedEntries(all: readonly TranslatedServer[]): ReadonlyMap<string, OwnEntry> {
  const entries = new Map<string, OwnEntry>();
  for (const { entry } of all) {
    const identity = identityOf(entry);
    const known = entries.get(identity);
    entries.set(identity, known === undefined ? entry : joined(known, entry));
  }
  return entries;
}

function freeName(name: string, client: string | undefined, isFree: (name: string) => boolean): string {
  if (isFree(name)) return name;
  const other = client === undefined ? name : `${name}-${client}`;
  if (isFree(other)) return other;
  for (let count = 2; ; count++) if (isFree(`${other}-${count}`)) return `${other}-${count}`;
}
