import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import crossSpawn from 'cross-spawn';
import type { StdioTarget } from '../config/config.js';
import { messageOf } from '../errors.js';
import { DownstreamFailure } from '../workbench/downstream.js';
import { isGroupAlive, signalGroup } from './process-group.js';
import { createTail } from './tail.js';

const graceMs = 2_000;
const stderrLines = 8;

/** A process of ours together with everything it starts: the leader of a process group of its own. */
export interface Child {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when the process itself is gone, even if something it started still holds its pipes. */
  readonly exited: Promise<Exit>;
  /** The last lines it wrote to stderr. */
  lastWords(): readonly string[];
  /** Ends the whole group: asks by closing stdin, then by SIGTERM, then does not ask. Resolves when nothing is left. */
  close(): Promise<void>;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: string;
}

export async function startChild(target: StdioTarget, env: ReadonlyMap<string, string>, world: World): Promise<Child> {
  const child = spawnPiped(target, env, world);
  const { stdin, stdout, stderr, pid } = child;
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(notStarted(target, error)));
  });
  if (stdin === null || stdout === null || stderr === null || pid === undefined) {
    throw new DownstreamFailure('unreachable', 'its pipes could not be opened');
  }
  // A write to a process that is gone fails; that it is gone is told by `exited`.
  stdin.on('error', () => {});
  stdout.on('error', () => {});
  stderr.on('error', () => {});
  child.on('error', () => {});
  const tail = createTail(stderrLines);
  stderr.on('data', (chunk: Buffer) => tail.push(chunk));

  let closing: Promise<void> | undefined;
  const close = async () => {
    stdin.end();
    const gone = () => !isGroupAlive(pid, world.platform);
    await Promise.race([exited, delay(graceMs)]);
    // Also when the leader went by itself: what it started may still be there.
    if (!gone()) await signalGroup(pid, 'SIGTERM', world.platform);
    if (!(await until(gone, graceMs))) await signalGroup(pid, 'SIGKILL', world.platform);
    await Promise.race([exited, delay(graceMs)]);
    stdout.destroy();
    stderr.destroy();
  };
  return {
    pid,
    stdin,
    stdout,
    exited,
    lastWords: () => tail.lines(),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

function spawnPiped(target: StdioTarget, env: ReadonlyMap<string, string>, world: World): ChildProcess {
  const windows = world.platform === 'win32';
  // cross-spawn finds `npx.cmd` for `npx` and quotes for cmd.exe; elsewhere there is nothing to add to spawn.
  const start: (command: string, args: readonly string[], options: object) => ChildProcess = windows
    ? crossSpawn
    : spawn;
  try {
    return start(target.command, target.args, {
      cwd: target.cwd ?? world.cwd,
      env: Object.fromEntries(env),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: !windows,
      windowsHide: true,
    });
  } catch (error) {
    throw notStarted(target, error);
  }
}

function notStarted(target: StdioTarget, error: unknown): DownstreamFailure {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') {
    const where = target.cwd === undefined ? '' : `, or the directory '${target.cwd}' does not exist`;
    return new DownstreamFailure('unreachable', `the command '${target.command}' was not found${where}`, error);
  }
  if (code === 'EACCES') {
    return new DownstreamFailure('unreachable', `the command '${target.command}' may not be executed`, error);
  }
  return new DownstreamFailure(
    'unreachable',
    `the command '${target.command}' did not start: ${messageOf(error)}`,
    error,
  );
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

async function until(condition: () => boolean, limitMs: number): Promise<boolean> {
  for (const end = Date.now() + limitMs; Date.now() < end; ) {
    if (condition()) return true;
    await delay(20);
  }
  return condition();
}
