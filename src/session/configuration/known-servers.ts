import type { Config, ServerConfig, ToolRules } from '../../config/config.js';
import { targetDigest } from '../../config/resolve/entry-identity.js';
import type { ConfigFile } from '../../config/schema/schema.js';
import { type Before, loosenedBy, ruleSetOf, stricterLock } from './edit-changes.js';
import { programLine, programWords, reachableWords } from './program-words.js';

/** What a session has known of its servers, including removed ones: who removes an entry and adds it again has not got rid of its rules. */
export interface KnownServers {
  /** By toolbox and name. */
  readonly servers: ReadonlyMap<string, ServerConfig>;
  /** Entries whose program or URL was another one. */
  readonly former: readonly ServerConfig[];
  /** The rules and the lock of `defaults`, which hold for a new server as well. */
  readonly defaults: readonly ToolRules[];
  readonly lock: ServerConfig['lock'];
}

/** The same with all that is in use now. `file`: as it is written. */
export function learnServers(
  known: KnownServers | undefined,
  config: Config,
  file: ConfigFile | undefined,
): KnownServers {
  const all = serversIn(config);
  const servers = new Map(known?.servers);
  const former = new Map(known?.former.map((one) => [formerKey(one), one]));
  for (const server of all) {
    const old = servers.get(keyOf(server));
    if (old !== undefined && !isSameTarget(old, server)) former.set(formerKey(old), old);
    servers.set(keyOf(server), server);
  }
  // Rules that an edit has removed still hold: some servers may have had the same rules of their own, and do not need them.
  const sets = all.flatMap((server) => [server, ...(server.earlier ?? [])]);
  const found = sets.flatMap(({ rules }) => rules.filter(({ from }) => from === 'defaults'));
  return {
    servers,
    former: [...former.values()],
    defaults: distinct([...(known?.defaults ?? []), ...found]),
    lock: stricterLock(known?.lock ?? 'off', file?.defaults?.lock ?? 'note'),
  };
}

/** The same with the rules of another configuration, which hold as well. */
export function learnRules(known: KnownServers, config: Config, file: ConfigFile | undefined): KnownServers {
  const learned = learnServers(undefined, config, file);
  const both = Array.from(learned.servers, ([key, server]) => {
    const old = known.servers.get(key);
    return [key, old === undefined ? server : alsoStrict(old, server)] as const;
  });
  return {
    ...known,
    servers: new Map([...known.servers, ...both]),
    defaults: distinct([...known.defaults, ...learned.defaults]),
    lock: stricterLock(known.lock, learned.lock),
  };
}

/** One program of an entry, with one set of rules. */
function formerKey(server: ServerConfig): string {
  return JSON.stringify([keyOf(server), targetDigest(server.target), ruleSetOf(server), server.lock]);
}

/** What an entry must not be looser than. `like`: another one that runs the same, if that counts as well. */
export function rulesBefore(known: KnownServers, server: ServerConfig): { before: Before; like?: ServerConfig } {
  const own = known.servers.get(keyOf(server));
  const before = own ?? newServer(known, server);
  const others = sameElsewhere(known, server, own);
  const like = others.find((one) => loosenedBy(one, server).length > 0);
  return like === undefined ? { before } : { before: others.reduce(strictest, before), like };
}

/** Entries under other names that run what this one has not run before, whatever else they say. */
function sameElsewhere(known: KnownServers, server: ServerConfig, own: ServerConfig | undefined): ServerConfig[] {
  const before = own === undefined ? new Set<string>() : reachableWords(own);
  const words = [...reachableWords(server)].filter((word) => !before.has(word));
  // Some have no word of their own, such as `npx -y x`.
  const line = programLine(server);
  const isOther = line !== undefined && (own === undefined || programLine(own) !== line);
  const isSame = (one: ServerConfig) => {
    const its = programWords(one);
    return words.some((word) => its.has(word)) || (isOther && programLine(one) === line);
  };
  return [...known.servers.values(), ...known.former].filter((one) => keyOf(one) !== keyOf(server) && isSame(one));
}

function isSameTarget(one: ServerConfig | undefined, other: ServerConfig): boolean {
  return one !== undefined && targetDigest(one.target) === targetDigest(other.target);
}

function strictest(one: Before, other: ServerConfig): Before {
  const earlier = [...(one.earlier ?? []), ruleSetOf(other), ...(other.earlier ?? [])];
  return { ...one, lock: stricterLock(one.lock, other.lock), earlier };
}

/** What holds for a new server: what it says itself, and the `defaults` of before. */
function newServer({ defaults, lock }: KnownServers, server: ServerConfig): Before {
  const own = server.rules.filter(({ from }) => from === 'server');
  // Its own exceptions count against an `ask` that holds for every server.
  const asks = defaults.some(({ ask }) => ask.length > 0);
  const rules = asks ? own.map((one) => ({ ...one, allow: [] })) : own;
  const withDefaults = (one: ToolRules) => ({ ...ruleSetOf(server), rules: [...rules, one] });
  const [first, ...earlier] = defaults.map(withDefaults);
  return { ...(first ?? ruleSetOf(server)), lock: lock === 'strict' ? lock : server.lock, earlier };
}

/** An entry as it was, but no less strict than the edited one. */
export function alsoStrict(inUse: ServerConfig, edited: ServerConfig): ServerConfig {
  const earlier = distinct([...(inUse.earlier ?? []), ruleSetOf(edited), ...(edited.earlier ?? [])]);
  return { ...inUse, lock: stricterLock(inUse.lock, edited.lock), earlier };
}

export function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Map(values.map((one) => [JSON.stringify(one), one])).values()];
}

export function serversIn({ toolboxes }: Config): ServerConfig[] {
  return [...toolboxes.values()].flatMap(({ servers }) => [...servers.values()]);
}

function keyOf({ toolbox, name }: ServerConfig): string {
  return JSON.stringify([toolbox, name]);
}
