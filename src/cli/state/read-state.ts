import { type FoundProcess, listSessions } from '../../inspect/list-sessions.js';
import { cacheDirectoryOf } from '../../platform/directories.js';
import { sharedNameOf } from '../../platform/sockets/socket-names.js';
import { hostNames } from '../../serve/host/socket-names.js';
import type { Call } from '../frame/command.js';
import { type Configured, readConfigured } from '../frame/configured.js';
import { namedHost } from '../frame/named-host.js';
import { readLockOf } from './lock-changes.js';
import { type ServerState, serverStates } from './server-states.js';

/** What runs, and what is known about the servers of the configuration. */
export interface WorkbenchState {
  readonly configured: Configured;
  /** Those that serve this configuration. */
  readonly processes: readonly FoundProcess[];
  readonly servers: readonly ServerState[];
}

/** Undefined if there is no configuration yet. Throws for one with faults. */
export async function readState({
  value,
  computer,
  output,
}: Pick<Call, 'value' | 'computer' | 'output'>): Promise<WorkbenchState | undefined> {
  const warn = (message: string) => output.say(message);
  const configured = await readConfigured(value('config'), computer, warn);
  if (configured === undefined) return undefined;
  const [found, compare] = await Promise.all([
    listSessions({ config: configured.path, host: namedHost({ value }), warn }),
    readLockOf(configured.path, computer),
  ]);
  // What a host serves is not known until it answers. Only the one that sessions would use may be assumed to serve this configuration.
  const { shared } = hostNames(value('host-name'));
  const processes = found.filter((one) => one.is !== 'silent' || (sharedNameOf(one.socket) ?? shared) === shared);
  return { configured, processes, servers: serverStates(configured, processes, cacheDirectoryOf(computer), compare) };
}
