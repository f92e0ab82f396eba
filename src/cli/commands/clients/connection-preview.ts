import { isDeepStrictEqual } from 'node:util';
import { type ConnectWish, planConnect } from '../../../clients/connect-plan.js';
import type { ClientFile } from '../../../clients/files/client-file.js';
import { readJournal } from '../../../clients/journal/store.js';
import type { Client } from '../../../clients/table/client.js';
import type { Computer } from '../../../platform/computer.js';
import type { Preview } from './connect-preview.js';

export const ownName = 'workbench';

/** What connecting would make of the file of a client. Throws if it cannot be edited. */
export function connectionPreview(
  client: Client,
  file: ClientFile,
  wish: Omit<ConnectWish, 'isRecorded'>,
  computer: Computer,
): Preview {
  const isOurs = (found: unknown) => isRecorded(found, file, computer);
  const plan = planConnect(client, file, { ...wish, isRecorded: isOurs });
  return { client, file, plan, name: wish.name, entry: wish.entry, computer };
}

/** Whether the journal says that an entry of this file is ours. */
function isRecorded(value: unknown, { real }: ClientFile, computer: Computer): boolean {
  return readJournal(computer)
    .flatMap(({ changes }) => changes)
    .filter((change) => change.real === real)
    .flatMap(({ edits }) => edits)
    .some((edit) => edit.kind === 'add' && 'value' in edit.source && isDeepStrictEqual(edit.source.value, value));
}
