import path from 'node:path';

type Environment = ReadonlyMap<string, string>;

/**
 * The file of a command on Windows: in a directory of PATH, and never in the working directory, where Windows itself looks
 * first. A command with a path is taken as it is. Undefined if there is none.
 */
export function findWindowsCommand(
  command: string,
  env: Environment,
  isFile: (file: string) => boolean,
): string | undefined {
  if (/[\\/:]/.test(command)) return command;
  const directories = (variable(env, 'PATH') ?? '')
    .split(';')
    .map((entry) => entry.replace(/^"(.*)"$/, '$1'))
    .filter(isFullPath);
  const endings = (variable(env, 'PATHEXT') || '.COM;.EXE;.BAT;.CMD').split(';').filter((ending) => ending !== '');
  // A file without an ending is not a program there: npm puts a script for other shells beside `npx.cmd`.
  const names = [...(command.includes('.') ? [command] : []), ...endings.map((ending) => `${command}${ending}`)];
  return directories.flatMap((directory) => names.map((name) => path.win32.join(directory, name))).find(isFile);
}

/** Of a drive or a share: `\dir` and `C:dir` depend on the working directory. */
function isFullPath(entry: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|[\\/]{2}[^\\/])/.test(entry);
}

/** Names of variables are case-insensitive on Windows. */
export function variable(env: Environment, name: string): string | undefined {
  return [...env].find(([key]) => key.toUpperCase() === name)?.[1];
}
