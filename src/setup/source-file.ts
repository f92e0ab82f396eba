import { statSync } from 'node:fs';
import path from 'node:path';
import { openDocument } from '../clients/documents/open-document.js';
import { inFile } from '../clients/files/client-file.js';
import type { Client, ClientName } from '../clients/table/client.js';
import { clientOf, clients } from '../clients/table/clients.js';
import { readTextFile } from '../config/files/text-file.js';
import { realPathOf } from '../config/trust/trust-store.js';
import { WorkbenchError } from '../contract/errors.js';
import { maxClientFileBytes } from '../limits.js';
import type { Computer } from '../platform/computer.js';
import type { Place } from './find-servers.js';

/** By the key that has the servers, for a file at no known place. */
const byKey: readonly (readonly [key: string, client: ClientName])[] = [
  ['mcpServers', 'claude-code'],
  ['servers', 'vscode'],
  ['context_servers', 'zed'],
  ['mcp', 'opencode'],
  ['mcp_servers', 'codex'],
];

/** A named file with servers, and the client in whose words it is written. */
export function placeOfFile(file: string, computer: Computer): Place {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    throw new WorkbenchError('CLIENT_FILE_INVALID', `There is no file ${file}.`);
  const real = realPathOf(file);
  const own = clients.find((client) => client.files(computer).some((one) => realPathOf(one) === real));
  if (own !== undefined) return { client: own, path: file };
  const ofProject = clients.find(({ projectFile }) => projectFile && endsWith(file, projectFile));
  if (ofProject?.projectFile !== undefined) {
    const up = ofProject.projectFile.split('/').map(() => '..');
    return { client: ofProject, path: file, project: path.join(file, ...up) };
  }
  return { client: clientByContent(file), path: file };
}

function endsWith(file: string, name: string): boolean {
  return file.split(path.sep).slice(-name.split('/').length).join('/') === name;
}

function clientByContent(file: string): Client {
  const content = readTextFile(realPathOf(file), maxClientFileBytes);
  if (content.kind !== 'text')
    throw new WorkbenchError(
      'CLIENT_FILE_INVALID',
      `${file} cannot be used: ${content.kind === 'missing' ? 'it does not exist' : content.problem}.`,
    );
  const format = file.endsWith('.toml') ? 'toml' : 'json';
  const keys = inFile(file, content.text, () => openDocument(format, content.text).keysAt([]));
  if (path.basename(file).startsWith('claude_desktop_config')) return known('claude-desktop');
  const [, name] = byKey.find(([key]) => keys.includes(key)) ?? [];
  if (name !== undefined) return known(name);
  const hint = keys.includes('toolboxes')
    ? 'It is a configuration of the workbench: use it with --config.'
    : `There is none of ${byKey.map(([key]) => key).join(', ')} in it.`;
  throw new WorkbenchError('CLIENT_FILE_INVALID', `${file} has no servers. ${hint}`);
}

function known(name: ClientName): Client {
  const client = clientOf(name);
  if (client === undefined) throw new Error(`no client ${name}`);
  return client;
}
