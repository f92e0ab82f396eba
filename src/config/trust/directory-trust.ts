import { statSync } from 'node:fs';
import { isOpenToOthers } from '../files/text-file.js';
import { readTrust, realPathOf } from './trust-store.js';

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly home: string;
}

/** Whether the user trusts what a directory contains. The home directory is trusted if no other user can write to it. */
export function createDirectoryTrust(place: Place): (directory: string) => boolean {
  let trusted: ReadonlySet<string> | undefined;
  return (directory) => {
    trusted ??= new Set([
      ...(isOnlyOurs(place.home) ? [realPathOf(place.home)] : []),
      ...readTrust(place, () => {}).directories.map(({ path }) => path),
    ]);
    return trusted.has(realPathOf(directory));
  };
}

/** Not if others can write to it: HOME may be `/tmp`. */
export function isOnlyOurs(directory: string): boolean {
  try {
    const stats = statSync(directory);
    return stats.uid === (process.geteuid?.() ?? stats.uid) && !isOpenToOthers(stats);
  } catch {
    return false;
  }
}
