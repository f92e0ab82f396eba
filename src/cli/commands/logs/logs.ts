import { isWorkbenchError } from '../../../contract/errors.js';
import { ownLogFile, serverLogFiles } from '../../../downstream/logs/log-names.js';
import { logDirectoryOf } from '../../../platform/directories.js';
import { findAddress } from '../../frame/addresses.js';
import type { Call } from '../../frame/command.js';
import { readConfigured } from '../../frame/configured.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { usageFailure } from '../../frame/screen/failure.js';
import { shortPath } from '../../frame/screen/short-path.js';
import { followFiles, lastLines } from './log-lines.js';
import { placeOfUser } from './user-logs.js';

const defaultLines = 50;

/** `mcp-workbench logs [TOOLBOX SERVER] [--user KEY] [-f] [-n N]` */
export async function runLogs(call: Call): Promise<ExitCode> {
  const { words, flag, value, computer, output } = call;
  const [toolbox, name] = words;
  if (toolbox !== undefined && name === undefined)
    return output.fail(usageFailure('logs needs TOOLBOX SERVER, or neither for the log of the workbench itself.'));
  if (flag('follow') && output.isJson) return output.fail(usageFailure('--json is one document: it cannot follow.'));
  const count = value('lines') === undefined ? defaultLines : Number(value('lines'));
  if (!Number.isSafeInteger(count) || count < 0)
    return output.fail(usageFailure(`-n needs a whole number, not '${value('lines')}'.`));
  const user = value('user');
  const place = user === undefined ? computer : placeOfUser(user, computer);
  if (typeof place === 'string') return output.fail(usageFailure(place));
  const directory = logDirectoryOf(place);
  const files = () =>
    toolbox === undefined || name === undefined
      ? [{ path: ownLogFile(directory), number: 1 }]
      : serverLogFiles(directory, { toolbox, name });
  const found = files();
  const paths = found.map(({ path }) => path);
  const [file = ''] = paths;
  const last = lastLines(found, count);
  if (last === undefined) await requireNames(call);
  output.document({ file, files: paths, lines: last?.lines ?? [] });
  for (const line of last?.lines ?? []) output.print(line);
  if (last === undefined) {
    const when =
      toolbox === undefined
        ? 'It is written after the first call of a session.'
        : 'The server has not been started yet.';
    output.say(`No log yet at ${shortPath(file, computer.home)}. ${when}`);
  }
  if (!flag('follow')) return exitCodes.ok;
  return followFiles(files, last?.ends ?? new Map(), (line) => output.print(line), output.isUnread);
}

/** There may be a log of a server that is no longer configured, and a configuration with faults; neither prevents reading logs. */
async function requireNames({ words, value, computer }: Call): Promise<void> {
  try {
    const configured = await readConfigured(value('config'), computer, () => {});
    if (configured !== undefined) findAddress(words, configured.toolboxes, 'logs');
  } catch (error) {
    if (isWorkbenchError(error) && error.code.startsWith('CONFIG_')) return;
    throw error;
  }
}
