import { existsSync } from 'node:fs';
import path from 'node:path';
import { type ClientEntry, type ClientFile, readClientFile, serversIn } from '../clients/files/client-file.js';
import { isUserFile } from '../clients/files/client-places.js';
import { isOurEntry } from '../clients/our-entry.js';
import type { Client } from '../clients/table/client.js';
import { clients } from '../clients/table/clients.js';
import { realPathOf } from '../config/trust/trust-store.js';
import { isWorkbenchError } from '../contract/errors.js';
import type { Computer } from '../platform/computer.js';
import { markDisabled } from './disabled-servers.js';

/** A file of a client, and the servers in it that are not ours. */
export interface ServerSource {
  readonly client: Client;
  readonly file: ClientFile;
  readonly entries: readonly ClientEntry[];
  /** It belongs to a project or was pasted, and may have been written by others. */
  readonly isShared: boolean;
  readonly isPasted?: true;
}

/** A file of a client that cannot be read. */
export interface UnreadableSource {
  readonly client: Client;
  readonly path: string;
  readonly problem: string;
}

export interface FoundServers {
  readonly sources: readonly ServerSource[];
  readonly unreadable: readonly UnreadableSource[];
}

/** A file that may have servers. */
export interface Place {
  readonly client: Client;
  readonly path: string;
  /** The project that the file belongs to. */
  readonly project?: string;
}

/** The servers of all clients: those of the user, of single projects, and of the project in the working directory. */
export function findServers(computer: Computer, only: readonly Client[] = clients): FoundServers {
  const own = only.flatMap((client) => client.files(computer).map((file) => ({ client, path: file })));
  const shared = only.flatMap((client) =>
    projectFilesOf(client).map((name) => ({
      client,
      path: path.join(computer.cwd, ...name.split('/')),
      project: computer.cwd,
    })),
  );
  const { sources, unreadable } = readPlaces([...own, ...shared.filter((one) => !isUserFile(one.path, computer))]);
  return { sources: markDisabled(sources), unreadable };
}

/** Reads files that exist, each once: two clients may share one. */
export function readPlaces(places: readonly Place[]): FoundServers {
  const sources: ServerSource[] = [];
  const unreadable: UnreadableSource[] = [];
  const seen = new Set<string>();
  for (const place of places.filter(({ path: file }) => existsSync(file))) {
    const real = realPathOf(place.path);
    if (seen.size === seen.add(real).size) continue;
    try {
      sources.push(readSource(place));
    } catch (error) {
      if (!isWorkbenchError(error)) throw error;
      unreadable.push({ client: place.client, path: place.path, problem: error.message });
    }
  }
  return { sources, unreadable };
}

function readSource({ client, path: file, project }: Place): ServerSource {
  const read = readClientFile(client, file);
  const entries = serversIn(client, read)
    .filter(({ value }) => !isOurEntry(value))
    .map((entry) => (project === undefined ? entry : { ...entry, project }));
  return { client, file: read, entries, isShared: project !== undefined };
}

/** opencode reads two names. */
function projectFilesOf({ name, projectFile }: Client): string[] {
  if (projectFile === undefined) return [];
  return name === 'opencode' ? [projectFile, `${projectFile}c`] : [projectFile];
}
