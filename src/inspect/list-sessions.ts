import { lstatSync, readdirSync, type Stats, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ProcessStatus } from '../observe/status/protocol.js';
import { isRunning } from '../platform/is-running.js';
import {
  pipeDirectory,
  socketDirectory,
  socketDirectoryProblem,
  socketPath,
} from '../platform/sockets/socket-directory.js';
import {
  configKey,
  isOfHost,
  parseName,
  type SocketName,
  sharedNameOf,
  unfinishedPrefix,
} from '../platform/sockets/socket-names.js';
import { removeStall, stallFileOf } from '../platform/sockets/stall-file.js';
import { askStatus } from './ask-status.js';

/** A process that serves sessions. */
export type FoundProcess =
  | ({ readonly is: 'known' } & ProcessStatus)
  /** `silent`: it did not answer in time. `foreign`: it is of another version, or answers something else. */
  | { readonly is: 'silent' | 'foreign'; readonly pid: number; readonly socket: string };

/** More would be those of a broken script; each takes a descriptor. */
const maxProcesses = 256;
/** A start takes less: its process was killed before it listened. */
const unfinishedForMs = 60_000;

export interface ListOptions {
  /** The path of a configuration, or null for the embedded one: only what serves it is asked. Without it: everything. */
  readonly config?: string | null | undefined;
  /** Of hosts only the one that sessions look for under this name. Without it: all. */
  readonly host?: string | undefined;
  /** Why there may be sessions that cannot be seen. */
  readonly warn?: (message: string) => void;
  /** Another one only in tests. */
  readonly directory?: string;
}

/**
 * The processes of this user that serve sessions, by process id. Each has 300 ms to answer, all at the same time. The
 * sockets of processes that have been killed are removed.
 */
export async function listSessions(options: ListOptions = {}): Promise<readonly FoundProcess[]> {
  const { config, host, warn = () => {}, directory = socketDirectory() } = options;
  const problem = socketDirectoryProblem(directory);
  if (problem !== undefined) {
    warn(`sessions cannot be seen: ${problem}`);
    return [];
  }
  const key = config === undefined ? undefined : configKey(config ?? undefined);
  const files = namesIn(directory);
  const names = files.flatMap((file) => parseName(file) ?? []).filter((name) => isOfHost(name, host));
  const wanted = names.filter(
    ({ config: served, pid }) => [undefined, served].includes(key) || served === undefined || !isRunning(pid),
  );
  const found = await Promise.all(wanted.map((name) => look(socketPath(directory, name.name), name)));
  clearUnfinished(directory, files);
  return found
    .flatMap((one) => (one === undefined ? [] : serving(one, config)))
    .sort((one, other) => one.pid - other.pid);
}

/** Without the sessions of other configurations; nothing if there is no other, except a service of this one. */
function serving(found: FoundProcess, config: string | null | undefined): readonly FoundProcess[] {
  if (found.is !== 'known' || config === undefined) return [found];
  const sessions = found.sessions.filter((session) => session.config === config);
  return sessions.length === 0 && found.service?.config !== config ? [] : [{ ...found, sessions }];
}

async function look(path: string, { isHere, pid, name }: SocketName): Promise<FoundProcess | undefined> {
  const before = tryLstat(path);
  if (before !== undefined && (!before.isSocket() || before.uid !== process.geteuid?.())) return undefined;
  const answer = await askStatus(path);
  switch (answer.is) {
    case 'status':
      return { is: 'known', ...answer.status };
    case 'silent':
    case 'foreign':
      return { is: answer.is, pid, socket: name };
    case 'gone':
      return undefined;
    case 'dead':
      // No other process ever gets this name. On another computer, the process may well be alive; on macOS, a process that
      // has too many waiting clients refuses more.
      if (isHere && before !== undefined && !isRunning(pid)) {
        removeSame(path, before);
        removeStall(stallFileOf(path));
        const shared = sharedNameOf(name);
        if (shared !== undefined) removeSame(join(dirname(path), shared), before);
      }
      return undefined;
  }
}

/** The files in the directory of the sockets. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).slice(0, directory === pipeDirectory ? undefined : 2 * maxProcesses);
  } catch {
    return [];
  }
}

/** What a process that was killed between binding and listening has left. */
function clearUnfinished(directory: string, names: readonly string[]): void {
  for (const name of names) {
    if (!name.startsWith(unfinishedPrefix) || parseName(name.slice(unfinishedPrefix.length)) === undefined) continue;
    const path = socketPath(directory, name);
    const stats = tryLstat(path);
    if (stats?.isSocket() === true && Date.now() - stats.mtimeMs > unfinishedForMs) removeSame(path, stats);
  }
}

function removeSame(path: string, { dev, ino }: Stats): void {
  try {
    const now = lstatSync(path);
    if (now.ino === ino && now.dev === dev) unlinkSync(path);
  } catch {
    // Another process was faster.
  }
}

function tryLstat(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}
