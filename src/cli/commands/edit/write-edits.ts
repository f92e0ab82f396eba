import { WorkbenchError } from '../../../contract/errors.js';
import {
  type ConfigurationChange,
  planConfiguration,
  writeConfiguration,
} from '../../../setup/edit/write-configuration.js';
import { shellQuote } from '../../../text/shell-quote.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { shortPath } from '../../frame/screen/short-path.js';
import type { EditRequest } from './edit-request.js';

const tries = 5;

/** What a command says when it has edited the configuration. */
export interface EditReport {
  /** The name of the command and its words. */
  readonly command: readonly string[];
  /** What has become of the server: `added`. With `--dry-run` it follows "would be". */
  readonly done: string;
  /** Facts for `--json`. */
  readonly facts: object;
  /** What it is about, if not the words of the command. */
  readonly what?: string;
  readonly next?: readonly string[];
}

/** Writes a change of the configuration, or with `--dry-run` shows what it would be. */
export async function writeEdits(
  call: EditRequest,
  change: ConfigurationChange,
  report: EditReport,
): Promise<ExitCode> {
  const { computer, output, flag } = call;
  const { command, done, facts, next = [], what = command.slice(1, 3).join(' ') } = report;
  const isWritten = !flag('dry-run');
  await write(call, change, command.map(shellQuote).join(' '), isWritten);
  const config = shortPath(change.path, computer.home);
  const undo = 'mcp-workbench undo';
  output.document({
    command: command[0],
    config: change.path,
    ...facts,
    written: isWritten,
    ...(isWritten && { undo }),
  });
  if (!isWritten) output.print(`${what}   would be ${done} in ${config}`);
  else {
    output.print(`${output.mark('well')} ${what}   ${done}; sessions that run see it now.`);
    output.print(`  ${config}   Undo: ${undo}`);
    output.next(next);
  }
  return exitCodes.ok;
}

/** There was no preview, so a file that changes during the edit is read again. */
async function write(
  call: EditRequest,
  change: ConfigurationChange,
  command: string,
  isWritten: boolean,
): Promise<void> {
  for (let count = 0; count < tries; count++) {
    const plan = planConfiguration(change, call.computer);
    if (!isWritten || (await writeConfiguration(plan, command, call.computer)) !== undefined) return;
  }
  throw new WorkbenchError(
    'CLIENT_FILE_BUSY',
    `${change.path} was changed by another program during each of ${tries} tries. Nothing was changed.`,
  );
}

/** A command of ours about the same configuration. */
export function nextCommand(call: EditRequest, ...words: readonly string[]): string {
  const config = call.value('config');
  const same = config === undefined ? [] : ['--config', config];
  return ['mcp-workbench', ...words, ...same].map(shellQuote).join(' ');
}
