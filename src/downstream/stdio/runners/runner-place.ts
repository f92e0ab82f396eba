import type { StdioTarget } from '../../../config/config.js';
import { hasRunner } from './elsewhere/find-runner.js';
import { launchWords } from './elsewhere/launch-words.js';
import { isUnclear, readNpxEntry } from './npx-words.js';
import { type RunnerPlace, trustedDirectory } from './trusted-directory.js';

/**
 * How an entry with a package runner starts where its directory is not trusted. Undefined if it has none.
 * - `resolved`: npm is asked, then the file is started in the directory of the entry
 * - `elsewhere`: the runner starts in a directory of ours, the server in its own
 * - `elsewhere without its directory`: both start in a directory of ours
 */
export type RunnerStart = 'resolved' | 'elsewhere' | 'elsewhere without its directory';

export function runnerStart(
  { command, args, resolve }: Pick<StdioTarget, 'command' | 'args' | 'resolve'>,
  platform: string,
): RunnerStart | undefined {
  const entry = resolve === false ? undefined : readNpxEntry(command, args);
  if (entry !== undefined && !isUnclear(entry) && !hasRunner(args)) return 'resolved';
  const launch = launchWords([command, ...args], { directory: '/', ours: '/', node: '', platform });
  if (launch === undefined) return undefined;
  return launch.isInDirectory ? 'elsewhere' : 'elsewhere without its directory';
}

/** What to tell about a server that does not start in its directory. Undefined if it does. */
export function strayNote(target: StdioTarget, place: RunnerPlace): string | undefined {
  if (runnerStart(target, place.computer.platform) !== 'elsewhere without its directory') return undefined;
  if (trustedDirectory(target, place) !== undefined) return undefined;
  return 'starts in a directory of the workbench, because its own is not trusted and its package runner cannot be told to change it (words of the entry can still lead to another); to trust it, run in it: mcp-workbench trust';
}
