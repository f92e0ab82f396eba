import type { Call } from '../../frame/command.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { usageFailure } from '../../frame/screen/failure.js';
import { candidatesFor, isShell, shells } from './completion-candidates.js';
import { scripts } from './completion-scripts.js';

/** `mcp-workbench completion SHELL`: the script for a shell, which calls back with `--candidates`. */
export async function runCompletion(call: Call): Promise<ExitCode> {
  const { words, flag, output } = call;
  const [shell = '', ...typed] = words;
  if (!isShell(shell))
    return output.fail(usageFailure(`No completion for '${shell}'. There is one for: ${shells.join(', ')}`));
  if (flag('candidates')) {
    // Nothing is said about a configuration with faults: the user is in the middle of a line.
    const found = await candidatesFor(shell, typed, call).catch(() => []);
    output.document({ candidates: found });
    if (found.length > 0) output.print(found.join('\n'));
    return exitCodes.ok;
  }
  if (typed.length > 0) return output.fail(usageFailure(`Unexpected '${typed[0]}'. It takes one shell.`));
  output.document({ shell, script: scripts[shell] });
  output.print(scripts[shell]);
  return exitCodes.ok;
}
