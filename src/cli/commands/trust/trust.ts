import { statSync } from 'node:fs';
import path from 'node:path';
import { type FoundFile, readCandidate } from '../../../config/files/config-file.js';
import { fileName } from '../../../config/files/find.js';
import {
  digestOf,
  isLink,
  readTrust,
  realPathOf,
  type Trust,
  withDirectory,
  withFile,
  writeTrust,
} from '../../../config/trust/trust-store.js';
import { usableFile } from '../../../config/trust/vetting.js';
import { WorkbenchError } from '../../../contract/errors.js';
import type { Computer } from '../../../platform/computer.js';
import { loadPart } from '../../../platform/load-part.js';
import { shellQuote } from '../../../text/shell-quote.js';
import type { Call } from '../../frame/command.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { usageFailure } from '../../frame/screen/failure.js';
import type { Output } from '../../frame/screen/output.js';
import { canAsk, confirm } from '../../frame/screen/prompt.js';
import { listTrust } from './trust-list.js';
import { planOf, planText, type TrustPlan, visible } from './trust-plan.js';

/** What is to be trusted: a configuration file, a directory, or a directory with the configuration in it. */
interface Subject {
  readonly directory: string | undefined;
  readonly file: FoundFile | undefined;
}

/** `mcp-workbench trust [FILE|DIRECTORY]` */
export async function runTrust({ words, flag, computer, output }: Call): Promise<ExitCode> {
  const warn = (message: string) => output.say(message);
  if (flag('list') && words.length > 0) return output.fail(usageFailure('--list takes no path.'));
  if (flag('list')) return listTrust(readTrust(computer, warn), output);
  const subject = subjectAt(path.resolve(computer.cwd, words[0] ?? '.'), warn);
  const { file, directory } = subject;
  const plan = await planFor(file, computer);
  output.print(descriptionOf(subject, plan));
  const facts = { file: file && realPathOf(file.path), directory, toolboxes: plan };
  if (flag('dry-run')) {
    output.document({ ...facts, trusted: false });
    return exitCodes.well;
  }
  if (!flag('yes')) {
    // Who is asked must have seen the plan, on stdout.
    if (output.width === undefined || !canAsk())
      return output.fail(usageFailure('Run it in a terminal, or with --yes.'));
    if (!(await confirm(questionOf(subject)))) return declined(output);
  }
  writeTrust(computer, trustIn(subject, readTrust(computer, warn)));
  output.document({ ...facts, trusted: true });
  const undo = ['mcp-workbench untrust', ...words.map(shellQuote)].join(' ');
  output.print(`${output.mark('well')} trusted. Take it back: ${visible(undo)}`);
  return exitCodes.well;
}

function questionOf({ file, directory }: Subject): string {
  if (directory === undefined) return 'Trust this file?';
  const what = file === undefined ? 'this directory' : 'this file, and the directory';
  return `Trust ${what} with whatever it contains later?`;
}

function declined(output: Output): ExitCode {
  output.print('Nothing was changed.');
  return exitCodes.failed;
}

function subjectAt(given: string, warn: (message: string) => void): Subject {
  const stats = statSync(given, { throwIfNoEntry: false });
  if (stats === undefined)
    throw new WorkbenchError('CONFIG_NOT_FOUND', `There is no file or directory ${visible(given)}.`);
  const isDirectory = stats.isDirectory();
  const file = isDirectory ? path.join(given, fileName) : given;
  if (isLink(file))
    throw new WorkbenchError('CONFIG_UNSAFE', `${visible(file)} is a link, and is not used as a configuration.`);
  const found = readCandidate({ path: file });
  return { directory: isDirectory ? realPathOf(given) : undefined, file: found && usableFile(found, warn) };
}

/** Throws for a configuration with faults: there is nothing to show that could be trusted. */
async function planFor(file: FoundFile | undefined, computer: Computer): Promise<TrustPlan[]> {
  if (file === undefined) return [];
  const { parseFile } = await loadPart(() => import('../../../config/read/parse.js'));
  return planOf(parseFile(file.text, file.path).file, path.dirname(file.path), computer.home);
}

function descriptionOf({ directory, file }: Subject, plan: readonly TrustPlan[]): string {
  const lines: string[] = [];
  if (file !== undefined) lines.push(`${visible(realPathOf(file.path))} would run as you:`, planText(plan), '');
  if (directory !== undefined) {
    lines.push(
      `Servers that work in ${visible(directory)} could be started from packages and modules in it,`,
      'in place of the published ones (npx, python -m and the like).',
    );
  }
  if (file !== undefined) lines.push('Any change of the file makes it untrusted again.');
  return lines.join('\n');
}

/** With the bytes that were shown, whatever the file holds by now. */
function trustIn({ directory, file }: Subject, trust: Trust): Trust {
  const at = new Date().toISOString();
  const real = file && realPathOf(file.path);
  const files =
    file && real !== undefined ? withFile(trust, { path: real, sha256: digestOf(real, file.bytes), at }) : trust;
  return directory === undefined ? files : withDirectory(files, { path: directory, at });
}
