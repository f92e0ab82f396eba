import { constants, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { access, mkdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { StdioTarget } from '../../../../config/config.js';
import { writeFileAtomically } from '../../../../platform/atomic-file.js';
import type { Computer } from '../../../../platform/computer.js';
import { sha256 } from '../../../../platform/crypto.js';
import { markUsed, removeUnused, unusedAfterMs } from '../../../../platform/unused-entries.js';
import { requireNoForeignPackages } from './exposed-directory.js';
import { launchWords } from './launch-words.js';
import { importsFromDirectory } from './python.js';

export interface ElsewherePlace {
  readonly computer: Pick<Computer, 'platform' | 'home'>;
  /** Where directories of ours are made. */
  readonly cacheDirectory: string | undefined;
}

/** What is started in place of the words of an entry whose directory is not trusted. */
export interface ElsewhereProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Added to the variables of the entry, which win. */
  readonly env: ReadonlyMap<string, string>;
  /** What the log should say about it. */
  readonly note: string;
}

/** Corepack lets a project choose, and replace, the package manager. */
const withoutProject = new Map([
  ['COREPACK_ENABLE_PROJECT_SPEC', '0'],
  ['COREPACK_ENV_FILE', '0'],
]);

/**
 * A package runner uses what it finds in its working directory and above. So where that is not trusted it is started in a
 * directory of ours, and gets options to start the server in `directory`. Undefined if the entry has no runner and can start as written.
 */
export async function startElsewhere(
  { command, args }: Pick<StdioTarget, 'command' | 'args'>,
  directory: string,
  { computer, cacheDirectory }: ElsewherePlace,
): Promise<ElsewhereProgram | undefined> {
  // As written, the start fails with the reason.
  if (!existsSync(directory)) return undefined;
  const words = [command, ...args];
  const python = importsFromDirectory(words);
  const env = new Map(python ? [['PYTHONSAFEPATH', '1']] : []);
  const launchIn = (ours: string) =>
    launchWords(words, { directory, ours, node: process.execPath, platform: computer.platform });
  if (launchIn('') === undefined) return python ? { command, args, cwd: directory, env, note: pythonNote } : undefined;
  // Of users that share a directory of a server, each has one of their own.
  const key = sha256(
    JSON.stringify(cacheDirectory === undefined ? [words, directory, computer.home] : [words, directory]),
  );
  const ours = await makeDirectory(key, cacheDirectory);
  const launch = launchIn(ours);
  for (const [name, text] of Object.entries(launch?.files ?? {})) await writeOnce(path.join(ours, name), text);
  const [program = command, ...rest] = launch?.words ?? [];
  const note = launch?.isInDirectory === true ? runnerNote : strandedNote;
  return { command: program, args: rest, cwd: ours, env: new Map([...env, ...withoutProject]), note };
}

const untrusted = 'its working directory is not trusted';
const unless = ', unless words of the entry lead to another';
const pythonNote = `${untrusted}: Python does not import modules from there. To trust it, run mcp-workbench trust there`;
const runnerNote = `${untrusted}: its package runner starts in a directory of ours, the server in its own${unless}`;
const strandedNote = `${untrusted}: its package runner, and with it the server, starts in a directory of ours${unless}. To trust it, run mcp-workbench trust there`;

/** One per entry: a server that runs in it can leave files for no runner but its own. */
async function makeDirectory(key: string, cacheDirectory: string | undefined): Promise<string> {
  if (cacheDirectory === undefined) return temporaryDirectory(key);
  const parent = path.join(cacheDirectory, 'runners', 'elsewhere');
  const directory = path.join(parent, key.slice(0, 32));
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await access(directory, constants.W_OK);
  } catch {
    // A cache that cannot be written to does not keep servers from starting.
    return temporaryDirectory(key);
  }
  requireNoForeignPackages(directory);
  await markUsed(directory);
  await removeUnused(parent, unusedAfterMs, () => true);
  return directory;
}

const temporary = new Map<string, string>();

/** The same for all starts of an entry by this process, which removes it when it ends. */
function temporaryDirectory(key: string): string {
  const known = temporary.get(key);
  if (known !== undefined && existsSync(known)) return known;
  requireNoForeignPackages(tmpdir());
  if (temporary.size === 0) process.once('exit', removeTemporary);
  const directory = mkdtempSync(path.join(tmpdir(), 'mcp-workbench-runner-'));
  temporary.set(key, directory);
  return directory;
}

function removeTemporary(): void {
  for (const directory of temporary.values()) {
    try {
      rmSync(directory, { recursive: true, force: true });
    } catch {
      // Windows keeps a directory that a process still runs in.
    }
  }
}

/** A file that is being run cannot be replaced on every system. */
async function writeOnce(file: string, text: string): Promise<void> {
  if ((await readFile(file, 'utf8').catch(() => undefined)) !== text) await writeFileAtomically(file, text, 0o700);
}
