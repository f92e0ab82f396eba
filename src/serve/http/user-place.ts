import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { messageOf, WorkbenchError } from '../../contract/errors.js';
import type { Computer } from '../../platform/computer.js';
import { dataDirectoryOf } from '../../platform/directories.js';
import { directoryProblem } from '../../platform/own-directory.js';

/** Of the environment of the service, what says nothing about its own user. */
const common = new Set([
  ...['PATH', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TEMP', 'TMP'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'],
  ...['SYSTEMDRIVE', 'SYSTEMROOT', 'WINDIR', 'COMSPEC', 'PATHEXT', 'OS'],
  ...['PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'PROGRAMW6432', 'COMMONPROGRAMFILES'],
  ...['PROCESSOR_ARCHITECTURE', 'NUMBER_OF_PROCESSORS', 'PSMODULEPATH'],
]);

/** Where everything of one principal is: its home, and below it the logs, caches and logins of its servers. */
function userDirectory(service: Computer, key: string): string {
  return paths(service).join(usersDirectory(service), key);
}

/** It has a directory for each principal, named by its key. */
export function usersDirectory(service: Computer): string {
  return paths(service).join(dataDirectoryOf(service), 'users');
}

/** What the servers of a principal run in: nothing of it belongs to the user that the service runs as. */
export function userComputer(service: Computer, key: string): Computer {
  const home = userDirectory(service, key);
  const at = paths(service);
  const passed = Object.entries(service.env).filter(
    ([name]) => common.has(name.toUpperCase()) || name.startsWith('LC_'),
  );
  const own =
    service.platform === 'win32'
      ? {
          USERPROFILE: home,
          APPDATA: at.join(home, 'AppData', 'Roaming'),
          LOCALAPPDATA: at.join(home, 'AppData', 'Local'),
        }
      : { HOME: home };
  return {
    env: { ...Object.fromEntries(passed), ...own },
    cwd: at.join(home, 'work'),
    home,
    platform: service.platform,
  };
}

/** Makes the directories of a principal, which nobody else can look into. */
export function makeUserDirectories({ home, cwd, platform }: Computer, service: Computer): void {
  const problem = directoryProblem(dataDirectoryOf(service), platform);
  if (problem !== undefined) throw unusable(problem);
  try {
    mkdirSync(cwd, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unusable(`${home} cannot be made: ${messageOf(error)}`);
  }
}

function unusable(problem: string): WorkbenchError {
  return new WorkbenchError('USER_DIRECTORY_UNUSABLE', 'The directory of this user cannot be used', {
    hint: `The operator of the service has to fix it: ${problem}`,
  });
}

function paths({ platform }: Computer): path.PlatformPath {
  return platform === 'win32' ? path.win32 : path.posix;
}
