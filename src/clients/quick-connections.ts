import { readTextFile } from '../config/files/text-file.js';
import { parseQuickly } from '../config/read/quick.js';
import { isRecord } from '../jsonrpc/json.js';
import { maxQuickClientFileBytes } from '../limits.js';
import type { Computer } from '../platform/computer.js';
import type { Entry, KeyPath } from './documents/document.js';
import { isInstalled, userFileOf } from './files/client-places.js';
import { isOurEntry } from './our-entry.js';
import type { Client } from './table/client.js';
import { clients } from './table/clients.js';

/** Whether a client has an entry of ours. `unreadable`: its file has a fault, or is too large for a quick look. */
export interface QuickConnection {
  readonly client: Client;
  readonly state: 'connected' | 'unconnected' | 'unreadable';
}

/**
 * The clients that this user has, at a glance: without the parsers that edits need, which are ten times as large as all of this.
 * `endpoint`: the URL of our service over HTTP.
 */
export function quickConnections(computer: Computer, endpoint?: string): QuickConnection[] {
  return clients
    .filter((client) => isInstalled(client, computer))
    .map((client) => connectionOf(client, userFileOf(client, computer), endpoint));
}

function connectionOf(client: Client, file: string, endpoint: string | undefined): QuickConnection {
  const entries = entriesIn(client, file);
  if (entries === undefined) return { client, state: 'unreadable' };
  return { client, state: entries.some(({ value }) => isOurEntry(value, endpoint)) ? 'connected' : 'unconnected' };
}

function entriesIn(client: Client, file: string): NamedEntry[] | undefined {
  const content = readTextFile(file, maxQuickClientFileBytes);
  if (content.kind === 'missing') return [];
  if (content.kind !== 'text') return undefined;
  const text = content.text.replace(/^\uFEFF/, '');
  if (client.format === 'toml') return tomlEntries(text, client);
  const value = text.trim() === '' ? {} : parseQuickly(text);
  if (!isRecord(value)) return undefined;
  const view = viewOf(value);
  const places = [client.servers(view), ...(client.projects?.(view) ?? []).map(({ at }) => at)];
  return places.flatMap((at) => view.entriesAt(at));
}

type NamedEntry = Pick<Entry, 'name' | 'value'>;

/** What the table of clients asks of a document. */
function viewOf(root: unknown) {
  const objectAt = (at: KeyPath) => {
    const found = at.reduce(
      (value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      root,
    );
    return isRecord(found) ? found : {};
  };
  return {
    keysAt: (at: KeyPath) => Object.keys(objectAt(at)),
    entriesAt: (at: KeyPath): Entry[] =>
      Object.entries(objectAt(at)).map(([name, value]) => ({ at, name, value, offset: 0 })),
  };
}

const string = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g;

/** The tables of servers, as far as it matters here: the command, and all strings as its arguments. */
function tomlEntries(text: string, client: Client): NamedEntry[] {
  const [root = ''] = client.servers(viewOf({}));
  const header = new RegExp(String.raw`^[ \t]*\[[ \t]*${root}[ \t]*\.[ \t]*("[^"\n]*"|'[^'\n]*'|[\w-]+)[ \t]*(\.)?`);
  const tables = text.split(/^(?=[ \t]*\[)/m).map((table) => ({ table, head: header.exec(table) }));
  return tables.flatMap(({ table, head }) => {
    // A table inside of a server, such as its variables, is none.
    if (head === null || head[2] !== undefined) return [];
    const wordAt = (key: string) =>
      stringsIn(new RegExp(String.raw`^[ \t]*${key}[ \t]*=[ \t]*(.*)`, 'm').exec(table)?.[1] ?? '')[0];
    const remote = { url: wordAt('url'), bearer_token_env_var: wordAt('bearer_token_env_var') };
    const value = { command: wordAt('command') ?? '', args: stringsIn(table), ...remote };
    return [{ name: (head[1] ?? '').replace(/^["']|["']$/g, ''), value }];
  });
}

function stringsIn(text: string): string[] {
  return Array.from(text.matchAll(string), ([word]) => word.slice(1, -1).replaceAll('\\\\', '\\'));
}
