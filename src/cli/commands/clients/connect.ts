import { openDocument } from '../../../clients/documents/open-document.js';
import { type ClientFile, readClientFile } from '../../../clients/files/client-file.js';
import { isUserFile } from '../../../clients/files/client-places.js';
import { commit } from '../../../clients/journal/commit.js';
import { installScript, lastingScript, removeOldCopies } from '../../../clients/own-files.js';
import { type ConfigText, createFindServed } from '../../../clients/served-servers.js';
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
import { printEntry, printHttpEntry } from './connect-print.js';
import { connectionPreview, ownName } from './connection-preview.js';
import { declined } from './decide.js';
import { httpHints } from './http-hints.js';
import { addressProblem, httpTarget, requireForm, type WrittenEntry } from './http-target.js';
import { maskedText } from './masked-entry.js';
import { ownFiles } from './own-launch.js';
import { requirePrivate } from './private-file.js';
import { unifiedDiff } from './unified-diff.js';
import { type Connected, launchFor, writtenEntry } from './written-entry.js';

/** `mcp-workbench connect [CLIENT]`, `mcp-workbench connect CLIENT --http [URL]` */
export async function runConnect(call: Call): Promise<ExitCode> {
  const [word] = call.words;
  const problem = usageProblem(call);
  if (problem !== undefined) return call.output.fail(usageFailure(problem));
  if (word === undefined) return showClients(call);
  if (call.flag('print')) return printOnly(word, call);
  const client = clientNamed(word);
  if (call.flag('http')) requireForm(client);
  const target = targetFile(client, call);
  if (call.value('file') === undefined && !target.isProject) requireInstalled(client, call);
  const { to, config } = await connectedTo(call);
  try {
    return await connect({ call, client, target, to, config });
  } catch (error) {
    if (!isWorkbenchError(error) || error.code !== 'CLIENT_FILE_INVALID') throw error;
    const hint = `Nothing was changed. Correct it, or: mcp-workbench connect ${client.name} --print`;
    const message = error.message.replace(target.path, shortPath(target.path, call.computer.home));
    return call.output.fail(failureOf(new WorkbenchError(error.code, `${message} ${hint}`)));
  }
}

function usageProblem(call: Call): string | undefined {
  const [word, address] = call.words;
  const isHttp = call.flag('http');
  if (address !== undefined && !isHttp) return 'A URL goes with --http. See mcp-workbench connect --help';
  if (word === undefined && isHttp) return 'connect --http needs CLIENT. mcp-workbench connect lists them.';
  if (namesTwoFiles(call)) return 'Either --file or --project, not both.';
  return address === undefined ? undefined : addressProblem(address);
}

async function printOnly(word: string, call: Call): Promise<ExitCode> {
  const { to } = await connectedTo(call);
  const isShared = call.flag('project');
  if ('service' in to) return printHttpEntry(word, to.service, call);
  return printEntry(word, launchFor(call, to.config, isShared), call);
}

interface Wanted {
  readonly call: Call;
  readonly client: Client;
  readonly target: TargetFile;
  readonly to: Connected;
  /** Undefined for a service whose configuration is elsewhere. */
  readonly config: ConfigText | undefined;
}

/** With `--http URL` the configuration may be on another computer. */
async function connectedTo(call: Call): Promise<Pick<Wanted, 'to' | 'config'>> {
  const [, url] = call.words;
  const config = await configFor(call, call.flag('http') && url !== undefined);
  if (call.flag('http')) return { to: { service: httpTarget(url, config, call.computer) }, config };
  if (config === undefined) throw noConfiguration();
  return { to: { config }, config };
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

function previewOf({ call, client, target, to, config }: Wanted, file: ClientFile): Preview {
  const { flag, value, computer } = call;
  const name = value('name') ?? ownName;
  const written = writtenEntry(client, to, call, target.isProject);
  if (target.isProject) requireProject(client, target, computer);
  if (written.hasToken) requirePrivate(client, file);
  const wish = {
    name,
    entry: written.entry,
    asksForToken: written.asksForToken,
    replaces: flag('replace'),
    keeps: flag('keep') || target.isProject || config === undefined,
    findServed: config === undefined ? () => undefined : createFindServed(config, client, file, computer),
  };
  return { ...connectionPreview(client, file, wish, computer), ...secretsIn(written) };
}

function secretsIn({ hasToken, asksForToken }: WrittenEntry): Pick<Preview, 'hasToken' | 'asksForToken'> {
  return { hasToken, asksForToken };
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
  const { client, file, plan, hasToken } = preview;
  const after = { ...file, document: openDocument(client.format, plan.text ?? '') };
  // Of ours nothing is hidden, unless it has the token in it.
  const shown = hasToken === true ? { ...preview, entry: {} } : preview;
  output.print(unifiedDiff(file.path, maskedText(shown), maskedText({ ...shown, file: after })));
}

async function configFor({ value, computer, output }: Call, isOptional: boolean): Promise<ConfigText | undefined> {
  const { file } = await findFile(value('config'), computer, (message) => output.say(message));
  if (file !== undefined || isOptional) return file;
  throw noConfiguration();
}

function noConfiguration(): WorkbenchError {
  return new WorkbenchError(
    'CONFIG_NOT_FOUND',
    'There is no configuration yet, so there is nothing to connect. Make one first: mcp-workbench init',
  );
}

function isDone(preview: Preview, { output }: Call): ExitCode {
  output.document({ ...previewFacts(preview), written: false });
  output.printText(`${output.mark('well')} ${preview.client.title} is connected already.`);
  return exitCodes.ok;
}

function finish(preview: Preview, { call, client, target, to }: Wanted): ExitCode {
  const { output, computer } = call;
  if (!target.isProject) removeOldCopies(computer, lastingScript(ownFiles(), computer));
  const undo = ['mcp-workbench disconnect', client.name, ...sameTarget(call)].join(' ');
  output.document({ ...previewFacts(preview), written: true, undo });
  output.printText(`${output.mark('well')} ${connectedText(preview)}`);
  if ('service' in to) for (const line of httpHints(client, to.service)) output.printText(`  ${line}`);
  output.printText(`  ${client.restart}, and ask: what toolboxes do I have?`);
  output.print(`  Undo: ${undo}`);
  return exitCodes.ok;
}

function sameTarget({ value, flag }: Call): string[] {
  const file = value('file');
  return file === undefined ? (flag('project') ? ['--project'] : []) : [`--file ${shellQuote(file)}`];
}
