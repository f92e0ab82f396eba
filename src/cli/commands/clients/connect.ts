import path from 'node:path';
import { openDocument } from '../../../clients/documents/open-document.js';
import { type ClientFile, readClientFile } from '../../../clients/files/client-file.js';
import { isUserFile } from '../../../clients/files/client-places.js';
import { commit } from '../../../clients/journal/commit.js';
import { installScript, lastingScript, removeOldCopies } from '../../../clients/own-files.js';
import { type ConfigText, createFindServed, variablesIn } from '../../../clients/served-servers.js';
import type { Client } from '../../../clients/table/client.js';
import { findFile } from '../../../config/read/find-file.js';
import { isWorkbenchError, WorkbenchError } from '../../../contract/errors.js';
import type { Computer } from '../../../platform/computer.js';
import { shellQuote } from '../../../text/shell-quote.js';
import type { Call } from '../../frame/command.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { failureOf, usageFailure } from '../../frame/screen/failure.js';
import { shortPath } from '../../frame/screen/short-path.js';
import { clientNamed, namesTwoFiles, requireInstalled, type TargetFile, targetFile } from './client-target.js';
import { showClients } from './connect-overview.js';
import { connectedText, type Preview, previewFacts, printPreview } from './connect-preview.js';
import { printEntry } from './connect-print.js';
import { connectionPreview, ownName } from './connection-preview.js';
import { declined } from './decide.js';
import { maskedText } from './masked-entry.js';
import { isUnpublished, ownFiles, sharedLaunch, userLaunch } from './own-launch.js';
import { unifiedDiff } from './unified-diff.js';

/** `mcp-workbench connect [CLIENT]` */
export async function runConnect(call: Call): Promise<ExitCode> {
  const [word] = call.words;
  if (word === undefined) return showClients(call);
  if (call.flag('print')) return printEntry(word, launchFor(call, await configFor(call), call.flag('project')), call);
  const client = clientNamed(word);
  if (namesTwoFiles(call)) return call.output.fail(usageFailure('Either --file or --project, not both.'));
  const target = targetFile(client, call);
  if (call.value('file') === undefined && !target.isProject) requireInstalled(client, call);
  const config = await configFor(call);
  try {
    return await connect({ call, client, target, config });
  } catch (error) {
    if (!isWorkbenchError(error) || error.code !== 'CLIENT_FILE_INVALID') throw error;
    const hint = `Nothing was changed. Correct it, or: mcp-workbench connect ${client.name} --print`;
    const message = error.message.replace(target.path, shortPath(target.path, call.computer.home));
    return call.output.fail(failureOf(new WorkbenchError(error.code, `${message} ${hint}`)));
  }
}

interface Wanted {
  readonly call: Call;
  readonly client: Client;
  readonly target: TargetFile;
  readonly config: ConfigText;
}

async function connect(wanted: Wanted): Promise<ExitCode> {
  const { call, client, target } = wanted;
  const { flag, output, computer } = call;
  const read = () => readClientFile(client, target.path);
  for (let shown = previewOf(wanted, read()); ; shown = previewOf(wanted, read())) {
    await print(shown, call);
    if (shown.plan.edits.length === 0) return isDone(shown, call);
    if (flag('dry-run')) {
      output.document({ ...previewFacts(shown), written: false });
      return exitCodes.ok;
    }
    const refusal = await declined(call);
    if (refusal !== undefined) return refusal;
    if (!target.isProject) installScript(ownFiles(), computer);
    let preview = shown;
    const record = await commit({
      computer,
      headline: { command: `connect ${client.name}`, client: client.name },
      read,
      mode: target.isProject ? 0o644 : 0o600,
      plan(file) {
        if (file.bytes.equals(shown.file.bytes)) return shown.plan;
        // Without a person there is no second look, and the file may change faster than one could.
        if (!flag('yes')) return undefined;
        preview = previewOf(wanted, file);
        return preview.plan;
      },
    });
    if (record === undefined) {
      output.say(`${shortPath(target.path, computer.home)} changed while you looked at the preview. Here it is again:`);
      continue;
    }
    return finish(preview, wanted);
  }
}

function previewOf({ call, client, target, config }: Wanted, file: ClientFile): Preview {
  const { flag, value, computer } = call;
  const name = value('name') ?? ownName;
  const launch = launchFor(call, config, target.isProject);
  if (target.isProject) requireProject(client, target, computer);
  const entry = client.entry(launch);
  const wish = {
    name,
    entry,
    replaces: flag('replace'),
    keeps: flag('keep') || target.isProject,
    findServed: createFindServed(config, client, file, computer),
  };
  return connectionPreview(client, file, wish, computer);
}

function requireProject(client: Client, { path: file }: TargetFile, computer: Computer): void {
  if (isUserFile(file, computer))
    throw new WorkbenchError(
      'CLIENT_FILE_UNWRITABLE',
      `${shortPath(file, computer.home)} is your own file of ${client.title}, and belongs to no project. Nothing was changed.`,
    );
}

async function print(preview: Preview, { flag, output }: Call): Promise<void> {
  if (!flag('diff')) return printPreview(preview, output);
  const { client, file, plan } = preview;
  const after = { ...file, document: openDocument(client.format, plan.text ?? '') };
  output.print(unifiedDiff(file.path, maskedText(preview), maskedText({ ...preview, file: after })));
}

async function configFor({ value, computer, output }: Call): Promise<ConfigText> {
  const { file } = await findFile(value('config'), computer, (message) => output.say(message));
  if (file !== undefined) return file;
  throw new WorkbenchError(
    'CONFIG_NOT_FOUND',
    'There is no configuration yet, so there is nothing to connect. Make one first: mcp-workbench init',
  );
}

function launchFor({ computer }: Call, config: ConfigText, isProject: boolean) {
  const variables = variablesIn(config);
  if (!isProject) return userLaunch(config.path, variables, computer);
  if (isUnpublished(ownFiles()))
    throw new WorkbenchError(
      'CLIENT_FILE_UNWRITABLE',
      'This copy of the program is not a published version, so others could not install what --project writes; nothing was changed.',
    );
  const relative = path.relative(computer.cwd, config.path);
  if (relative.startsWith('..') || path.isAbsolute(relative))
    throw new WorkbenchError(
      'CLIENT_FILE_UNWRITABLE',
      `${config.path} is not in this project, so others would not have it. Name one that is: --config FILE. Nothing was changed.`,
    );
  return sharedLaunch(relative.split(path.sep).join('/'), variables);
}

function isDone(preview: Preview, { output }: Call): ExitCode {
  output.document({ ...previewFacts(preview), written: false });
  output.printText(`${output.mark('well')} ${preview.client.title} is connected already.`);
  return exitCodes.ok;
}

function finish(preview: Preview, { call, client, target }: Wanted): ExitCode {
  const { output, computer } = call;
  if (!target.isProject) removeOldCopies(computer, lastingScript(ownFiles(), computer));
  const undo = ['mcp-workbench disconnect', client.name, ...sameTarget(call)].join(' ');
  output.document({ ...previewFacts(preview), written: true, undo });
  output.printText(`${output.mark('well')} ${connectedText(preview)}`);
  output.printText(`  ${client.restart}, and ask: what toolboxes do I have?`);
  output.print(`  Undo: ${undo}`);
  return exitCodes.ok;
}

function sameTarget({ value, flag }: Call): string[] {
  const file = value('file');
  return file === undefined ? (flag('project') ? ['--project'] : []) : [`--file ${shellQuote(file)}`];
}
