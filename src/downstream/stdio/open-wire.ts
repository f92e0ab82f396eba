import type { ServerLimits, StdioTarget } from '../../config/config.js';
import { DownstreamFailure, failureOf, StartFailure } from '../../contract/downstream-failure.js';
import { messageOf } from '../../contract/errors.js';
import type { PackageVersion } from '../../contract/package-version.js';
import type { Computer } from '../../platform/computer.js';
import { loadPart } from '../../platform/load-part.js';
import type { Turns } from '../../platform/turns.js';
import type { Journal } from '../protocol/journal.js';
import type { Wire } from '../protocol/wire.js';
import { type Child, startChild } from './child.js';
import type { PreparedProgram } from './runners/prepare-program.js';
import type { Asking } from './runners/resolve-npx.js';
import { mayUseDirectory } from './runners/trusted-directory.js';
import type { Watchdog } from './watchdog.js';
import { createStdioWire } from './wire.js';

/** What every server process gets from this computer. */
export interface ProcessSurroundings {
  readonly computer: Computer;
  /** The variables that every process gets; those of the server's entry are added. */
  readonly environment: ReadonlyMap<string, string>;
  readonly watchdog: Watchdog;
  /** Processes are started in turns: to start many takes long, and other work must not wait for all of it. */
  readonly turns: Turns;
  /** For what package runners say; without it nothing is kept. */
  readonly cacheDirectory: string | undefined;
  /** What package runners are being asked. */
  readonly asking: Asking;
}

/** One start of a program. */
export interface ProcessStart {
  /** The configuration with its entry. */
  readonly configFile: string | undefined;
  /** The only version of its package that may be started. */
  readonly pinned?: PackageVersion | undefined;
  /** Ends the preparations. */
  readonly signal: AbortSignal;
  /** Called before a long preparation, with what describes it. */
  readonly waiting?: ((words: () => string) => void) | undefined;
}

export interface StartedProcess {
  readonly child: Child;
  readonly prepared: Pick<PreparedProgram, 'package' | 'forget' | 'refresh'>;
}

/** Starts a server's process; its pipes are the wire. `forget`: see PreparedProgram. */
export async function openStdioWire(
  target: StdioTarget,
  limits: ServerLimits,
  surroundings: ProcessSurroundings,
  journal: Journal,
  start: ProcessStart,
): Promise<Wire & Pick<PreparedProgram, 'forget' | 'refresh'>> {
  const { child, prepared } = await startProcess(target, surroundings, journal, start);
  return { ...createStdioWire(child, limits.maxMessageBytes, journal), ...prepared };
}

/** Starts a program. What it writes to stderr goes to the journal. */
export async function startProcess(
  target: StdioTarget,
  surroundings: ProcessSurroundings,
  journal: Journal,
  start: ProcessStart,
): Promise<StartedProcess> {
  const { computer, watchdog, turns } = surroundings;
  const { cwd, platform } = computer;
  const startProgram = (program: StdioTarget, env: ReadonlyMap<string, string>) =>
    startChild(program, { cwd, platform, watchdog, env, mask: journal.mask, onStderr: journal.output });
  try {
    const { program, ...prepared } = await prepare(target, surroundings, journal, { ...start, startProgram });
    await turns.next();
    const { env, ...words } = program;
    const child = await startProgram({ ...target, ...words }, env);
    journal.note(`started as process ${child.pid}`);
    return { child, prepared };
  } catch (error) {
    journal.note(messageOf(error));
    throw error;
  }
}

interface Preparation extends ProcessStart {
  readonly startProgram: (program: StdioTarget, env: ReadonlyMap<string, string>) => Promise<Child>;
}

/** What is really started for an entry: if it has a package runner, the program that this stands for. */
async function prepare(
  target: StdioTarget,
  { computer, environment, cacheDirectory, asking }: ProcessSurroundings,
  { note }: Journal,
  { configFile, startProgram: start, ...options }: Preparation,
): Promise<Omit<PreparedProgram, 'is'>> {
  const { command, args, cwd, env } = target;
  if (!mayUseDirectory(target)) return { program: { command, args, cwd, env: new Map([...environment, ...env]) } };
  const { prepareProgram } = await loadPart(() => import('./runners/prepare-program.js'));
  const place = { computer, environment, cacheDirectory, configFile };
  const prepared = await prepareProgram(target, place, { ...options, start, asking, note });
  if (prepared.is === 'ready') return prepared;
  // Made here: a part has classes of its own.
  if (prepared.is === 'aborted') throw new StartFailure(failureOf(options.signal), prepared.cleanup);
  throw new DownstreamFailure('unreachable', prepared.reason);
}
