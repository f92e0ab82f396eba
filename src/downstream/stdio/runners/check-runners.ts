import path from 'node:path';
import type { StdioTarget } from '../../../config/config.js';
import { createDirectoryTrust } from '../../../config/trust/directory-trust.js';
import { realPathOf } from '../../../config/trust/trust-store.js';
import type { Computer } from '../../../platform/computer.js';
import { printableLine } from '../../../text/printable.js';
import { shellQuote } from '../../../text/shell-quote.js';
import { localModule } from './local-modules.js';
import { localReplacement, type Replacement } from './local-packages.js';
import { type Runner, runnersIn } from './words.js';

/** Either why a server must not be started, or the variables that keep its working directory out of it. */
export type RunnerCheck =
  | { readonly problem: string; readonly details: string }
  | { readonly problem?: undefined; readonly env: ReadonlyMap<string, string> };

/**
 * A package runner prefers what it finds in the working directory, and above it, to the published package. That is often a
 * repository the user has only cloned, so its replacements are used only from directories that the user trusts.
 */
export async function checkRunners(
  target: Pick<StdioTarget, 'command' | 'args' | 'cwd'>,
  computer: Computer,
): Promise<RunnerCheck> {
  // A process sees the real path of its working directory, and what is above that.
  const directory = realPathOf(path.resolve(computer.cwd, target.cwd ?? '.'));
  const isTrusted = createDirectoryTrust(computer);
  const env = new Map<string, string>();
  for (const runner of runnersIn([target.command, ...target.args])) {
    // Who wrote the directory into the configuration wants the module from there.
    if (runner.kind === 'module' && target.cwd !== undefined) continue;
    const places = runner.kind === 'module' ? [directory] : upwards(directory);
    for (const place of places.filter((one) => !isTrusted(one))) {
      const found = await replacementIn(place, runner);
      if (found !== undefined) return refusal(runner, found, place, place === directory);
    }
    // Other files there could replace modules that the module imports. Python 3.11 and later.
    if (runner.kind === 'module' && !isTrusted(directory)) env.set('PYTHONSAFEPATH', '1');
  }
  return { env };
}

function replacementIn(place: string, runner: Runner): Promise<Replacement | undefined> {
  return runner.kind === 'module' ? localModule(place, runner.module) : localReplacement(place, runner);
}

/** The names of files and directories are anyone's text: they are for the log, not for the agent. */
function refusal({ name }: Runner, { what, file }: Replacement, place: string, isOwn: boolean): RunnerCheck {
  const where = isOwn ? 'its working directory' : 'a directory above its working directory';
  return {
    problem: `${name} would use ${what}, from ${where}, which is not trusted, instead of what is published. Only the user can decide on it, in a terminal in that directory: mcp-workbench trust`,
    details: `found ${printableLine(file)}; to trust its directory: mcp-workbench trust ${printableLine(shellQuote(place))}`,
  };
}

function upwards(directory: string): string[] {
  const parent = path.dirname(directory);
  return parent === directory ? [directory] : [directory, ...upwards(parent)];
}
