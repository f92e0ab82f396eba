import type { Path } from '../place.js';
import { type EntryPlace, type EntryPlaces, keyOf } from '../resolve/entry-place.js';
import { containerKeys } from '../schema/containers.js';
import type { WrittenEntry, WrittenFile, WrittenToolbox } from '../schema/dialect-schema.js';
import type { ConfigFile, ServerFileEntry, ToolboxFileEntry } from '../schema/schema.js';
import { givenFor, headersGiven, synonyms, type TimeUnit } from '../schema/synonyms.js';

export interface Translation {
  /** In our own form. */
  readonly file: ConfigFile;
  readonly places: EntryPlaces;
}

type Servers = ToolboxFileEntry['mcpServers'];

/** Puts a valid file into our own form. The file itself stays as it is. */
export function translate(written: WrittenFile): Translation {
  const places = new Map<ServerFileEntry, EntryPlace>();
  const { toolboxes } = written;
  const translated =
    toolboxes === undefined
      ? new Map([['default', defaultToolbox(written, serversOf(written, [], places))]])
      : new Map(
          Array.from(toolboxes, ([name, toolbox]) => [
            name,
            translateToolbox(toolbox, serversOf(toolbox, ['toolboxes', name], places)),
          ]),
        );
  return { file: { ...ownKeysOf(written), toolboxes: translated }, places };
}

function translateToolbox({ description, envFile }: WrittenToolbox, mcpServers: Servers): ToolboxFileEntry {
  return {
    ...(description !== undefined && { description }),
    mcpServers,
    ...(envFile !== undefined && { envFile }),
  };
}

function defaultToolbox({ description }: WrittenFile, mcpServers: Servers): ToolboxFileEntry {
  return { ...(description !== undefined && { description }), mcpServers };
}

function serversOf(
  holder: WrittenFile | WrittenToolbox,
  path: Path,
  places: Map<ServerFileEntry, EntryPlace>,
): Servers {
  const key = containerKeys.find((one) => holder[one] !== undefined) ?? 'mcpServers';
  const container = holder[key];
  const [block, at] =
    container instanceof Map ? [container, [key]] : [container?.servers ?? new Map<string, never>(), [key, 'servers']];
  const unit = key === 'context_servers' ? 'seconds' : 'milliseconds';
  const servers: Servers = new Map();
  for (const [name, written] of block) {
    const { entry, renamed } = translateEntry(written, unit);
    servers.set(name, entry);
    if (key !== 'mcpServers' || renamed.size > 0 || path.length === 0)
      places.set(entry, { path: [...path, ...at, name], renamed });
  }
  return servers;
}

interface TranslatedEntry {
  readonly entry: ServerFileEntry;
  readonly renamed: ReadonlyMap<string, Path>;
}

function translateEntry(written: WrittenEntry, unit: TimeUnit): TranslatedEntry {
  const renamed = new Map<string, Path>();
  const entry: Record<string, unknown> = { ...written };
  for (const ours of Object.keys(synonyms)) {
    const [given] = givenFor(ours, written, unit);
    for (const { key } of synonyms[ours] ?? []) delete entry[key];
    if (given === undefined) continue;
    entry[ours] = given.value;
    if (given.at[0] !== ours) renamed.set(ours, given.at);
  }
  // Where opencode has `false`.
  if (written.oauth === false) entry['oauth'] = { grant: 'none' };
  translateHeaders(written, entry, renamed);
  translateCommand(written, entry, renamed);
  return { entry, renamed };
}

function translateHeaders(written: WrittenEntry, entry: Record<string, unknown>, renamed: Map<string, Path>): void {
  const { env_http_headers: fromVariables, bearer_token_env_var: bearer } = written;
  delete entry['env_http_headers'];
  delete entry['bearer_token_env_var'];
  if (fromVariables === undefined && bearer === undefined) return;
  const headers = headersGiven(written);
  entry['headers'] = new Map(headers.map(({ name, value }) => [name, value]));
  for (const { at, name } of headers) if (at[0] !== 'headers') renamed.set(keyOf(['headers', name]), at);
}

function translateCommand(
  { command, args = [] }: WrittenEntry,
  entry: Record<string, unknown>,
  renamed: Map<string, Path>,
): void {
  if (!Array.isArray(command)) return;
  const [program, ...words] = command;
  entry['command'] = program;
  entry['args'] = [...words, ...args];
  renamed.set('command', ['command', 0]);
  for (const index of words.keys()) renamed.set(keyOf(['args', index]), ['command', index + 1]);
  for (const index of args.keys()) renamed.set(keyOf(['args', words.length + index]), ['args', index]);
}

/** Without what only other clients write; new keys of ours stay. */
function ownKeysOf(file: WrittenFile): Omit<ConfigFile, 'toolboxes'> {
  const foreign = new Set<string>([...containerKeys, 'toolboxes', 'description', 'inputs']);
  return Object.fromEntries(Object.entries(file).filter(([key]) => !foreign.has(key)));
}
