import { findFile } from '../../config/read/find-file.js';
import { quickFile } from '../../config/read/quick.js';
import type { ConfigFile } from '../../config/schema/schema.js';
import { WorkbenchError } from '../../contract/errors.js';
import { loadPart } from '../../platform/load-part.js';
import type { Call } from '../frame/command.js';
import { plural } from '../frame/screen/amounts.js';
import { type ExitCode, exitCodes } from '../frame/screen/exit-codes.js';
import { usageFailure } from '../frame/screen/failure.js';
import type { Output } from '../frame/screen/output.js';
import { shortPath } from '../frame/screen/short-path.js';
import { wrapped } from '../frame/screen/wrapped.js';

interface Fault {
  readonly line: number;
  readonly column: number;
  readonly place: string;
  readonly message: string;
}

interface Checked {
  readonly file: Pick<ConfigFile, 'toolboxes'> | undefined;
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
  /** What else there is to say about the file. */
  readonly note?: string | undefined;
}

/** `mcp-workbench validate [FILE]` */
export async function runValidate({ words, value, computer, output }: Call): Promise<ExitCode> {
  const [named] = words;
  if (named !== undefined && value('config') !== undefined)
    return output.fail(usageFailure('Name the file once: as a word, or with --config.'));
  const { file } = await findFile(named ?? value('config'), computer, (message) => output.say(message));
  if (file === undefined) throw new WorkbenchError('CONFIG_NOT_FOUND', 'There is no configuration yet.');
  const checked = await check(file.text);
  const shown = output.width === undefined ? file.path : shortPath(file.path, computer.home);
  return report({ ...checked, path: file.path, shown }, output);
}

/** The schema is loaded only if there is something to report. */
async function check(text: string): Promise<Checked> {
  const quick = quickFile(text);
  if (quick !== undefined) return { file: quick, faults: [], warnings: [] };
  const { checkFile, syntaxFirst } = await loadPart(() => import('../../config/read/parse.js'));
  const { parsed, isWhole, ...checked } = checkFile(text);
  return { ...checked, file: parsed?.file, note: isWhole ? undefined : syntaxFirst };
}

function report(checked: Checked & { readonly path: string; readonly shown: string }, output: Output): ExitCode {
  const { path, shown, file, faults, warnings, note } = checked;
  const isValid = file !== undefined;
  const others = warnings.length === 0 ? '' : `, ${plural(warnings.length, 'warning')}`;
  const message = `${plural(faults.length, 'fault')}${others}.`;
  const error = { code: 'CONFIG_INVALID', message };
  output.document({ file: path, valid: isValid, faults, warnings, ...(!isValid && { error }) });
  for (const notice of [...faults, ...warnings]) output.print(lines(shown, notice, output.width));
  if (isValid) {
    const servers = [...file.toolboxes.values()].reduce((sum, { mcpServers }) => sum + mcpServers.size, 0);
    const content = `${plural(file.toolboxes.size, 'toolbox')}, ${plural(servers, 'server')}`;
    output.print(`${output.mark('well')} ${shown}: ${content}${others}`);
    return exitCodes.ok;
  }
  if (note !== undefined) output.print(note);
  output.print(message);
  return exitCodes.configInvalid;
}

function lines(file: string, { line, column, place, message }: Fault, width: number | undefined): string {
  return `${file}:${line}:${column}  ${place}\n${wrapped(message, width, 2)}`;
}
