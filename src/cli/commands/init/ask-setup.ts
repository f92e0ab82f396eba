import type { Client } from '../../../clients/table/client.js';
import { choose, chooseMany } from '../../frame/screen/choice.js';
import type { Output } from '../../frame/screen/output.js';

/** What the user wants. */
export type WriteAnswer = 'write' | 'write with secrets' | 'show' | 'no';

/** The first question. `hasSecrets`: whether there are any to move. */
export async function askToWrite(hasSecrets: boolean, { signs }: Output): Promise<WriteAnswer> {
  const answers: readonly (readonly [WriteAnswer, string])[] = [
    ['write', 'Yes'],
    ...(hasSecrets ? ([['write with secrets', 'Yes, but leave secrets where they are']] as const) : []),
    ['show', 'Show the file'],
    ['no', 'No'],
  ];
  const index = await choose(
    'Write this?',
    answers.map(([, text]) => text),
    signs,
  );
  return answers[index]?.[0] ?? 'no';
}

/** The second question. */
export async function askToConnect(
  clients: readonly Client[],
  isLikely: (client: Client) => boolean,
  output: Output,
): Promise<Client[]> {
  output.say('  Each gets one entry, workbench, and its servers above leave it. Without that, nothing would sleep.');
  const likely = new Set([...clients.keys()].filter((index) => clients.slice(index, index + 1).some(isLikely)));
  const chosen = await chooseMany(
    'Connect which clients?',
    clients.map(({ title }) => title),
    likely,
    output.signs,
  );
  return chosen.flatMap((index) => clients[index] ?? []);
}
