import { isRecord } from '../../jsonrpc/json.js';
import { builtInSettings } from '../../limits.js';
import { sha256 } from '../../platform/crypto.js';
import type { ServerConfig, ServerTarget } from '../config.js';
import type { ServerFileEntry } from '../schema/schema.js';
import type { ResolvedServer } from './resolve-server.js';

/** Keys of an entry that do not change what the server lists. */
const withoutEffectOnTools: ReadonlySet<string> = new Set([
  ...Object.keys(builtInSettings),
  'toolFilters',
  'excludeTools',
  'deny',
  'ask',
  'allow',
  'lock',
  'disabled',
  'perSession',
  'forEveryone',
  'resolve',
]);

/**
 * Names the cached tools of a server: by the configuration file, the names and the entry as it is written. Variables are not
 * expanded, so that a terminal with another environment finds what an agent's workbench has stored. A digest: values may be
 * secrets. Needs the result of the quick reader and nothing else.
 */
export function cacheKeyOf(
  configFile: string | undefined,
  { toolbox, name }: Pick<ServerConfig, 'toolbox' | 'name'>,
  entry: ServerFileEntry,
): string {
  const written = Object.entries(entry).filter(([key]) => !withoutEffectOnTools.has(key));
  return digest([configFile ?? null, toolbox, name, new Map(written)]);
}

/**
 * Identifies an entry by what it is after expansion: if this changes, a running server has to be restarted. What can be
 * changed while it runs is left out: filters, rules and all limits but that of the wire.
 */
export function fingerprintOf(server: ResolvedServer): string {
  const { target, roots, perSession, forEveryone, protocol, disabled, limits, secrets } = server;
  // In order, because that of the variables in the file does not matter.
  const values = secrets.map(({ name, value }) => JSON.stringify([name, value])).sort();
  const facts = [withoutPlace(target), roots, perSession, protocol, disabled, limits.maxMessageBytes, values];
  return digest(forEveryone ? [...facts, 'forEveryone'] : facts);
}

/** Of what is started or connected to. */
export function targetDigest(target: ServerTarget): string {
  return digest([withoutPlace(target)]);
}

/** The place of an entry and the names of its keys are for messages only, and no part of its identity. */
function withoutPlace(target: ServerTarget): unknown {
  if (target.kind !== 'late' || !isRecord(target.written)) return target;
  const { place: _, ...written } = target.written;
  return { ...target, written };
}

/** The same for the same facts, in whatever order the keys of Maps and objects are. */
export function digest(facts: readonly unknown[]): string {
  return sha256(JSON.stringify(facts, (_, value: unknown) => inOrder(value)));
}

/** The order of keys in the file does not matter. */
function inOrder(value: unknown): unknown {
  if (!(value instanceof Map) && !isRecord(value)) return value;
  const entries: [unknown, unknown][] = value instanceof Map ? [...value] : Object.entries(value);
  return entries.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
}
