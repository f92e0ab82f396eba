import { delimiter } from 'node:path';

/** Codex puts these before PATH for programs of its own; the second has another name in each of its processes. */
const directoryOfClient = /[\\/](?:codex-path|codex-arg0[^\\/]*)[\\/]?$/;

/** PATH without what a client puts in front of it, which differs from session to session. */
export function withoutClientDirectories(searchPath: string): string {
  const directories = searchPath.split(delimiter);
  const first = directories.findIndex((directory) => !directoryOfClient.test(directory));
  return directories.slice(Math.max(0, first)).join(delimiter);
}
