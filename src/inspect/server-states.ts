import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerNames } from '../config/lock-file/tool-lock.js';
import { credentialsSource } from '../config/resolve/credentials-source.js';
import { type LastFailure, readLastFailure } from '../observe/status/failure-files.js';
import type { CallStatus, ServerStatus } from '../observe/status/protocol.js';
import type { Computer } from '../platform/computer.js';
import { cacheDirectoryOf } from '../platform/directories.js';
import { sharedNameOf } from '../platform/sockets/socket-names.js';
import { knownTools } from './known-tools.js';
import { type FoundProcess, type ListOptions, listSessions } from './list-sessions.js';
import { type CompareWithLock, readLockOf } from './lock-changes.js';
import { isUnwell, type StateName } from './state-name.js';
import { type WrittenConfiguration, writtenServers } from './written-servers.js';

/** All that is known about a server without starting it. */
export interface ServerState extends ServerNames {
  readonly state: StateName;
  /** The time of this state, in ms since 1970. */
  readonly since?: number;
  /** Where it is awake, or else where it starts: a session each. The name of its client is empty if it is not known. */
  readonly running: readonly (ServerStatus & { readonly client: string })[];
  /** Its calls that run now. */
  readonly calls: readonly CallStatus[];
  /** The process of the session that does not answer. */
  readonly silent?: number;
  readonly failure?: LastFailure;
  /** Where its credentials come from, if it has any and failed. */
  readonly credentials?: string;
  readonly known?: ReturnType<typeof knownTools>;
}

/** What runs, and what is known about the servers of a configuration. */
export interface Inspection {
  readonly written: WrittenConfiguration;
  /** The processes that serve it. */
  readonly processes: readonly FoundProcess[];
  /** In the order of the configuration. */
  readonly servers: readonly ServerState[];
}

/** Looks once. Starts nothing. `ownHost`: where sessions with this configuration look for their host. */
export async function inspectServers(
  written: WrittenConfiguration,
  computer: Computer,
  ownHost: string,
  options: Pick<ListOptions, 'host' | 'warn'>,
): Promise<Inspection> {
  const [found, compare] = await Promise.all([
    listSessions({ ...options, config: written.path }),
    readLockOf(written.path, computer),
  ]);
  // What a host serves is not known until it answers. Only the one that sessions would use may be assumed to serve this configuration.
  const processes = found.filter((one) => one.is !== 'silent' || (sharedNameOf(one.socket) ?? ownHost) === ownHost);
  return { written, processes, servers: serverStates(written, processes, computer, compare) };
}

/** `processes`: the ones that serve the configuration. */
export function serverStates(
  written: WrittenConfiguration,
  processes: readonly FoundProcess[],
  computer: Computer,
  compare: CompareWithLock,
): ServerState[] {
  const cacheDirectory = cacheDirectoryOf(computer);
  const directory = join(cacheDirectory, 'tools');
  // An error for each file that is not there would take longer.
  const [lists, failures] = [filesIn(directory), filesIn(join(cacheDirectory, 'failures'))];
  const sessions = processes.flatMap((one) => (one.is === 'known' ? one.sessions : []));
  const seen = sessions.flatMap(({ client, servers }) =>
    servers.map((status) => ({ ...status, client: client?.name ?? '' })),
  );
  const calls = sessions.flatMap((one) => one.calls);
  const silent = processes.find((one) => one.is !== 'known')?.pid;
  return writtenServers(written).map((one) => {
    const { toolbox, server, cacheKey, entry } = one;
    const known = lists.has(`${cacheKey}.json`) ? knownTools(directory, one, compare) : undefined;
    const its = calls.filter((call) => call.toolbox === toolbox && call.server === server);
    const base = { toolbox, server, running: [], calls: its, ...(known && { known }) };
    if (entry.disabled === true) return { ...base, state: 'disabled' };
    const failure = failures.has(`${cacheKey}.json`) ? readLastFailure(cacheDirectory, cacheKey) : undefined;
    const own = seen.filter((status) => status.toolbox === toolbox && status.server === server);
    const found = stateFrom(own, failure, silent, known !== undefined);
    const credentials = isUnwell(found.state) ? credentialsSource(entry) : undefined;
    return { ...base, ...found, ...(credentials !== undefined && { credentials }) };
  });
}

function filesIn(directory: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(directory));
  } catch {
    return new Set();
  }
}

/** `seen`: how it stands in sessions. `kept`: what it failed with before. */
function stateFrom(
  seen: ServerState['running'],
  kept: LastFailure | undefined,
  silent: number | undefined,
  isKnown: boolean,
): Pick<ServerState, 'state' | 'since' | 'silent' | 'failure'> & Partial<Pick<ServerState, 'running'>> {
  for (const state of ['awake', 'starting'] as const) {
    const running = seen.filter((one) => one.state === state);
    if (running.length > 0) return { state, since: Math.min(...running.map(({ since }) => since)), running };
  }
  const failed = seen.flatMap(({ state, since: at, kind = '', reason }) =>
    state === 'failed' && reason !== undefined ? [{ at, kind, reason }] : [],
  );
  const [failure] = [...(kept === undefined ? [] : [kept]), ...failed].toSorted((one, other) => other.at - one.at);
  const well = seen.filter(({ state }) => state === 'asleep').map(({ since }) => since);
  if (failure !== undefined && failure.at >= Math.max(0, ...well))
    return { state: failure.kind === 'unauthorized' ? 'unauthorized' : 'failed', since: failure.at, failure };
  if (silent !== undefined) return { state: 'silent', silent };
  return { state: seen.length > 0 || isKnown ? 'asleep' : 'unknown' };
}
