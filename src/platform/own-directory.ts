import { lstatSync, type Stats } from 'node:fs';
import { ownPartOf } from './directories.js';
import { isOwnGroup } from './own-group.js';

/**
 * Why nothing should be written below one of our directories; undefined if it is fine or does not exist yet. Somebody else
 * may have created it first, e.g. in a shared home or where a variable leads to a directory that everyone can write to.
 */
export function directoryProblem(directory: string, platform: string): string | undefined {
  const own = ownPartOf(directory, platform);
  const stats = tryLstat(own);
  if (stats === undefined) return undefined;
  if (stats.isSymbolicLink()) return `${own} is a symbolic link`;
  if (!stats.isDirectory()) return `${own} is not a directory`;
  const user = process.geteuid?.();
  if (user === undefined) return undefined;
  if (stats.uid !== user) return `${own} belongs to another user`;
  return (stats.mode & (isOwnGroup(stats.gid) ? 0o002 : 0o022)) === 0
    ? undefined
    : `${own} can be written to by other users`;
}

/** What cannot be looked at cannot be written to either, and that is no news here. */
function tryLstat(file: string): Stats | undefined {
  try {
    return lstatSync(file);
  } catch {
    return undefined;
  }
}
