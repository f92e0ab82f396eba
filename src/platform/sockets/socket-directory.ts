import { lstatSync, mkdirSync, type Stats } from 'node:fs';
import { userInfo } from 'node:os';
import { join, posix } from 'node:path';
import { longestName } from './socket-names.js';

/** The longest path that a socket can have on any system, in bytes. */
const longestPath = 103;
const ownName = 'mcp-workbench';

export const pipeDirectory = '\\\\.\\pipe\\';

/**
 * The directory of all sockets of this user. The same whatever the environment is: clients remove variables from it, and a
 * command in a terminal must find their sessions.
 */
export function socketDirectory(platform: string = process.platform): string {
  if (platform === 'win32') return pipeDirectory;
  const user = process.geteuid?.() ?? 0;
  const runtime = `/run/user/${user}`;
  if (platform !== 'darwin' && problemOf(runtime, tryLstat(runtime)) === undefined) return posix.join(runtime, ownName);
  const home = homeOfUser();
  const caches = platform === 'darwin' ? ['Library', 'Caches'] : ['.cache'];
  const directory = home === undefined ? undefined : posix.join(home, ...caches, ownName, 'run');
  const isShort =
    directory !== undefined && Buffer.byteLength(posix.join(directory, 'x'.repeat(longestName))) <= longestPath;
  return isShort ? directory : `/tmp/${ownName}-${user}`;
}

/** Why a directory must not be used for sockets; undefined also if it does not exist. It is to be checked before each use. */
export function socketDirectoryProblem(directory: string): string | undefined {
  if (directory === pipeDirectory) return undefined;
  const stats = tryLstat(directory);
  return stats === undefined ? undefined : problemOf(directory, stats);
}

/** Creates it if need be. Throws if it cannot be, or must not be used. */
export function prepareSocketDirectory(directory: string): void {
  if (directory === pipeDirectory) return;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const problem = socketDirectoryProblem(directory);
  if (problem !== undefined) throw new Error(problem);
}

export function socketPath(directory: string, name: string): string {
  return directory === pipeDirectory ? `${directory}${name}` : join(directory, name);
}

function problemOf(directory: string, stats: Stats | undefined): string | undefined {
  if (stats === undefined) return `${directory} does not exist`;
  if (stats.isSymbolicLink()) return `${directory} is a symbolic link`;
  if (!stats.isDirectory()) return `${directory} is not a directory`;
  if (stats.uid !== process.geteuid?.()) return `${directory} belongs to another user`;
  return (stats.mode & 0o077) === 0 ? undefined : `${directory} is open to other users; its mode must be 0700`;
}

function tryLstat(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** From the user database, not from the environment. In a container the user may have no entry there. */
function homeOfUser(): string | undefined {
  try {
    const { homedir } = userInfo();
    return posix.isAbsolute(homedir) ? homedir : undefined;
  } catch {
    return undefined;
  }
}
