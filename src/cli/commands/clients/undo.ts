import type { ChangeRecord } from '../../../clients/journal/record.js';
import { readJournal } from '../../../clients/journal/store.js';
import { WorkbenchError } from '../../../contract/errors.js';
import type { Call } from '../../frame/command.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { usageFailure } from '../../frame/screen/failure.js';
import { shortPath } from '../../frame/screen/short-path.js';
import { undoChanges } from './undo-changes.js';

/** `mcp-workbench undo [--list] [N]` */
export async function runUndo(call: Call): Promise<ExitCode> {
  const { words, flag, computer, output } = call;
  const records = readJournal(computer)
    .filter(({ isUndone }) => isUndone !== true)
    .toReversed();
  if (flag('list')) return list(records, call);
  const number = words[0] ?? '1';
  if (!/^[1-9]\d*$/.test(number))
    return output.fail(usageFailure(`'${number}' is not a number of mcp-workbench undo --list.`));
  const record = records[Number(number) - 1];
  if (record === undefined)
    throw new WorkbenchError(
      'NOTHING_TO_UNDO',
      records.length === 0
        ? 'There is nothing to undo.'
        : `There is no change ${number}. See mcp-workbench undo --list`,
    );
  output.printText(`${record.command}, ${ageOf(record)}`);
  const headline = {
    command: `undo ${record.command}`,
    isUndone: true,
    reverts: [record.id],
    ...(record.client !== undefined && { client: record.client }),
    ...(record.reverts !== undefined && { restores: record.reverts }),
  };
  const exit = await undoChanges([record], headline, call);
  if (exit === exitCodes.ok && !flag('dry-run')) output.printText(`${output.mark('well')} undone.`);
  return exit;
}

function list(records: readonly ChangeRecord[], { computer, output }: Call): ExitCode {
  output.document({
    changes: records.map(({ at, command, changes }, index) => ({
      ...{ number: index + 1, at, command },
      files: changes.map(({ path }) => path),
    })),
  });
  if (records.length === 0) output.printText('There is nothing to undo.');
  const rows = records.flatMap((record, index) =>
    record.changes.map(({ path, before }, at) => ({
      // A line for each file, below the first.
      cells: [
        ...(at === 0 ? [String(index + 1), ageOf(record), record.command] : ['', '', '']),
        shortPath(path, computer.home),
        ...(before === null ? ['new'] : []),
      ],
    })),
  );
  output.printRows(rows, {
    right: [0],
    flexible: [
      [3, 20],
      [2, 12],
    ],
  });
  return exitCodes.ok;
}

const units = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'min'],
] as const;

function ageOf({ at }: ChangeRecord): string {
  const ms = Date.now() - Date.parse(at);
  const [size, unit] = units.find(([least]) => ms >= least) ?? [0, ''];
  if (size === 0) return 'just now';
  const count = Math.floor(ms / size);
  return `${count} ${unit}${unit !== 'min' && count > 1 ? 's' : ''} ago`;
}
