import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ServerConfig, ServerTarget } from '../config/config.js';
import { parseConfig, parseFile } from '../config/read/parse.js';
import { variablesReferred } from '../config/values/references.js';
import type { Computer } from '../platform/computer.js';
import type { ClientEntry, ClientFile } from './files/client-file.js';
import { containerOf, ownForm } from './own-form.js';
import { withoutBridge } from './remote-bridge.js';
import type { Client } from './table/client.js';

/** A server of the configuration. */
export interface Served {
  readonly toolbox: string;
  readonly server: string;
}

/** The text of a valid configuration and where it is. */
export interface ConfigText {
  readonly path: string;
  readonly text: string;
}

/** The variables that a configuration takes from its environment, in order, each once. */
export function variablesIn({ text, path: file }: ConfigText): string[] {
  const { toolboxes, defaults } = parseFile(text, file).file;
  const entries = [...toolboxes.values()].flatMap(({ mcpServers }) => [...mcpServers.values()]);
  const passedOn = [...entries, defaults].flatMap((entry) => entry?.env_vars ?? []);
  return [...new Set([...variablesReferred([toolboxes, defaults ?? {}]), ...passedOn])];
}

/**
 * Finds the server of the configuration that is the same as an entry of a client; undefined if there is none. Disabled ones
 * count only with `isAny`: a client that has one does without it otherwise.
 */
export function createFindServed(
  config: ConfigText,
  client: Client,
  file: Pick<ClientFile, 'real'>,
  computer: Computer,
  isAny = false,
): (entry: ClientEntry) => Served | undefined {
  const written = parseFile(config.text, config.path).file.toolboxes;
  const servers = resolved(config, namesIn(written), computer)
    .filter(({ disabled }) => isAny || !disabled)
    .map((server) => ({ ...server, own: written.get(server.toolbox)?.mcpServers.get(server.name)?.env ?? new Map() }));
  const known = new Map<string, (typeof servers)[number][]>();
  for (const server of servers) {
    const alike = known.get(likeness(server.target));
    if (alike === undefined) known.set(likeness(server.target), [server]);
    else alike.push(server);
  }
  return (entry) => {
    const own = ownForm(client, entry.value, entry.project);
    const forms = [own, withoutBridge(own) ?? []].flat();
    const targets = forms.flatMap((one) => serverFrom(client, { ...entry, value: one }, file, computer)?.target ?? []);
    const same = targets
      .flatMap((target) => known.get(likeness(target))?.filter((server) => isSame(target, server, entry.project)) ?? [])
      .at(0);
    return same && { toolbox: same.toolbox, server: same.name };
  };
}

/** An entry of a client as the server that it would be in a configuration; undefined if it could not be one. */
export function serverOf(
  client: Client,
  entry: ClientEntry,
  file: Pick<ClientFile, 'real'>,
  computer: Computer,
): ServerConfig | undefined {
  return serverFrom(client, { ...entry, value: ownForm(client, entry.value, entry.project) }, file, computer);
}

/** `value`: with its variables as a configuration has them. */
function serverFrom(
  client: Client,
  { name, value, project }: ClientEntry,
  { real }: Pick<ClientFile, 'real'>,
  computer: Computer,
): ServerConfig | undefined {
  const container = containerOf(client);
  const servers = { [name]: value };
  const text = JSON.stringify({ toolboxes: { any: { description: 'any', [container]: servers } } });
  try {
    return resolved({ text, path: path.join(project ?? path.dirname(real), 'any') }, namesIn(value), computer)[0];
  } catch {
    // The configuration could not have it.
    return undefined;
  }
}

/**
 * The servers of a configuration. A variable that is not set in this terminal may be set for the client: a server that needs it
 * is resolved with a mark in its place, so that two entries that refer to it are still the same.
 */
function resolved({ text, path: file }: ConfigText, names: readonly string[], computer: Computer): ServerConfig[] {
  const serversWith = (env: Computer['env']) =>
    [...parseConfig(text, { ...computer, env, path: file }).toolboxes.values()].flatMap(({ servers }) => [
      ...servers.values(),
    ]);
  const known = serversWith(computer.env);
  if (known.every(({ target }) => target.kind !== 'broken')) return known;
  const marked = serversWith({
    ...Object.fromEntries(names.map((name) => [name, `unset-variable-${name}`])),
    ...computer.env,
  });
  return known.map((server, index) => (server.target.kind === 'broken' ? (marked[index] ?? server) : server));
}

/** The variables without which an entry cannot be used. */
function namesIn(value: unknown): string[] {
  return variablesReferred(value, true);
}

/** What two targets have in common that are the same. */
function likeness(target: ServerTarget): string {
  if (target.kind === 'stdio') return JSON.stringify([target.command, target.args]);
  return target.kind === 'remote' ? target.url : '';
}

interface Compared {
  readonly target: ServerTarget;
  /** The variables that its entry sets; others come from env files, which may be there for many servers. */
  readonly own: ReadonlyMap<string, string>;
}

/** `project`: the directory that the client's server works in, if it is not given. */
function isSame(theirs: ServerTarget, { target: ours, own }: Compared, project: string | undefined): boolean {
  if (theirs.kind === 'stdio' && ours.kind === 'stdio') {
    const cwd = theirs.cwd ?? project;
    const isElsewhere = cwd !== undefined && ours.cwd !== undefined && path.resolve(cwd) !== path.resolve(ours.cwd);
    return (
      !isElsewhere &&
      theirs.command === ours.command &&
      isDeepStrictEqual(theirs.args, ours.args) &&
      [...theirs.env].every(([name, value]) => ours.env.get(name) === value) &&
      [...own.keys()].every((name) => theirs.env.has(name))
    );
  }
  if (theirs.kind !== 'remote' || ours.kind !== 'remote') return false;
  return theirs.url === ours.url && isDeepStrictEqual(lowerCase(theirs.headers), lowerCase(ours.headers));
}

function lowerCase(headers: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(Array.from(headers, ([name, value]) => [name.toLowerCase(), value]));
}
