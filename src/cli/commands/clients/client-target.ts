import path from 'node:path';
import { isInstalled, userFileOf } from '../../../clients/files/client-places.js';
import type { Client } from '../../../clients/table/client.js';
import { clientOf, clients, similarClients } from '../../../clients/table/clients.js';
import { expandHome } from '../../../config/files/find.js';
import { WorkbenchError } from '../../../contract/errors.js';
import { shortPath } from '../../frame/screen/short-path.js';
import type { Request } from './request.js';

/** The client that a command is about. */
export function clientNamed(name: string): Client {
  const client = clientOf(name);
  if (client !== undefined) return client;
  const [similar] = similarClients(name);
  const names = clients.map((one) => one.name).join(', ');
  const hint = similar === undefined ? `There are: ${names}` : `Did you mean '${similar}'?`;
  throw new WorkbenchError('CLIENT_NOT_FOUND', `No client '${name}'. ${hint}`);
}

export function namesTwoFiles({ flag, value }: Pick<Request, 'flag' | 'value'>): boolean {
  return flag('project') && value('file') !== undefined;
}

export interface TargetFile {
  readonly path: string;
  /** It is shared by git. */
  readonly isProject: boolean;
}

/** The file that a command is about: the user's own, that of the project, or the one that is named. */
export function targetFile(
  client: Client,
  { flag, value, computer }: Pick<Request, 'flag' | 'value' | 'computer'>,
): TargetFile {
  const named = value('file');
  if (named !== undefined)
    return { path: path.resolve(computer.cwd, expandHome(named, computer.home)), isProject: false };
  if (!flag('project')) return { path: userFileOf(client, computer), isProject: false };
  if (client.projectFile === undefined)
    throw new WorkbenchError('CLIENT_NOT_FOUND', `${client.title} has no file that belongs to a project.`);
  return { path: path.join(computer.cwd, ...client.projectFile.split('/')), isProject: true };
}

/** A client that was never used has no file that it would read. */
export function requireInstalled(client: Client, { computer }: Pick<Request, 'computer'>): void {
  if (isInstalled(client, computer)) return;
  const file = userFileOf(client, computer);
  // The home directory itself says nothing about a client.
  const sign = path.dirname(file) === computer.home ? file : path.dirname(file);
  const expected = shortPath(sign, computer.home);
  throw new WorkbenchError(
    'CLIENT_NOT_FOUND',
    `${client.title} has not been used here yet: there is no ${expected}. Start it once, or name its file: mcp-workbench connect ${client.name} --file FILE`,
  );
}
