import { linkSync, lstatSync, readdirSync, renameSync, unlinkSync } from 'node:fs';
import type { Server } from 'node:net';
import { dirname } from 'node:path';
import { isRunning } from '../../../platform/is-running.js';
import { connectTo } from '../../../platform/sockets/socket-client.js';
import { prepareSocketDirectory, socketPath } from '../../../platform/sockets/socket-directory.js';
import { parseName, sharedNameOf } from '../../../platform/sockets/socket-names.js';
import type { HostNames } from '../socket-names.js';

/** Others bind at the same time, and each round has a winner. */
const maxRounds = 50;

export interface Bound {
  /** Whether the shared name leads to this process. It may have been deleted, or taken by another host. */
  isCurrent(): boolean;
  /** From now on no session finds this process. Commands do, by its own name, until its server is closed. */
  release(): void;
}

/**
 * Gives the shared name to this process. There is no lock: the socket listens under a name of its own, and `link(2)`, which fails if
 * the name exists, gives it the shared one. Undefined if another host has it. Throws if that is not possible.
 */
export async function bindHost(server: Server, directory: string, names: HostNames): Promise<Bound | undefined> {
  prepareSocketDirectory(directory);
  const shared = socketPath(directory, names.shared);
  const own = socketPath(directory, names.own(process.pid));
  // Of a process that was killed, and had the same id.
  tryUnlink(own);
  listenPrivately(server, own);
  let isLinked = false;
  try {
    isLinked = await takeName(own, shared);
  } finally {
    if (!isLinked) {
      server.close();
      tryUnlink(own);
    }
  }
  if (!isLinked) return undefined;
  removeDead(directory, names.shared);
  return boundAt(shared, lstatSync(own).ino);
}

/** False if a host that is alive has the name. */
async function takeName(own: string, shared: string): Promise<boolean> {
  for (let round = 0; round < maxRounds; round++) {
    if (tryLink(own, shared)) return true;
    const found = inodeOf(shared);
    if (found === undefined) continue;
    prepareSocketDirectory(dirname(shared));
    if (await isAlive(shared)) break;
    setAside(shared, `${own}.old`, found);
  }
  return false;
}

function boundAt(shared: string, inode: number): Bound {
  const isCurrent = () => inodeOf(shared) === inode;
  return {
    isCurrent,
    release() {
      if (isCurrent()) tryUnlink(shared);
    },
  };
}

/** No other user may connect, not even for a moment. */
function listenPrivately(server: Server, path: string): void {
  let problem: Error | undefined;
  const keep = (error: Error) => void (problem = error);
  const mask = process.umask(0o177);
  server.once('error', keep).listen(path);
  process.umask(mask);
  // Listening at a path is done at once; only the event comes later.
  if (inodeOf(path) === undefined) throw problem ?? new Error(`cannot listen at ${path}`);
}

/** Removes the socket of a host that is gone. If another host has taken the name since, it gets it back. */
function setAside(shared: string, aside: string, dead: number): void {
  // Without this, it would often be the name of a host that has just taken it, and sessions would not find that one for a moment.
  if (inodeOf(shared) !== dead) return;
  try {
    renameSync(shared, aside);
  } catch {
    return;
  }
  if (inodeOf(aside) !== dead) tryLink(aside, shared);
  tryUnlink(aside);
}

/** Of hosts that were killed: their own names, which are unique. They had the rights of this process, so it sees their ids. */
function removeDead(directory: string, shared: string): void {
  for (const file of readdirSync(directory)) {
    const own = file.replace(/\.(?:old|busy)$/, '');
    const pid = sharedNameOf(own) === shared ? parseName(own)?.pid : undefined;
    if (pid !== undefined && !isRunning(pid)) tryUnlink(socketPath(directory, file));
  }
}

/** Any answer other than "no listener" may come from a busy host. */
async function isAlive(path: string): Promise<boolean> {
  const found = await connectTo(path);
  if (found.is === 'connected') found.socket.destroy();
  return found.is === 'connected' || found.is === 'busy';
}

/** False if the name is taken. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function tryUnlink(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another process was faster.
  }
}

function inodeOf(path: string): number | undefined {
  try {
    return lstatSync(path).ino;
  } catch {
    return undefined;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
