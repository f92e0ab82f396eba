import { accessSync, closeSync, constants, openSync, readSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import type { StdioTarget } from '../../config/config.js';
import { isPlainText } from '../../text/secrets/plain.js';
import { isCommandLine, nameOf } from './command-name.js';
import { codeOf, systemReason } from './system-reason.js';

/** Where a program was to be started. */
export interface SpawnPlace {
  readonly env: ReadonlyMap<string, string>;
  /** The working directory, unless the entry has one of its own. */
  readonly cwd: string;
  readonly platform: string;
}

/**
 * Why a program was not found. The system has one code for many causes: ENOENT is a missing command, directory or
 * interpreter, EACCES also a directory in PATH that cannot be searched. So the cause is determined afterwards.
 */
export function commandProblem({ command, cwd }: StdioTarget, place: SpawnPlace): string | undefined {
  const directory = cwd ?? place.cwd;
  return directoryProblem(directory) ?? lookupProblem(command, directory, place);
}

function directoryProblem(directory: string): string | undefined {
  const stats = tryStat(directory);
  if (stats instanceof Error) return `working directory '${directory}' ${absence(stats)}`;
  if (!stats.isDirectory()) return `working directory '${directory}' is not a directory`;
  const inside = tryStat(`${directory}/.`);
  return inside instanceof Error ? `working directory '${directory}' cannot be entered: permission denied` : undefined;
}

function notFound(command: string, where: string): string {
  if (!isCommandLine(command) || isSpacedPath(command)) return `command '${command}' ${where}`;
  const remedy = /^\w+=/.test(command) ? 'put variables into "env"' : 'put its arguments into "args"';
  return `the command ${where}; it must be the program alone: ${remedy}`;
}

/** A path with spaces in it, and not a program with its arguments, which may be secrets. */
function isSpacedPath(command: string): boolean {
  const [program = '', ...rest] = command.split(/\s+/);
  const lastPart = rest.findLastIndex((word) => /[\\/]/.test(word));
  const goesOn =
    lastPart !== -1 &&
    rest.every((word) => /^[^-~/\\=][^=]*$/.test(word)) &&
    isPlainText(rest.slice(lastPart + 1).join(' '));
  return /^(?:~|\.{0,2}[\\/]|[A-Za-z]:[\\/])/.test(program) && goesOn && !isFile(program);
}

function lookupProblem(command: string, directory: string, { env, platform }: SpawnPlace): string | undefined {
  if (platform === 'win32') return notFound(command, /[\\/]/.test(command) ? 'does not exist' : 'not found in PATH');
  if (command.includes('/')) return fileProblem(command, path.resolve(directory, command));
  return searchProblem(
    command,
    (env.get('PATH') ?? '').split(':').map((entry) => path.resolve(directory, entry)),
  );
}

function fileProblem(command: string, file: string): string | undefined {
  const stats = tryStat(file);
  if (stats instanceof Error) return notFound(command, absence(stats));
  if (stats.isDirectory()) return `${nameOf(command)} is a directory`;
  if (!isExecutable(file)) return `${nameOf(command)} is not executable`;
  return interpreterProblem(command, file);
}

/** Searches as the system does: a file that is not executable, or a directory that cannot be searched, does not end the search. */
function searchProblem(command: string, directories: readonly string[]): string | undefined {
  const files = directories.map((directory) => path.join(directory, command));
  const runnable = files.find((file) => isFile(file) && isExecutable(file));
  if (runnable !== undefined) return interpreterProblem(command, runnable);
  const inert = files.find(isFile);
  if (inert !== undefined) return `${nameOf(command)} was found as '${inert}', which is not executable`;
  const closed = directories.find((_, index) => codeOf(tryStat(files[index] ?? '')) === 'EACCES');
  const hint = closed === undefined ? '' : `; '${closed}' in PATH cannot be searched: permission denied`;
  return notFound(command, `not found in PATH${hint}`);
}

/** The problem of an executable script whose interpreter, named in its first line, does not exist. */
function interpreterProblem(command: string, file: string): string | undefined {
  const [, interpreter] = /^#![ \t]*([^ \t\n]+)/.exec(firstBytes(file)) ?? [];
  if (interpreter === undefined) return undefined;
  if (interpreter.endsWith('\r')) return `${nameOf(command)} is a script with Windows line ends`;
  const stats = tryStat(interpreter);
  if (stats instanceof Error) return `${nameOf(command)} is a script for '${interpreter}', which ${absence(stats)}`;
  return undefined;
}

function firstBytes(file: string): string {
  const bytes = Buffer.alloc(256);
  try {
    const descriptor = openSync(file, 'r');
    const count = readSync(descriptor, bytes);
    closeSync(descriptor);
    return bytes.toString('latin1', 0, count);
  } catch {
    return '';
  }
}

function absence(error: Error): string {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist';
  return `cannot be reached: ${systemReason(error)}`;
}

function tryStat(file: string): Stats | Error {
  try {
    return statSync(file);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function isFile(file: string): boolean {
  const result = tryStat(file);
  return !(result instanceof Error) && result.isFile();
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
