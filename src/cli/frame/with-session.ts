import type { Config } from '../../config/config.js';
import { silentLog } from '../../platform/log.js';
import { openCommandLink } from '../../serve/command-link.js';
import { type CommandListener, type CommandSession, openCommandSession } from '../../session/command-session.js';
import type { Call } from './command.js';
import { watchInterrupts } from './interrupts.js';
import { trustedConfiguration } from './trusted-configuration.js';

export interface CommandSurroundings {
  readonly session: CommandSession;
  readonly config: Config;
  /** Aborted if the user interrupts the command. */
  readonly signal: AbortSignal;
}

/**
 * Gives a command a session. What runs for it alone has ended when this returns, also if the user interrupts it. `listen`: what
 * answers questions and shows starts; `isReview`: nothing is compared with the lock; `interrupt` is the same as Ctrl-C, where the terminal does not send a signal.
 */
export async function withSession<T>(
  call: Call,
  listen: (interrupt: () => void) => CommandListener & { readonly isReview?: true },
  use: (given: CommandSurroundings) => Promise<T>,
): Promise<T> {
  const { value, computer } = call;
  const { signal, interrupt, release } = watchInterrupts('Interrupted.');
  let session: CommandSession | undefined;
  try {
    // Warnings about the file were printed when the names were looked up in it.
    const configuration = await trustedConfiguration(call, silentLog);
    const listener = listen(interrupt);
    const wanted = { configuration, computer, hostName: value('host-name'), isReview: listener.isReview ?? false };
    session = await openCommandSession((output) => openCommandLink(wanted, output), listener);
    const config = await configuration.load();
    signal.throwIfAborted();
    const result = await use({ session, config, signal });
    signal.throwIfAborted();
    return result;
  } catch (error) {
    // An error caused by the interrupt is replaced by the interrupt itself.
    signal.throwIfAborted();
    throw error;
  } finally {
    await session?.close();
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
