import type { Document } from '../../clients/documents/document.js';
import { isMisfit } from '../../clients/documents/document.js';
import { openDocument } from '../../clients/documents/open-document.js';
import type { ClientName } from '../../clients/table/client.js';
import { createLocator } from '../../config/read/notice.js';
import { isRecord } from '../../jsonrpc/json.js';
import { serverName } from '../server-name.js';
import { splitCommand } from './command-line.js';
import type { Pasted, Unusable } from './pasted.js';

/** The key that has the servers, and whose words they are in. */
const containers: readonly (readonly [path: readonly string[], client: ClientName])[] = [
  [['mcpServers'], 'claude-code'],
  [['servers'], 'vscode'],
  [['context_servers'], 'zed'],
  [['mcp', 'servers'], 'vscode'],
  [['mcp.servers'], 'vscode'],
  [['mcp'], 'opencode'],
  [['mcp_servers'], 'codex'],
];

/** The servers of a JSON text: a whole file of any client, a part of one, or a single entry. */
export function serversInJson(text: string): Pasted | Unusable {
  const document = opened(text);
  if ('problem' in document) return document;
  const root = new Map(document.entriesAt([]).map(({ name, value }) => [name, value]));
  if (root.has('toolboxes'))
    return { problem: 'It is a configuration of the workbench: save it, and use it with --config.' };
  for (const [path, client] of containers) {
    const entries = document.entriesAt(path);
    if (entries.length > 0 && entries.every(({ value }) => isRecord(value)))
      return pastedFrom(clientFor(client, entries), entries, root.get('inputs'));
  }
  const whole = Object.fromEntries(root);
  if (isEntry(whole)) {
    const { name, inputs, ...entry } = whole;
    const own = typeof name === 'string' && name !== '' ? name : undefined;
    const client = inputs === undefined ? 'claude-code' : 'vscode';
    return pastedFrom(client, [{ name: own ?? serverName(splitCommand(entry)), value: entry }], inputs);
  }
  const entries = document.entriesAt([]);
  if (entries.length > 0 && entries.every(({ value }) => isEntry(value))) return pastedFrom('claude-code', entries);
  return { problem: 'There is no server in it: an entry needs "command" or "url".' };
}

interface NamedValue {
  readonly name: string;
  readonly value: unknown;
}

function pastedFrom(client: ClientName, entries: readonly NamedValue[], inputs?: unknown): Pasted {
  const servers = entries.map(({ name, value }) => [name, splitCommand(isRecord(value) ? value : {})] as const);
  return { client, servers, ...(inputs !== undefined && { inputs }) };
}

/** opencode from version 2 has its servers where the settings of VS Code have them. */
function clientFor(client: ClientName, entries: readonly NamedValue[]): ClientName {
  const isOpencode = entries.some(({ value }) => isRecord(value) && Array.isArray(value['command']));
  return client === 'vscode' && isOpencode ? 'opencode' : client;
}

function isEntry(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false;
  const { command } = value;
  const urls = [value['url'], value['httpUrl'], value['serverUrl']];
  return typeof command === 'string' || Array.isArray(command) || urls.some((url) => typeof url === 'string');
}

/** Also without the braces around it, as documentation often shows a part of a file. */
function opened(text: string): Document | Unusable {
  try {
    return openDocument('json', text);
  } catch (error) {
    if (!isMisfit(error)) throw error;
    if (/^\s*"/.test(text)) {
      const inner = opened(`{${text.trim().replace(/,$/, '')}}`);
      if (!('problem' in inner)) return inner;
    }
    const { line, column } = createLocator(text)(error.offset);
    return { problem: `${line}:${column} ${error.message}` };
  }
}
