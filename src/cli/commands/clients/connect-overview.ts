import { type Connection, readConnections } from '../../../clients/connections.js';
import type { ConfigText } from '../../../clients/served-servers.js';
import { findFile } from '../../../config/read/find-file.js';
import type { Call } from '../../frame/command.js';
import type { Row } from '../../frame/screen/columns.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import type { Mark } from '../../frame/screen/marks.js';
import { shortPath } from '../../frame/screen/short-path.js';
import { wrapped } from '../../frame/screen/wrapped.js';
import { ownName } from './connection-preview.js';

/** `mcp-workbench connect` alone: the clients of this user, and their states. */
export async function showClients({ value, computer, output }: Call): Promise<ExitCode> {
  const connections = readConnections(computer, await configIn());
  output.document({ clients: connections.map(factsOf) });
  const rows = connections
    .filter(({ state }) => state !== 'absent')
    .flatMap((connection): (Row | string)[] => {
      const { client, path, problem } = connection;
      const file = shortPath(path, computer.home);
      const row = { cells: [output.mark(markOf(connection)), client.name, file, wordsOf(connection)] };
      // What is wrong with a file takes more than a column.
      const below = problem === undefined ? [] : [wrapped(problem.replace(path, file), output.width, 6)];
      return [{ ...row, ...noteOf(connection) }, ...below];
    });
  output.printRows(rows, {
    flexible: [
      [2, 16],
      [3, 24],
    ],
  });
  const absent = connections.filter(({ state }) => state === 'absent').map(({ client }) => client.name);
  if (absent.length > 0) output.print(wrapped(`Not found: ${absent.join(', ')}`, output.width, 0, 2));
  return exitCodes.ok;

  /** Only to find servers that are listed twice. */
  async function configIn(): Promise<ConfigText | undefined> {
    try {
      return (await findFile(value('config'), computer, (message) => output.say(message))).file;
    } catch {
      return undefined;
    }
  }
}

function markOf({ state, problem, doubled }: Connection): Mark {
  if (state === 'unreadable' || (state === 'connected' && problem !== undefined)) return 'bad';
  if (state === 'unconnected') return 'asleep';
  return doubled.length > 0 ? 'warning' : 'well';
}

function wordsOf({ state, problem, own, others, doubled }: Connection): string {
  if (state === 'unreadable') return 'cannot be read';
  const count = `${others.length} ${others.length === 1 ? 'server' : 'servers'}`;
  if (state === 'unconnected') return `not connected, ${count}`;
  const names = own.map(({ name }) => name).filter((name) => name !== ownName);
  const connected = ['connected', ...(names.length === 0 ? [] : [`as ${names.join(', ')}`])].join(' ');
  if (problem !== undefined) return `${connected}, but it does not start`;
  const twice = doubled.length === 0 ? '' : `, ${doubled.length} of them twice`;
  return `${connected}, ${count} beside it${twice}`;
}

function noteOf({ client, state, problem, doubled }: Connection): { readonly note?: string } {
  const isWell = state === 'connected' && problem === undefined && doubled.length === 0;
  return isWell || state === 'unreadable' ? {} : { note: `mcp-workbench connect ${client.name}` };
}

function factsOf({ client, path, state, problem, own, others, doubled }: Connection): object {
  const names = (entries: Connection['own']) => entries.map(({ name }) => name);
  return {
    ...{ client: client.name, title: client.title, file: path, state, ...(problem !== undefined && { problem }) },
    ...{ own: names(own), others: names(others), doubled: names(doubled) },
  };
}
