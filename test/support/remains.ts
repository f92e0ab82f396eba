import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { socketDirectory } from '../../src/platform/sockets/socket-directory.js';
import { parseName } from '../../src/platform/sockets/socket-names.js';
import { allProcesses, type Process, processesWith } from './processes.js';
import type { SharedSessions } from './shared.js';
import { until } from './until.js';
import type { RunningWorkbench } from './workbench.js';

/** What sessions, their hosts and their servers have started and made, even if it has left the tree of processes. */
export interface Remains {
  /** Notes what there is now. */
  note(sessions: readonly RunningWorkbench[]): void;
  /** Ends the sessions, and expects that 15 s later nothing that was noted is left. */
  expectNone(sessions: readonly RunningWorkbench[]): Promise<void>;
}

export function watchRemains(shared: SharedSessions): Remains {
  const processes = new Map<number, string>();
  const sockets = new Map<string, number>();
  const own = () => [...shared.hosts(), ...processesWith(shared.marker)].map(({ pid }) => pid);

  function note(sessions: readonly RunningWorkbench[]): void {
    const roots = [...own(), ...sessions.map(({ pid }) => pid)];
    for (const { pid, command } of treesOf(roots)) processes.set(pid, command);
    for (const { pid } of shared.hosts()) for (const path of socketsOf(pid)) sockets.set(path, inodeOf(path) ?? 0);
  }

  function left(): string[] {
    // A process id may be that of another process by now.
    const noted = allProcesses().filter(({ pid, command }) => processes.get(pid) === command);
    return [
      ...[...own(), ...noted.map(({ pid }) => pid)].map((pid) => `${pid} ${processes.get(pid)}`),
      ...[...sockets].filter(([path, inode]) => inodeOf(path) === inode).map(([path]) => path),
    ];
  }

  return {
    note,
    async expectNone(sessions) {
      note(sessions);
      for (const session of sessions) session.end();
      await Promise.all(sessions.map(({ exited }) => exited));
      await until(() => left().length === 0, { withinMs: 30_000 }).catch(() => {
        throw new Error(`left 30 s after the last session:\n${left().join('\n')}`);
      });
    },
  };
}

/** The processes with these ids, and all that descend from them. */
function treesOf(roots: readonly number[]): Process[] {
  const all = allProcesses();
  const pids = new Set(roots);
  for (const pid of pids) for (const child of all) if (child.parent === pid) pids.add(child.pid);
  return all.filter(({ pid }) => pids.has(pid));
}

/** All names of the socket of a host. */
function socketsOf(host: number): string[] {
  const files = [socketDirectory(), `/tmp/mcp-workbench-${process.getuid?.()}`].flatMap(filesIn);
  const own = files.filter(({ name }) => parseName(name)?.pid === host);
  const inodes = new Set(own.map(({ path }) => inodeOf(path)));
  return files.map(({ path }) => path).filter((path) => inodes.has(inodeOf(path)));
}

function filesIn(directory: string): { readonly name: string; readonly path: string }[] {
  try {
    return readdirSync(directory).map((name) => ({ name, path: join(directory, name) }));
  } catch {
    return [];
  }
}

function inodeOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.ino;
}
