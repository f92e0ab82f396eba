import { parseQuickly } from '../config/quick.js';
import { readTextFile } from '../config/text-file.js';
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

/** The clients that this user has, at a glance: without the parsers that edits need, which are ten times as large as all of this. */
export function quickConnections(computer: Computer): QuickConnection[] {
  return clients
    .filter((client) => isInstalled(client, computer))
    .map((client) => ({ client, state: stateOf(client, userFileOf(client, computer)) }));
}

function stateOf(client: Client, file: string): QuickConnection['state'] {
  const content = readTextFile(file, maxQuickClientFileBytes);
  if (content.kind === 'missing') return 'unconnected';
  if (content.kind !== 'text') return 'unreadable';
  const text = content.text.replace(/^\uFEFF/, '');
  if (client.format === 'toml') return tomlEntries(text, client).some(isOurEntry) ? 'connected' : 'unconnected';
  const value = text.trim() === '' ? {} : parseQuickly(text);
  if (!isRecord(value)) return 'unreadable';
  const view = viewOf(value);
  const places = [client.servers(view), ...(client.projects?.(view) ?? []).map(({ at }) => at)];
  const entries = places.flatMap((at) => view.entriesAt(at));
  return entries.some((entry) => isOurEntry(entry.value)) ? 'connected' : 'unconnected';
}

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
function tomlEntries(text: string, client: Client): object[] {
  const [root = ''] = client.servers(viewOf({}));
  return text
    .split(/^(?=[ \t]*\[)/m)
    .filter((table) => new RegExp(String.raw`^[ \t]*\[[ \t]*${root}[ \t]*\.`).test(table))
    .map((table) => {
      const [, command = ''] = /^[ \t]*command[ \t]*=[ \t]*(.*)/m.exec(table) ?? [];
      return { command: stringsIn(command)[0] ?? '', args: stringsIn(table) };
    });
}

function stringsIn(text: string): string[] {
  return Array.from(text.matchAll(string), ([word]) => word.slice(1, -1).replaceAll('\\\\', '\\'));
}
