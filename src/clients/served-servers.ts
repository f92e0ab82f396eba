import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Config, ServerTarget } from '../config/config.js';
import { parseConfig } from '../config/parse.js';
import type { Computer } from '../platform/computer.js';
import type { ClientEntry, ClientFile } from './files/client-file.js';

/** A server of the configuration. */
export interface Served {
  readonly toolbox: string;
  readonly server: string;
}

/** Finds the server of the configuration that is the same as an entry of a client; undefined if there is none. */
export function createFindServed(
  config: Config,
  { real }: Pick<ClientFile, 'real'>,
  computer: Computer,
): (entry: ClientEntry) => Served | undefined {
  const servers = [...config.toolboxes.values()]
    .flatMap((toolbox) => [...toolbox.servers.values()])
    .filter(({ disabled }) => !disabled);
  return (entry) => {
    const directory = entry.project ?? path.dirname(real);
    const target = targetOf(entry, directory, computer);
    const same = target && servers.find((server) => isSame(target, server.target, entry.project));
    return same && { toolbox: same.toolbox, server: same.name };
  };
}

/** What an entry starts or reaches, after its variables are expanded; undefined if it is not a server that we could serve. */
export function targetOf(
  { name, value }: ClientEntry,
  directory: string,
  computer: Computer,
): ServerTarget | undefined {
  const text = JSON.stringify({ toolboxes: { any: { description: 'any', mcpServers: { [name]: value } } } });
  try {
    const config = parseConfig(text, { path: path.join(directory, 'any'), env: computer.env, home: computer.home });
    return config.toolboxes.get('any')?.servers.get(name)?.target;
  } catch {
    // Not an entry that the configuration could have.
    return undefined;
  }
}

/** `project`: the directory that the client's server works in, if it is not given. */
function isSame(theirs: ServerTarget, ours: ServerTarget, project: string | undefined): boolean {
  if (theirs.kind === 'stdio' && ours.kind === 'stdio') {
    const cwd = theirs.cwd ?? project;
    const isElsewhere = cwd !== undefined && ours.cwd !== undefined && path.resolve(cwd) !== path.resolve(ours.cwd);
    return (
      !isElsewhere &&
      theirs.command === ours.command &&
      isDeepStrictEqual(theirs.args, ours.args) &&
      isDeepStrictEqual(theirs.env, ours.env)
    );
  }
  if (theirs.kind !== 'remote' || ours.kind !== 'remote') return false;
  return theirs.url === ours.url && isDeepStrictEqual(lowerCase(theirs.headers), lowerCase(ours.headers));
}

function lowerCase(headers: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(Array.from(headers, ([name, value]) => [name.toLowerCase(), value]));
}
