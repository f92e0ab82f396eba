import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import crossSpawn from 'cross-spawn';
import { findWindowsCommand } from './windows-command.js';
import { systemRootOf } from './windows-tree.js';

/** Turns a command line into one that Windows can start: scripts by their interpreter, `.cmd` files by cmd.exe, quoted for it. */
type Parse = (
  command: string,
  args: readonly string[],
  options: SpawnOptions,
) => { readonly command: string; readonly args: readonly string[]; readonly options: SpawnOptions };

// cross-spawn exports its parser, but its types do not have it.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const { _parse: parse } = crossSpawn as unknown as { readonly _parse: Parse };

/** Starts a program on Windows, `npx.cmd` for `npx` included. Nothing is looked up in the working directory. */
export function spawnOnWindows(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const env = new Map(Object.entries(options.env ?? {}).map(([name, value]) => [name, value ?? '']));
  const find = (name: string) => findWindowsCommand(name, env, isFile) ?? missing();
  const parsed = parse(find(command), args, options);
  // The interpreter of a script, or the shell for a `.cmd` file, which is only a name if COMSPEC is not set.
  const program = /^cmd\.exe$/i.test(parsed.command) ? `${systemRootOf(env)}\\System32\\cmd.exe` : find(parsed.command);
  return spawn(program, parsed.args, parsed.options);
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

function missing(): never {
  throw Object.assign(new Error('not found in PATH'), { code: 'ENOENT' });
}
