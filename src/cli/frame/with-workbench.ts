import type { Engine } from '../../compose.js';
import type { Config } from '../../config/config.js';
import { findConfiguration } from '../../config/read/configuration.js';
import { flushLimitMs } from '../../limits.js';
import { createFailureFiles, type FailureFiles } from '../../observe/status/failure-files.js';
import type { Computer } from '../../platform/computer.js';
import { cacheDirectoryOf } from '../../platform/directories.js';
import { loadPart } from '../../platform/load-part.js';
import { silentLog } from '../../platform/log.js';
import { directoryProblem } from '../../platform/own-directory.js';
import { settlesWithin } from '../../platform/time-limit.js';
import type { Observer } from '../../workbench/ports/observer.js';
import type { Workbench } from '../../workbench/workbench.js';
import { watchInterrupts } from './interrupts.js';

interface Needs {
  /** The value of `--config`. */
  readonly config: string | undefined;
  readonly computer: Computer;
  /** What of the configuration is needed. */
  readonly narrow?: (config: Config) => Config;
  /** Gets what the workbench reports. */
  readonly observer?: Observer;
}

export interface CommandWorkbench {
  readonly workbench: Workbench;
  readonly engine: Engine;
  readonly config: Config;
  /** Aborted if the user interrupts the command. */
  readonly signal: AbortSignal;
  /** The same as Ctrl-C, where the terminal does not send a signal. */
  readonly interrupt: () => void;
}

/**
 * Gives a command a workbench of its own. Every server that it starts has ended when this returns, also if the user
 * interrupts it. What servers fail with is kept, as in a session.
 */
export async function withWorkbench<T>(
  { config, computer, narrow = (whole) => whole, observer }: Needs,
  use: (given: CommandWorkbench) => Promise<T>,
): Promise<T> {
  const { signal, interrupt, release } = watchInterrupts('Interrupted.');
  const failures = failureFiles(computer);
  let engine: Engine | undefined;
  try {
    // What there is to say about the file was said when the names were looked up in it.
    const found = await findConfiguration(config, computer, silentLog);
    const { startEngine, assemble } = await loadPart(() => import('../../compose.js'));
    const needed = narrow(await found.load(assemble));
    signal.throwIfAborted();
    // A server that fails is reported by the command.
    engine = startEngine(computer, silentLog, { keepsFiles: true });
    const workbench = engine.createWorkbench(needed, {
      report(event) {
        failures?.take(event);
        observer?.report(event);
      },
    });
    const result = await use({ workbench, engine, config: needed, signal, interrupt });
    signal.throwIfAborted();
    return result;
  } catch (error) {
    // What failed because of it says so in other words.
    signal.throwIfAborted();
    throw error;
  } finally {
    await engine?.close();
    if (failures !== undefined) await settlesWithin(flushLimitMs, failures.flush());
    release();
  }
}

/** The configuration with nothing but these servers; unchanged if there is no such toolbox, so that an error names all. */
export function only(config: Config, toolbox: string | undefined, server?: string): Config {
  const toolboxes = [...config.toolboxes].filter(([name]) => toolbox === undefined || name === toolbox);
  if (toolboxes.length === 0) return config;
  const narrowed = toolboxes.map(([name, box]) => {
    const servers = [...box.servers].filter(([own]) => server === undefined || own === server);
    return [name, { ...box, servers: new Map(servers) }] as const;
  });
  return { ...config, toolboxes: new Map(narrowed) };
}

function failureFiles(computer: Computer): FailureFiles | undefined {
  const directory = cacheDirectoryOf(computer);
  return directoryProblem(directory, computer.platform) === undefined ? createFailureFiles(directory) : undefined;
}
