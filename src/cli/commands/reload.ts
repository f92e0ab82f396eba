import { setTimeout as sleep } from 'node:timers/promises';
import { recordOwnEdit } from '../../config/edits/own-edits.js';
import { digestOfText, readWaiting, type WaitingEdit } from '../../config/edits/waiting-edits.js';
import { readTextFile } from '../../config/files/text-file.js';
import { WorkbenchError } from '../../contract/errors.js';
import { maxConfigBytes } from '../../limits.js';
import type { Computer } from '../../platform/computer.js';
import { showHidden } from '../../text/hidden.js';
import type { Call } from '../frame/command.js';
import { plural } from '../frame/screen/amounts.js';
import { type ExitCode, exitCodes } from '../frame/screen/exit-codes.js';
import { usageFailure } from '../frame/screen/failure.js';
import { canAsk, confirm } from '../frame/screen/prompt.js';

/** What running sessions wait for in one file. */
interface WaitingFile {
  readonly path: string;
  /** As it is now, which is what they wait for. */
  readonly text: string;
  readonly pids: readonly number[];
  readonly changes: readonly string[];
}

/** Sessions notice within a second, where the file system does not notify them. */
const takenWithinMs = 5_000;
const lookMs = 50;

/** `mcp-workbench reload` */
export async function runReload({ flag, computer, output }: Call): Promise<ExitCode> {
  const files = waitingFiles(computer);
  const facts = files.map(({ path, pids, changes }) => ({ file: path, sessions: pids.length, changes }));
  for (const { path, pids, changes } of files) {
    output.print(`${showHidden(path)}, ${plural(pids.length, 'session')}:`);
    for (const change of changes) output.print(`  ${change}`);
  }
  if (files.length === 0) output.print('No running session waits for a change.');
  if (files.length === 0 || flag('dry-run')) {
    output.document({ files: facts, applied: false });
    return exitCodes.ok;
  }
  // stdout must be a terminal: the user has to see the changes before the question. An agent has none.
  if (output.width === undefined || !canAsk()) return output.fail(usageFailure('Run it in a terminal.'));
  if (!(await confirm('Apply this to the sessions that run?'))) {
    output.print('Nothing was changed.');
    return exitCodes.failed;
  }
  for (const { path, text } of files) recordOwnEdit(computer, path, text);
  const left = await leftOf(files, computer);
  output.document({ files: facts, applied: left === 0 });
  if (left === 0) output.print(`${output.mark('well')} applied`);
  else
    output.print(`${output.mark('bad')} ${plural(left, 'session')} did not take it within ${takenWithinMs / 1_000} s`);
  return left === 0 ? exitCodes.ok : exitCodes.failed;
}

function waitingFiles(computer: Computer): WaitingFile[] {
  const all = readWaiting(computer);
  return [...new Set(all.map(({ file }) => file))].map((file) =>
    waitingFile(
      file,
      all.filter((one) => one.file === file),
    ),
  );
}

/** Throws if a session waits with another text than the file has now: the user would not see what is applied. */
function waitingFile(path: string, edits: readonly WaitingEdit[]): WaitingFile {
  const content = readTextFile(path, maxConfigBytes);
  const text = content.kind === 'text' ? content.text : undefined;
  if (text === undefined || edits.some((one) => one.sha256 !== digestOfText(text)))
    throw new WorkbenchError(
      'CONFIG_INVALID',
      `${showHidden(path)} is not what the running sessions have read: it was edited just now, or has a fault. Run mcp-workbench validate, then this again.`,
    );
  const changes = [...new Set(edits.flatMap(({ lines }) => lines))];
  return { path, text, pids: edits.map(({ pid }) => pid), changes };
}

/** How many sessions still wait when the time is over. */
async function leftOf(files: readonly WaitingFile[], computer: Computer): Promise<number> {
  const pids = new Set(files.flatMap((file) => file.pids));
  const left = () => readWaiting(computer).filter(({ pid }) => pids.has(pid)).length;
  const until = performance.now() + takenWithinMs;
  while (left() > 0 && performance.now() < until) await sleep(lookMs);
  return left();
}
