import type { Computer } from './computer.js';
import { cacheDirectoryOf, dataDirectoryOf, logDirectoryOf } from './directories.js';
import type { Log } from './log.js';
import { directoryProblem } from './own-directory.js';

/** Directories that must not be used are undefined. */
export function fileDirectories(computer: Computer, log: Log) {
  const usable = (directory: string, content: string) => {
    const problem = directoryProblem(directory, computer.platform);
    if (problem !== undefined) log.warn(`no ${content} are written: ${problem}`);
    return problem === undefined ? directory : undefined;
  };
  return {
    logDirectory: usable(logDirectoryOf(computer), 'log files of servers'),
    cacheDirectory: usable(cacheDirectoryOf(computer), 'caches'),
  };
}

/** Logins are used also where no other files are kept: without them most remote servers cannot be. */
function loginDirectory(computer: Computer, log: Log): string | undefined {
  const directory = dataDirectoryOf(computer);
  const problem = directoryProblem(directory, computer.platform);
  if (problem === undefined) return directory;
  log.warn(`no logins at remote servers are used: ${problem}`);
  return undefined;
}

/** All of them. `keepsFiles`: otherwise only logins are used. */
export function ownDirectories(computer: Computer, log: Log, keepsFiles: boolean) {
  const files = keepsFiles ? fileDirectories(computer, log) : { logDirectory: undefined, cacheDirectory: undefined };
  return { ...files, dataDirectory: loginDirectory(computer, log) };
}
