import { execFile } from 'node:child_process';
import type { Leader, ProcessGroup } from './process-group.js';
import { shareRuns } from './shared-runs.js';
import { variable } from './windows-command.js';

// Our time of a start is a little later than that of Windows.
const startSlackMs = 1_000;

/** A process as Windows lists it. Its parent may have ended. */
export interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** From when to when a process ran, in milliseconds since 1970. */
export interface Lifetime {
  readonly pid: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Windows has no process groups. A tree can be ended through its leader, but only while the leader runs. If the leader
 * exited by itself, its children are found in a listing, which still has it as their parent. Children of a child that has
 * exited too are not found.
 */
export function createWindowsTrees(): (leader: Leader) => ProcessGroup {
  let systemRoot = '';
  // A listing takes about a second: servers that end at the same time share it.
  const list = shareRuns(
    async () => parseProcesses(await run(powershellOf(systemRoot), listingArguments)),
    () => 0,
  );
  return (leader) => {
    systemRoot = systemRootOf(leader.env);
    return createWindowsTree(leader, systemRoot, list);
  };
}

function createWindowsTree(
  { pid, exited }: Leader,
  systemRoot: string,
  list: () => Promise<ListedProcess[]>,
): ProcessGroup {
  const from = Date.now();
  let to: number | undefined;
  let wasEnded = false;
  void exited.then(() => {
    to = Date.now();
  });
  const taskkill = (root: number) => run(taskkillOf(systemRoot), taskkillArguments(root));
  return {
    isAlive: async () => to === undefined,
    async signal() {
      wasEnded = true;
      await taskkill(pid);
    },
    async endStrays() {
      if (wasEnded || to === undefined) return;
      const orphans = orphansOf({ pid, from, to }, await list());
      await Promise.all(orphans.map(taskkill));
    },
  };
}

/** The children of a process that has ended, but not those of a later process with the same id. */
export function orphansOf({ pid, from, to }: Lifetime, processes: readonly ListedProcess[]): number[] {
  return processes
    .filter(({ parent, createdAt }) => parent === pid && createdAt >= from - startSlackMs && createdAt <= to)
    .map((orphan) => orphan.pid);
}

/** `/T` includes the whole tree, `/F` forces the end. */
export function taskkillArguments(pid: number): string[] {
  return ['/pid', String(pid), '/T', '/F'];
}

const listingScript = `Get-CimInstance Win32_Process | Where-Object CreationDate | ForEach-Object {
  "$($_.ProcessId) $($_.ParentProcessId) $(([DateTimeOffset]$_.CreationDate).ToUnixTimeMilliseconds())" }`;

// Encoded, so that no quoting is needed.
const listingArguments = [
  ...['-NoProfile', '-NonInteractive', '-EncodedCommand'],
  Buffer.from(listingScript, 'utf16le').toString('base64'),
];

/** One process per line: its id, its parent's id, and its time of creation. */
export function parseProcesses(text: string): ListedProcess[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, pid, parent, createdAt] = /^(\d+) (\d+) (\d+)$/.exec(line.trim()) ?? [];
    return createdAt === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), createdAt: Number(createdAt) }];
  });
}

/** Programs are started by their full path: a `taskkill.exe` in the current directory would come before Windows' own. */
export function taskkillOf(systemRoot: string): string {
  return `${systemRoot}\\System32\\taskkill.exe`;
}

function powershellOf(systemRoot: string): string {
  return `${systemRoot}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`;
}

export function systemRootOf(env: ReadonlyMap<string, string>): string {
  return variable(env, 'SYSTEMROOT') || 'C:\\Windows';
}

/** Returns the program's stdout, empty if it cannot be started: there is no other way to try. */
function run(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, args, { windowsHide: true, maxBuffer: 10_000_000 }, (_, stdout) => resolve(stdout));
  });
}
