import { existsSync } from 'node:fs';
import { isWorkbenchError } from '../contract/errors.js';
import type { Computer } from '../platform/computer.js';
import { type ClientEntry, type ClientFile, readClientFile, serversIn } from './files/client-file.js';
import { isInstalled, userFileOf } from './files/client-places.js';
import { commandLineOf, isOurEntry } from './our-entry.js';
import { type ConfigText, createFindServed } from './served-servers.js';
import type { Client } from './table/client.js';
import { clients } from './table/clients.js';

/** How one client stands. */
export interface Connection {
  readonly client: Client;
  readonly path: string;
  /** `absent`: this user does not have the client; `unreadable`: `problem` says why; else whether an entry of ours is there. */
  readonly state: 'absent' | 'unreadable' | 'unconnected' | 'connected';
  /** Also why a connected client cannot start the workbench. */
  readonly problem?: string;
  /** Our entries. */
  readonly own: readonly ClientEntry[];
  /** Servers that it starts itself. */
  readonly others: readonly ClientEntry[];
  /** Those of them that the workbench serves, too: they run twice. */
  readonly doubled: readonly ClientEntry[];
}

/** How all clients of this user stand, by their files alone. `config`: the configuration in use, to find servers that stand twice. */
export function readConnections(computer: Computer, config: ConfigText | undefined): Connection[] {
  return clients.map((client) => readConnection(client, computer, config));
}

function readConnection(client: Client, computer: Computer, config: ConfigText | undefined): Connection {
  const path = userFileOf(client, computer);
  const nothing = { client, path, own: [], others: [], doubled: [] };
  if (!isInstalled(client, computer)) return { ...nothing, state: 'absent' };
  try {
    return connectionIn(client, readClientFile(client, path), computer, config);
  } catch (error) {
    if (!isWorkbenchError(error)) throw error;
    return { ...nothing, state: 'unreadable', problem: error.message };
  }
}

function connectionIn(
  client: Client,
  file: ClientFile,
  computer: Computer,
  config: ConfigText | undefined,
): Connection {
  const all = serversIn(client, file);
  const own = all.filter(({ value }) => isOurEntry(value));
  const others = all.filter((entry) => !own.includes(entry));
  const findServed = config && createFindServed(config, client, file, computer);
  const problem = own.map(({ value }) => launchProblem(value)).find((one) => one !== undefined);
  return {
    client,
    path: file.path,
    state: own.length > 0 ? 'connected' : 'unconnected',
    ...(problem !== undefined && { problem }),
    own,
    others,
    doubled:
      own.length > 0 && findServed !== undefined ? others.filter((entry) => findServed(entry) !== undefined) : [],
  };
}

/** What of our entry is no longer there. */
function launchProblem(value: unknown): string | undefined {
  const [command = '', ...args] = commandLineOf(value);
  const isGone = (word: string | undefined) =>
    word !== undefined && /^(?:\/|[A-Za-z]:[/\\])/.test(word) && !existsSync(word);
  if (isGone(command)) return `the program of its entry is gone: ${command}`;
  const script = args.find((word) => word.endsWith('main.js'));
  if (isGone(script)) return `the script of its entry is gone: ${script}`;
  const config = args[args.indexOf('--config') + 1];
  return args.includes('--config') && isGone(config) ? `the configuration of its entry is gone: ${config}` : undefined;
}
