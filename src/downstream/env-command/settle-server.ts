import type { LateTarget, ServerConfig, StdioTarget } from '../../config/config.js';
import { namedValues } from '../../config/resolve/entry-variables.js';
import { resolveLate, type SettledTarget } from '../../config/resolve/resolve-target.js';
import { DownstreamFailure, failureOf, StartFailure } from '../../contract/downstream-failure.js';
import { messageOf } from '../../contract/errors.js';
import { envCommandMs, maxEnvCommandBytes } from '../../limits.js';
import { loadPart } from '../../platform/load-part.js';
import type { ReplaceAny } from '../../text/replace-any.js';
import type { Masks } from '../masking/masks.js';
import type { Journal } from '../protocol/journal.js';
import type { Child } from '../stdio/child.js';
import { isCommandLine } from '../stdio/command-name.js';
import type { ProcessStart } from '../stdio/open-wire.js';
import type { OutputLimits, Printed } from './read-output.js';

/** What is needed to run the program of an entry. */
export interface EnvCommandSurroundings {
  readonly masks: Masks;
  /** `mask`: replaces secrets, including ones that are found later. */
  readonly journalFor: (server: ServerConfig, mask: ReplaceAny) => Journal;
  readonly start: (program: StdioTarget, journal: Journal, start: ProcessStart) => Promise<Child>;
  readonly limits?: OutputLimits;
}

export interface SettledServer {
  readonly server: ServerConfig;
  readonly target: SettledTarget['target'];
}

const builtInLimits: OutputLimits = { limitMs: envCommandMs, maxBytes: maxEnvCommandBytes };

/** Runs the program that prints the variables of a server, and returns the server with them. */
export async function settleServer(
  server: ServerConfig,
  target: LateTarget,
  { masks, journalFor, start, limits = builtInLimits }: EnvCommandSurroundings,
  signal: AbortSignal,
): Promise<SettledServer> {
  const program = programOf(target);
  let mask = masks.fresh({ ...server, target: program }).text;
  const journal = journalFor(server, (text, isCut) => mask(text, isCut));
  const { readOutput } = await loadPart(() => import('./read-output.js'));
  const child = await startProgram(
    program,
    () => start(program, silent(journal), { configFile: server.namedFile, signal }),
    journal,
  );
  const printed = await readOutput(child, limits, signal);
  const found = [...namedValues(printed.variables), ...printed.words.map((value) => ({ name: 'envCommand', value }))];
  // Before anything of its stderr is read: it may contain them.
  mask = masks.fresh({ ...server, secrets: [...server.secrets, ...found], target: program }).text;
  const output = child.lastStderrLines();
  for (const line of output) journal.output(`envCommand: ${line.trim()}`);
  const cleanup = child.close();
  if (signal.aborted) throw new StartFailure(whileRunning(failureOf(signal), mask(nameOf(program))), cleanup);
  if (printed.problem !== undefined) {
    const reason = reasonOf(program, printed, output.at(-1));
    journal.note(reason);
    throw new StartFailure(new DownstreamFailure('unreachable', mask(reason), { log: journal.file }), cleanup);
  }
  for (const line of printed.invalidLines.slice(0, maxWarnings))
    journal.warn(`line ${line} of the output of envCommand is not NAME=value; it is ignored`);
  // No process of it may be left when the server starts.
  await cleanup;
  const resolved = resolveLate(target, printed.variables);
  const secrets = [...server.secrets, ...resolved.secrets];
  return { server: { ...server, target: resolved.target, secrets }, target: resolved.target };
}

const maxWarnings = 10;

function programOf({ envCommand: { words, env, cwd } }: LateTarget): StdioTarget {
  const [command = '', ...args] = words;
  return { kind: 'stdio', command, args, env, cwd };
}

/** Its stderr is written to the log when all secrets are known. */
function silent(journal: Journal): Journal {
  return { ...journal, output: () => {} };
}

/** A start that took too long waited for the program, not for the server. */
function whileRunning(failure: DownstreamFailure, program: string): DownstreamFailure {
  if (failure.kind !== 'timeout') return failure;
  return new DownstreamFailure('timeout', `${failure.message}: ${program} had not exited`);
}

async function startProgram({ command }: StdioTarget, start: () => Promise<Child>, journal: Journal): Promise<Child> {
  try {
    return await start();
  } catch (error) {
    const problem = isCommandLine(command) ? notOneWord : messageOf(error);
    throw new DownstreamFailure('unreachable', journal.mask(`its envCommand: ${problem}`), { cause: error });
  }
}

const notOneWord =
  'the program could not be started; the first element of the list must be the program alone, each argument another element';

function reasonOf(program: StdioTarget, { problem }: Printed, lastLine: string | undefined): string {
  const last = lastLine === undefined ? 'it wrote nothing to stderr' : `last stderr line: ${lastLine.trim()}`;
  return `${nameOf(program)} ${problem}; ${last}`;
}

function nameOf({ command }: StdioTarget): string {
  return isCommandLine(command) ? 'its envCommand' : `its envCommand '${command}'`;
}
