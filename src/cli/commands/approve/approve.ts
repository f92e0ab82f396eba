import type { Config, ServerConfig } from '../../../config/config.js';
import { editLock, isUnusableLock } from '../../../config/lock-file/edit-lock-file.js';
import { isOf, type LockedServer } from '../../../config/lock-file/lock-document.js';
import { lockPathsOf } from '../../../config/lock-file/lock-path.js';
import { readLockFile } from '../../../config/lock-file/read-lock-file.js';
import { isWorkbenchError, messageOf } from '../../../contract/errors.js';
import { ownCommand } from '../../../text/own-command.js';
import { findAddress, noTool } from '../../frame/addresses.js';
import { type Call, sameConfig } from '../../frame/command.js';
import { readConfigured } from '../../frame/configured.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { type Failure, usageFailure } from '../../frame/screen/failure.js';
import { canAsk, confirm } from '../../frame/screen/prompt.js';
import { shortPath } from '../../frame/screen/short-path.js';
import { only, withSession } from '../../frame/with-session.js';
import { noConfiguration } from '../../state/no-configuration.js';
import { changedLines } from '../clients/unified-diff.js';
import { approved } from './apply-approval.js';
import { differenceText } from './difference-text.js';
import { differencesOf, hasDifferences, isUnapproved, type ServerDifferences } from './differences.js';
import { type Listed, listServers } from './list-servers.js';

/** `mcp-workbench approve [TOOLBOX [SERVER [TOOL]]]`. Starts the servers: only they can say what they list. */
export async function runApprove(call: Call): Promise<ExitCode> {
  const { words, value, computer, output } = call;
  const configured = await readConfigured(value('config'), computer, (message) => output.say(message));
  if (configured === undefined) return noConfiguration(computer, output);
  const { toolbox, server, tool } = findAddress(words, configured.toolboxes, 'approve', sameConfig(call));
  const paths = lockPathsOf(configured.path, computer);
  const locked = await readLocks([paths.beside, paths.own]);
  if ('code' in locked) return output.fail(locked);
  const listed = await withSession(
    call,
    () => ({ isReview: true }),
    ({ session, config, signal }) => {
      const servers = comparable(only(config, toolbox?.name, server?.name), server?.name);
      return listServers(session, servers, signal, { mayOpenBrowser: server !== undefined }, output);
    },
  );
  for (const one of listed)
    if ('isSkipped' in one)
      output.talk(`${one.names.server} is not started: it may open a browser; name it to start it`);
  const well = listed.flatMap((one) => ('listing' in one ? [one] : []));
  if (tool !== undefined) requireTool(tool, well, locked, words);
  const differences = well
    .map(({ names, listing }) => differencesOf(names, locked.filter(isOf(names)), listing, tool))
    .filter(hasDifferences);
  return decide(differences, listed, paths, configured.path, call);
}

/** Servers without a lock are left out, unless one is named. */
function comparable({ toolboxes }: Config, named: string | undefined): ServerConfig[] {
  const all = [...toolboxes.values()].flatMap(({ servers }) => [...servers.values()]);
  return all.filter(({ lock, disabled }) => !disabled && (lock !== 'off' || named !== undefined));
}

async function readLocks(files: readonly string[]): Promise<LockedServer[] | Failure> {
  const servers: LockedServer[] = [];
  for (const file of files.toReversed()) {
    const found = await readLockFile(file, { isWalked: true });
    if (found.is === 'unusable')
      return {
        code: 'LOCK_UNUSABLE',
        message: `The lock ${file} cannot be used: ${found.problem}.`,
        exit: exitCodes.failed,
      };
    if (found.is === 'read') servers.push(...found.document.servers);
  }
  return servers;
}

function requireTool(
  tool: string,
  listed: readonly Extract<Listed, { listing: unknown }>[],
  locked: readonly LockedServer[],
  words: readonly string[],
): void {
  const names = listed.flatMap(({ listing }) => listing.reachable.map(({ name }) => name));
  const known = listed.flatMap(({ names: own }) => locked.filter(isOf(own)).flatMap(({ tools }) => tools));
  if (listed.length > 0 && !names.includes(tool) && !known.some((entry) => entry.tool.name === tool))
    throw noTool(words, names);
}

async function decide(
  differences: readonly ServerDifferences[],
  listed: readonly Listed[],
  paths: ReturnType<typeof lockPathsOf>,
  configFile: string,
  call: Call,
): Promise<ExitCode> {
  const { flag, output, computer } = call;
  for (const found of differences) output.print(differenceText(found, changedLines));
  const failures = listed.flatMap((one) => ('error' in one ? [one] : []));
  for (const { names, error } of failures)
    output.print(
      `${output.mark('bad')} ${names.toolbox} ${names.server}   ${isWorkbenchError(error) ? error.message : messageOf(error)}`,
    );
  const facts = { config: configFile, lock: paths.beside, ...documentOf(differences, listed) };
  const afterFailures = failures.length > 0 ? exitCodes.serverFailing : exitCodes.ok;
  if (differences.length === 0) {
    output.document({ ...facts, approved: false });
    output.printText(
      failures.length > 0 ? 'The others are as they were approved.' : 'All tools are as they were approved.',
    );
    return afterFailures;
  }
  if (flag('check') || flag('dry-run')) {
    output.document({ ...facts, approved: false });
    output.next([ownCommand('approve', call.words, sameConfig(call))]);
    return flag('check') && differences.some(isUnapproved) ? exitCodes.failed : afterFailures;
  }
  if (!flag('yes')) {
    // stdout must be a terminal: the user has to see the differences before the question.
    if (output.width === undefined || !canAsk())
      return output.fail(usageFailure('Run it in a terminal, or with --yes.'));
    if (!(await confirm('Approve this?'))) {
      output.print('Nothing was changed.');
      return exitCodes.failed;
    }
  }
  try {
    const { file, instead } = await editLock(paths, configFile, (document) => approved(document, differences));
    output.document({ ...facts, lock: file, approved: true });
    const shown = output.width === undefined ? file : shortPath(file, computer.home);
    const reason = instead === undefined ? '' : ` (beside the configuration it cannot be written: ${instead})`;
    output.printText(
      `${output.mark('well')} approved: ${shown}${reason}. Sessions that run use it from their next listing.`,
    );
    return afterFailures;
  } catch (error) {
    const code = isUnusableLock(error) ? 'LOCK_UNUSABLE' : 'LOCK_UNWRITABLE';
    return output.fail({
      code,
      message: `The lock cannot be written: ${messageOf(error)}. Nothing was changed.`,
      exit: exitCodes.failed,
    });
  }
}

function documentOf(differences: readonly ServerDifferences[], listed: readonly Listed[]): object {
  const servers = listed.map((one) => {
    const { toolbox, server } = one.names;
    if ('error' in one) return { toolbox, server, state: 'failed', reason: messageOf(one.error) };
    if (!('listing' in one)) return { toolbox, server, state: 'skipped' };
    const found = differences.find(isOf(one.names));
    if (found === undefined) return { toolbox, server, state: 'same' };
    const { isLocked, tools, instructions, package: from } = found;
    return { toolbox, server, state: isLocked ? 'changed' : 'new', tools, instructions, package: from };
  });
  return { same: differences.length === 0, servers };
}
