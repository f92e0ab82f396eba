import { applyEdits } from '../../../clients/documents/open-document.js';
import { type ClientFile, inFile, readClientFile, serversIn } from '../../../clients/files/client-file.js';
import { commit } from '../../../clients/journal/commit.js';
import { isConnection, readJournal } from '../../../clients/journal/store.js';
import { isOurEntry } from '../../../clients/our-entry.js';
import type { Client } from '../../../clients/table/client.js';
import { realPathOf } from '../../../config/trust/trust-store.js';
import { WorkbenchError } from '../../../contract/errors.js';
import type { Call } from '../../frame/command.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { usageFailure } from '../../frame/screen/failure.js';
import { shortPath } from '../../frame/screen/short-path.js';
import { clientNamed, namesTwoFiles, targetFile } from './client-target.js';
import { declined } from './decide.js';
import { undoChanges } from './undo-changes.js';

/** `mcp-workbench disconnect CLIENT` */
export async function runDisconnect(call: Call): Promise<ExitCode> {
  const { words, computer, output } = call;
  const [word] = words;
  if (word === undefined) return output.fail(usageFailure('disconnect needs CLIENT. See mcp-workbench connect'));
  const client = clientNamed(word);
  if (namesTwoFiles(call)) return call.output.fail(usageFailure('Either --file or --project, not both.'));
  const { path } = targetFile(client, call);
  const real = realPathOf(path);
  // Of an `init`, only this file.
  const records = readJournal(computer)
    .map((record) => ({
      ...record,
      changes: record.changes.filter((change) => change.real === real && isConnection(record, change, client.name)),
    }))
    .filter(({ changes }) => changes.length > 0);
  if (records.length === 0) return removeUnrecorded(client, path, call);
  const headline = { command: `disconnect ${client.name}`, client: client.name, reverts: records.map(({ id }) => id) };
  const exit = await undoChanges(records, headline, call);
  if (exit === exitCodes.ok && !call.flag('dry-run'))
    output.printText(`${output.mark('well')} written. ${client.restart}.`);
  return exit;
}

/** An entry of ours that the journal does not have, such as one that was pasted: it alone goes. */
async function removeUnrecorded(client: Client, path: string, call: Call): Promise<ExitCode> {
  const { flag, computer, output } = call;
  const read = () => readClientFile(client, path);
  const file = read();
  const ownIn = (one: ClientFile) => serversIn(client, one).filter(({ value }) => isOurEntry(value));
  const own = ownIn(file);
  if (own.length === 0)
    throw new WorkbenchError(
      'NOTHING_TO_UNDO',
      `${client.title} is not connected: ${shortPath(path, computer.home)} has no entry of ours.`,
    );
  output.printText(`${shortPath(path, computer.home)}   (not connected by this program; only the entry goes)`);
  for (const { name } of own) output.printText(`  ${output.signs.isUnicode ? '−' : '-'} ${name}`);
  const facts = {
    command: `disconnect ${client.name}`,
    files: [{ file: path, entries: own.map(({ name }) => ({ what: 'removed', name })) }],
  };
  if (!flag('dry-run')) {
    const refusal = await declined(call);
    if (refusal !== undefined) return refusal;
    await commit({
      computer,
      headline: { command: `disconnect ${client.name}`, client: client.name },
      read,
      plan(now) {
        const { text } = now.document;
        const edits = ownIn(now).map(({ at, name }) => ({ kind: 'remove', at, name }) as const);
        return { edits, ...inFile(path, text, () => applyEdits(client.format, text, edits)) };
      },
    });
    output.printText(`${output.mark('well')} written. ${client.restart}.`);
  }
  output.document({ ...facts, written: !flag('dry-run') });
  return exitCodes.ok;
}
