import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { StdioTarget } from '../../config/config.js';
import { DownstreamFailure } from '../../contract/downstream-failure.js';
import { loadPart } from '../../platform/load-part.js';
import { settlesWithin } from '../../platform/time-limit.js';
import { holdsWithin } from './pause.js';
import type { ProcessGroup } from './process-group.js';
import { markVariable } from './process-walk.js';
import { spawnFailure } from './spawn-failure.js';
import { readStderr } from './stderr.js';
import type { Watchdog } from './watchdog.js';

// Together less than the 8 s that the whole workbench has to close.
const graceMs = 2_000;
const lastWaitMs = 1_000;
const straysMs = 2_000;

/** A process that we started, together with its descendants. It leads a process group of its own. */
export interface Child {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when the process itself has exited, even if a process that it started still holds its pipes. */
  readonly exited: Promise<Exit>;
  /** Resolves when its stderr has ended and been read. */
  readonly stderrEnded: Promise<void>;
  /** The last lines it wrote to stderr, with their indentation. */
  lastStderrLines(): readonly string[];
  /** Ends the whole group: closes stdin, then sends SIGTERM, then SIGKILL. Resolves when no process of it is left. */
  close(): Promise<void>;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ChildOptions {
  readonly env: ReadonlyMap<string, string>;
  /** The working directory, unless the server's entry has one of its own. */
  readonly cwd: string;
  readonly platform: string;
  readonly watchdog: Watchdog;
  readonly mask: (text: string, isCut?: boolean) => string;
  readonly onStderr: (line: string) => void;
}

export async function startChild(target: StdioTarget, options: ChildOptions): Promise<Child> {
  const { watchdog } = options;
  const mark = watchdog.nextMark();
  const { child, exited } = await spawnPiped(target, options, mark);
  const { stdin, stdout, stderr, pid } = child;
  if (stdin === null || stdout === null || stderr === null || pid === undefined) {
    throw new DownstreamFailure('unreachable', 'its pipes could not be opened');
  }
  // A write to a process that has exited fails; `exited` reports the exit.
  for (const emitter of [child, stdin, stdout]) emitter.on('error', () => {});
  const stderrLines = readStderr(stderr, options.mask, options.onStderr);

  const group = watchdog.groupOf({ pid, mark, env: options.env, exited });
  let closing: Promise<void> | undefined;
  async function close(leader: number): Promise<void> {
    stdin?.end();
    if (await endGroup(group, exited)) watchdog.forget(leader);
    stdout?.destroy();
    stderr?.destroy();
  }

  return {
    pid,
    stdin,
    stdout,
    exited,
    stderrEnded: stderrLines.ended,
    lastStderrLines: () => stderrLines.lastLines(),
    close() {
      closing ??= close(pid);
      return closing;
    },
  };
}

/** Expects that stdin has been closed. Returns whether the group has no process left. */
async function endGroup(group: ProcessGroup, exited: Promise<Exit>): Promise<boolean> {
  const isGone = async () => !(await group.isAlive());
  await settlesWithin(graceMs, exited);
  // Also when the leader has exited by itself: processes that it started may still run.
  if (!(await isGone())) await group.signal('SIGTERM');
  if (!(await holdsWithin(graceMs, isGone))) await group.signal('SIGKILL');
  const isOver = await holdsWithin(lastWaitMs, isGone);
  await settlesWithin(straysMs, group.endStrays());
  return isOver;
}

interface Spawned {
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
}

async function spawnPiped(target: StdioTarget, options: ChildOptions, mark: string): Promise<Spawned> {
  const { command, args } = target;
  const isWindows = options.platform === 'win32';
  // Only Windows needs this part.
  const windows = isWindows ? await loadPart(() => import('./windows-spawn.js')) : undefined;
  const start = windows?.spawnOnWindows ?? spawn;
  try {
    const child = start(command, args, {
      cwd: target.cwd ?? options.cwd,
      env: Object.fromEntries([...options.env, [markVariable, mark]]),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: !isWindows,
      windowsHide: true,
    });
    if (child.pid !== undefined) options.watchdog.watch(child.pid);
    const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    return { child, exited };
  } catch (error) {
    throw await spawnFailure(target, options, error);
  }
}
