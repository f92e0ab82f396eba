import type { ServerLimits, StdioTarget } from '../../config/config.js';
import { messageOf } from '../../contract/errors.js';
import type { Journal } from '../protocol/journal.js';
import type { Wire } from '../protocol/wire.js';
import { startChild } from './child.js';
import type { Watchdog } from './watchdog.js';
import { createStdioWire } from './wire.js';

/** What every server process gets from this computer. */
export interface ProcessSurroundings {
  /** The variables that every process gets; those of the server's entry are added. */
  readonly environment: ReadonlyMap<string, string>;
  readonly cwd: string;
  readonly platform: string;
  readonly watchdog: Watchdog;
}

/** Starts a server's process; its pipes are the wire. */
export async function openStdioWire(
  target: StdioTarget,
  limits: ServerLimits,
  { environment, ...surroundings }: ProcessSurroundings,
  journal: Journal,
): Promise<Wire> {
  try {
    const child = await startChild(target, {
      ...surroundings,
      env: new Map([...environment, ...target.env]),
      mask: journal.mask,
      onStderr: journal.output,
    });
    journal.note(`started as process ${child.pid}`);
    return createStdioWire(child, limits.maxMessageBytes);
  } catch (error) {
    journal.note(messageOf(error));
    throw error;
  }
}
