import type { ServerLimits, StdioTarget } from '../../config/config.js';
import { DownstreamFailure } from '../../contract/downstream-failure.js';
import { messageOf } from '../../contract/errors.js';
import type { Computer } from '../../platform/computer.js';
import type { Turns } from '../../platform/turns.js';
import type { Journal } from '../protocol/journal.js';
import type { Wire } from '../protocol/wire.js';
import { type Child, startChild } from './child.js';
import { checkRunners } from './runners/check-runners.js';
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
}

/** Starts a server's process; its pipes are the wire. */
export async function openStdioWire(
  target: StdioTarget,
  limits: ServerLimits,
  surroundings: ProcessSurroundings,
  journal: Journal,
): Promise<Wire> {
  return createStdioWire(await startProcess(target, surroundings, journal), limits.maxMessageBytes, journal);
}

/** Starts a program. What it writes to stderr goes to the journal. */
export async function startProcess(
  target: StdioTarget,
  { computer, environment, watchdog, turns }: ProcessSurroundings,
  journal: Journal,
): Promise<Child> {
  try {
    const { cwd, platform } = computer;
    const protective = await variablesForRunners(target, computer, journal.warn);
    await turns.next();
    const child = await startChild(target, {
      ...{ cwd, platform, watchdog },
      env: new Map([...environment, ...protective, ...target.env]),
      mask: journal.mask,
      onStderr: journal.output,
    });
    journal.note(`started as process ${child.pid}`);
    return child;
  } catch (error) {
    journal.note(messageOf(error));
    throw error;
  }
}

const mayUseRunner = /\b(?:npx|bunx|pnpx|npm|bun|pnpm|yarn|py)/i;

/** Those that keep the working directory out of a server. Throws if a package runner would run something from one that the user does not trust; `warn` gets what. */
export async function variablesForRunners(
  { command, args, cwd }: StdioTarget,
  computer: Computer,
  warn: (details: string) => void | Promise<void>,
): Promise<ReadonlyMap<string, string>> {
  if (!mayUseRunner.test([command, ...args].join(' '))) return new Map();
  const check = await checkRunners({ command, args, cwd }, computer);
  if (check.problem === undefined) return check.env;
  await warn(check.details);
  throw new DownstreamFailure('unreachable', check.problem);
}
