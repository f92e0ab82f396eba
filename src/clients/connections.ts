import { existsSync } from 'node:fs';
import { endpointUrl } from '../config/http/endpoint-url.js';
import { parseFile } from '../config/read/parse.js';
import { isWorkbenchError } from '../contract/errors.js';
import type { Computer } from '../platform/computer.js';
import { type ClientEntry, type ClientFile, readClientFile, serversIn } from './files/client-file.js';
import { isInstalled, userFileOf } from './files/client-places.js';
import { headersHelperOf } from './http-entry.js';
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
  const endpoint = config && endpointUrl(parseFile(config.text, config.path).file.http, computer.env);
  const own: OwnConfig = { config, endpoint };
  return clients.map((client) => readConnection(client, computer, own));
}

/** The configuration in use, and the URL at which it is served over HTTP. */
interface OwnConfig {
  readonly config: ConfigText | undefined;
  readonly endpoint: string | undefined;
}

function readConnection(client: Client, computer: Computer, config: OwnConfig): Connection {
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
  { config, endpoint }: OwnConfig,
): Connection {
  const all = serversIn(client, file);
  const own = all.filter(({ value }) => isOurEntry(value, endpoint));
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
  const helper = headersHelperOf(value);
  const [command = '', ...args] = helper === undefined ? commandLineOf(value) : wordsOf(helper);
  const isGone = (word: string | undefined) =>
    word !== undefined && /^(?:\/|[A-Za-z]:[/\\])/.test(word) && !existsSync(word);
  if (isGone(command)) return `the program of its entry is gone: ${command}`;
  const script = args.find((word) => word.endsWith('main.js'));
  if (isGone(script)) return `the script of its entry is gone: ${script}`;
  const config = args[args.indexOf('--config') + 1];
  return args.includes('--config') && isGone(config) ? `the configuration of its entry is gone: ${config}` : undefined;
}

/** A command line of ours: absolute paths in quotes, and plain words. */
function wordsOf(line: string): string[] {
  return Array.from(line.matchAll(/'([^']*)'|"([^"]*)"|\S+/g), ([word, single, double]) => single ?? double ?? word);
}
