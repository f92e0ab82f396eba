import type { ClientEntry, ClientFile } from '../clients/files/client-file.js';
import type { ConfigText, Served } from '../clients/served-servers.js';
import type { Computer } from '../platform/computer.js';
import { printable } from '../text/printable.js';
import type { ConfigurationEdit } from './edit/configuration-edit.js';
import { existingServers } from './existing-servers.js';
import type { FoundServers } from './find-servers.js';
import { groupServers, type ToolboxPlan } from './group-servers.js';
import { inheritedBy } from './known-packages.js';
import { type Fate, type ImportedServer, mergeServers } from './merge-servers.js';
import { moveSecrets, type Secret } from './move-secrets.js';
import type { OwnEntry } from './own-entry.js';
import { needsOwnProcess, needsTurns } from './stateful-package.js';
import { type TranslatedServer, translateServers, type UntranslatedServer } from './translate-servers.js';

/** What bringing servers together would do. Nothing is written yet. */
export interface SetupPlan {
  readonly found: FoundServers;
  readonly fates: ReadonlyMap<TranslatedServer, Fate>;
  /** How many servers were found, equal ones counted once. */
  readonly differentServers: number;
  /** Servers that a configuration cannot have. */
  readonly untranslated: readonly UntranslatedServer[];
  /** What is added. */
  readonly toolboxes: readonly (ToolboxPlan & { readonly isNew: boolean })[];
  /** How many toolboxes the configuration has; undefined: there is none yet. */
  readonly existing: number | undefined;
  readonly secrets: readonly Secret[];
  /** Variables that servers take from their environment, and have to be passed on. */
  readonly inherited: readonly { readonly server: string; readonly variables: readonly string[] }[];
  /** Keys that only clients use, and are not taken over. */
  readonly leftOut: readonly { readonly key: string; readonly servers: readonly string[] }[];
  /** Servers that get a process for each session, because they are known to keep a state. */
  readonly perSession: readonly string[];
  /** Servers that get one call at a time, because they are known to lose what they are asked to write at once. */
  readonly inTurns: readonly string[];
  /** A new server as it would be written, with its secrets in the other file. */
  readonly entryOf: (server: ImportedServer) => OwnEntry;
  /** The edits of the configuration; with secrets in other file, or left where they are. */
  readonly edits: (keepsSecrets: boolean) => ConfigurationEdit[];
  /** Where the server of a client is served then. */
  readonly servedBy: (file: Pick<ClientFile, 'real'>, entry: ClientEntry) => Served | undefined;
}

export interface SetupWish {
  readonly config: ConfigText | undefined;
  /** The toolbox that all servers go into. */
  readonly toolbox?: string | undefined;
  /** The value that the file of secrets has for a name. */
  readonly secretOf: (name: string) => string | undefined;
  readonly computer: Computer;
}

export function planSetup(found: FoundServers, { config, toolbox, secretOf, computer }: SetupWish): SetupPlan {
  const translations = found.sources.map(translateServers);
  const translated = translations.flatMap((one) => one.translated);
  const existing = existingServers(config, toolbox, computer);
  const { servers, fates } = mergeServers(translated, existing);
  const groups = groupServers(servers, existing.only);
  const passedOn = new Map(servers.map((server) => [server, inheritedBy(server.entry)]));
  const moved = moveSecrets(servers, secretOf);
  const entryOf = (server: ImportedServer, keepsSecrets = false) =>
    withSettings((keepsSecrets ? server.entry : moved.entries.get(server)) ?? server.entry, passedOn.get(server) ?? []);
  return {
    found,
    fates,
    differentServers: [...fates.values()].filter(({ kind }) => kind !== 'same').length,
    untranslated: translations.flatMap((one) => one.untranslated),
    toolboxes: groups.map((group) => ({ ...group, isNew: !existing.toolboxes.has(group.name) })),
    existing: config && existing.toolboxes.size,
    secrets: moved.secrets,
    inherited: servers
      .map((server) => ({ server: server.name, variables: passedOn.get(server) ?? [] }))
      .filter(({ variables }) => variables.length > 0),
    leftOut: leftOut(fates),
    perSession: servers.filter(({ entry }) => needsOwnProcess(entry)).map(({ name }) => name),
    inTurns: servers.filter(({ entry }) => needsTurns(entry)).map(({ name }) => name),
    entryOf,
    edits: (keepsSecrets) =>
      groups.flatMap((group) => {
        const edits = group.servers.map(
          (server): ConfigurationEdit => ({
            kind: 'add server',
            toolbox: group.name,
            server: server.name,
            entry: entryOf(server, keepsSecrets),
            comments: commentsFor(server),
          }),
        );
        return existing.toolboxes.has(group.name) ? edits : [{ kind: 'add toolbox', toolbox: group.name }, ...edits];
      }),
    servedBy: servedBy(groups, fates),
  };
}

function withSettings(entry: OwnEntry, names: readonly string[]): OwnEntry {
  return {
    ...entry,
    ...(names.length > 0 && { env_vars: [...(entry.env_vars ?? []), ...names] }),
    ...(needsOwnProcess(entry) && { perSession: true }),
    ...(needsTurns(entry) && { maxConcurrentCalls: 1 }),
  };
}

function leftOut(fates: SetupPlan['fates']): SetupPlan['leftOut'] {
  const servers = new Map<string, Set<string>>();
  for (const [{ leftOut: keys }, fate] of fates) {
    if (fate.kind === 'there') continue;
    for (const key of keys) servers.set(key, (servers.get(key) ?? new Set()).add(fate.server.name));
  }
  return Array.from(servers, ([key, names]) => ({ key, servers: [...names] }));
}

function commentsFor({ inputs }: ImportedServer): string[] {
  return inputs.map(({ variable, question, id }) => {
    const asked = printable(question ?? id)
      .replaceAll(/\s+/g, ' ')
      .trim();
    return `VS Code asked for "${asked}". Set the variable ${variable}.`;
  });
}

function servedBy(groups: readonly ToolboxPlan[], fates: SetupPlan['fates']): SetupPlan['servedBy'] {
  const toolboxOf = new Map(groups.flatMap(({ name, servers }) => servers.map((server) => [server, name] as const)));
  const keyOf = (real: string, { at, name, value }: ClientEntry) => JSON.stringify([real, at, name, value]);
  const served = new Map<string, Served>();
  for (const [{ source, found }, fate] of fates) {
    const toolbox = fate.kind === 'there' ? fate.served.toolbox : toolboxOf.get(fate.server);
    const server = fate.kind === 'there' ? fate.served.server : fate.server.name;
    if (toolbox !== undefined) served.set(keyOf(source.file.real, found), { toolbox, server });
  }
  return ({ real }, entry) => served.get(keyOf(real, entry));
}
