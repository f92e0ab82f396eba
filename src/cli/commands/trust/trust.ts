import { statSync } from 'node:fs';
import path from 'node:path';
import { recordOwnEdit } from '../../../config/edits/own-edits.js';
import { type FoundFile, readCandidate } from '../../../config/files/config-file.js';
import { fileName } from '../../../config/files/find.js';
import { namedFilesAt, trustedFile } from '../../../config/read/trust-content.js';
import { createHideSecrets, scriptsIn } from '../../../config/trust/hide-secrets.js';
import { readNamed } from '../../../config/trust/named-files.js';
import {
  isLink,
  readTrust,
  realPathOf,
  type Trust,
  type TrustedFile,
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
import { fileSettingsOf, type Settings } from './entry-settings.js';
import { type NamedFilePlan, namedFileLines, namedFilePlans } from './named-files-text.js';
import { listTrust } from './trust-list.js';
import { pairsShown, planOf, planText, type TrustPlan, visible } from './trust-plan.js';

/** What is to be trusted: a configuration file, a directory, or a directory with the configuration in it. */
interface Subject {
  readonly directory: string | undefined;
  readonly file: FoundFile | undefined;
}

/** `mcp-workbench trust [FILE|DIRECTORY]` */
export async function runTrust({ words, flag, computer, output }: Call): Promise<ExitCode> {
  const warn = (message: string) => output.say(message);
  if (flag('list') && words.length > 0) return output.fail(usageFailure('--list takes no path.'));
  if (flag('list')) return listTrust(readTrust(computer, warn), computer, output);
  const subject = subjectAt(path.resolve(computer.cwd, words[0] ?? '.'), warn);
  const { file, directory } = subject;
  const plan = await planFor(file, computer);
  output.print(descriptionOf(subject, plan));
  const { toolboxes = [], settings, files } = plan ?? {};
  const facts = { file: file && realPathOf(file.path), directory, toolboxes, settings, files };
  if (flag('dry-run')) {
    output.document({ ...facts, trusted: false });
    return exitCodes.ok;
  }
  if (!flag('yes')) {
    // stdout must be a terminal: the user has to see the plan before the question.
    if (output.width === undefined || !canAsk())
      return output.fail(usageFailure('Run it in a terminal, or with --yes.'));
    if (!(await confirm(questionOf(subject)))) return declined(output);
  }
  // Running sessions take the file at once: the user has seen it.
  if (file !== undefined) recordOwnEdit(computer, file.path, file.text);
  writeTrust(computer, trustIn(subject, plan, readTrust(computer, warn)));
  output.document({ ...facts, trusted: true });
  const undo = ['mcp-workbench untrust', ...words.map(shellQuote)].join(' ');
  output.print(`${output.mark('well')} trusted. Take it back: ${visible(undo)}`);
  return exitCodes.ok;
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

/** What a configuration would do, and the files that it names, as they are shown. */
interface FilePlan {
  readonly toolboxes: readonly TrustPlan[];
  readonly settings: Settings;
  readonly files: readonly NamedFilePlan[];
  readonly trusted: TrustedFile;
}

/** Throws for a configuration with faults: there is nothing to show that could be trusted. */
async function planFor(found: FoundFile | undefined, computer: Computer): Promise<FilePlan | undefined> {
  if (found === undefined) return undefined;
  const { parseFile } = await loadPart(() => import('../../../config/read/parse.js'));
  const { file } = parseFile(found.text, found.path);
  const real = realPathOf(found.path);
  const named = namedFilesAt(real, file, computer);
  // What is shown is what is trusted.
  const contents = new Map(named.paths.map((one) => [one, readNamed(one)]));
  const read = (one: string) => contents.get(one) ?? readNamed(one);
  const hide = createHideSecrets(scriptsIn(file));
  return {
    toolboxes: planOf(file, path.dirname(found.path), computer.home),
    settings: fileSettingsOf(file, hide),
    trusted: trustedFile({ path: real, bytes: found.bytes }, named, read),
    files: namedFilePlans(named, read, hide),
  };
}
function descriptionOf({ directory }: Subject, plan: FilePlan | undefined): string {
  const lines: string[] = [];
  if (plan === undefined && directory !== undefined)
    lines.push(`There is no ${fileName} in ${visible(directory)}. Only the directory itself would be trusted:`);
  if (plan !== undefined) {
    const { trusted, toolboxes, settings, files } = plan;
    lines.push(`${visible(trusted.path)} would run as you:`, planText(toolboxes));
    lines.push(...pairsShown(settings).map((pair) => `  setting of all: ${pair}`));
    if (files.length > 0) lines.push('Files here that it names:', ...namedFileLines(files, visible));
    lines.push('');
  }
  if (directory !== undefined) {
    lines.push(
      `Servers that work in ${visible(directory)} could be started from packages and modules in it,`,
      'in place of the published ones (npx, python -m and the like).',
    );
  }
  if (plan !== undefined) lines.push('Any change of the file makes it untrusted again.');
  if (plan !== undefined && plan.files.length > 0)
    lines.push('So does a new variable or another value above in a file that it names.');
  return lines.join('\n');
}

/** With what was shown, whatever the files hold by now. */
function trustIn({ directory }: Subject, plan: FilePlan | undefined, trust: Trust): Trust {
  const at = new Date().toISOString();
  const files = plan === undefined ? trust : withFile(trust, { ...plan.trusted, at });
  return directory === undefined ? files : withDirectory(files, { path: directory, at });
}
