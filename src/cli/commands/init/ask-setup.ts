import type { Client } from '../../../clients/table/client.js';
import { chooseMany } from '../../frame/screen/choice.js';
import type { Output } from '../../frame/screen/output.js';
import { wrapped } from '../../frame/screen/wrapped.js';

const whatConnectingDoes =
  'Each client you choose gets one entry, workbench. Its entries for the servers above are taken out, so that they can sleep; undo puts them back.';

/** The second question of `init`. */
export async function askToConnect(
  clients: readonly Client[],
  isLikely: (client: Client) => boolean,
  output: Output,
): Promise<Client[]> {
  output.say(wrapped(whatConnectingDoes, output.width, 2));
  const likely = new Set([...clients.keys()].filter((index) => clients.slice(index, index + 1).some(isLikely)));
  const chosen = await chooseMany(
    'Connect which clients?',
    clients.map(({ title }) => title),
    likely,
    output.signs,
  );
  return chosen.flatMap((index) => clients[index] ?? []);
}
