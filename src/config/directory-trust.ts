import { readTrust, realPathOf } from './trust-store.js';

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly home: string;
}

/** Whether the user trusts what a directory contains. The home directory is the user's own. */
export function createDirectoryTrust(place: Place): (directory: string) => boolean {
  let trusted: ReadonlySet<string> | undefined;
  return (directory) => {
    trusted ??= new Set([realPathOf(place.home), ...readTrust(place, () => {}).directories.map(({ path }) => path)]);
    return trusted.has(realPathOf(directory));
  };
}
