import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, rm, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from './build.js';
import type { Computer } from './computer.js';
import { cacheDirectoryOf } from './directories.js';
import { isOwnGroup } from './own-group.js';

/** Code of other builds that has not been compiled again for this long is removed. */
const keptMs = 30 * 24 * 60 * 60_000;

/**
 * Lets Node.js 22.1 and later keep the compiled code of all files that are loaded from now on. Anyone who can write to its directory can
 * run programs as the user, so without a safe directory nothing is kept; that is no problem worth a word.
 */
export function keepCompiledCode(computer: Computer): void {
  const enable: unknown = Reflect.get(process.getBuiltinModule('node:module'), 'enableCompileCache');
  const { NODE_COMPILE_CACHE: chosen, NODE_DISABLE_COMPILE_CACHE: disabled } = computer.env;
  if (typeof enable !== 'function' || chosen !== undefined || disabled !== undefined) return;
  try {
    const cache = cacheDirectoryOf(computer);
    // Sessions make it when they list tools. A command that only looks leaves no trace in a home without it.
    if (!existsSync(cache)) return;
    const all = join(cache, 'compiled');
    const directory = join(all, build);
    if (!hasSafeAncestors(directory)) return;
    const isNew = mkdirSync(directory, { recursive: true, mode: 0o700 }) !== undefined;
    if (!isOnlyOurs(directory)) return;
    Reflect.apply(enable, undefined, [directory]);
    if (isNew) removeOld(all);
  } catch {
    // A read-only or full disk.
  }
}

function isOnlyOurs(directory: string): boolean {
  const user = process.geteuid?.();
  if (user === undefined) return true;
  const { uid, mode } = lstatSync(directory);
  // A link on the way could lead elsewhere tomorrow.
  return uid === user && (mode & 0o077) === 0 && realpathSync(directory) === directory;
}

/** Whether no other user can replace a directory of the path; a missing one will be ours. */
function hasSafeAncestors(directory: string): boolean {
  if (process.geteuid === undefined) return true;
  for (let at = dirname(directory); ; at = dirname(at)) {
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats !== undefined && !isSafe(stats)) return false;
    if (at === dirname(at)) return true;
  }
}

function isSafe({ uid, gid, mode }: Stats): boolean {
  if (uid !== process.geteuid?.() && uid !== 0) return false;
  // In a directory such as /tmp, users cannot replace each other's files.
  const isSticky = (mode & 0o1000) !== 0;
  return isSticky || (mode & (isOwnGroup(gid) ? 0o002 : 0o022)) === 0;
}

function removeOld(all: string): void {
  for (const name of readdirSync(all)) {
    const path = join(all, name);
    if (Date.now() - statSync(path).mtimeMs > keptMs) rm(path, { recursive: true, force: true }, () => {});
  }
}
