import { isOf, type LockedServer } from '../config/lock-file/lock-document.js';
import { lockPathsOf } from '../config/lock-file/lock-path.js';
import { readLockFile } from '../config/lock-file/read-lock-file.js';
import type { ServerNames } from '../config/lock-file/tool-lock.js';
import type { Computer } from '../platform/computer.js';

/** How the tools of a server differ from what was approved, by name. */
export interface LockChanges {
  readonly changed: readonly string[];
  readonly added: readonly string[];
}

/** `tools`: names, and the digests of what is locked of them; one without is not compared. */
export type CompareWithLock = (
  names: ServerNames,
  tools: readonly (readonly [name: string, digest: string | undefined])[],
) => LockChanges | undefined;

/** Reads the lock of a configuration. What is not in it, or in a file that cannot be used, is not compared. */
export async function readLockOf(configFile: string, computer: Computer): Promise<CompareWithLock> {
  const { beside, own } = lockPathsOf(configFile, computer);
  const found = await Promise.all([beside, own].map((file) => readLockFile(file)));
  const servers = found.flatMap((one) => (one.is === 'read' ? one.document.servers : []));
  return (names, tools) => {
    const entries = servers.filter(isOf(names));
    return entries.length === 0 ? undefined : changesIn(entries, tools);
  };
}

function changesIn(entries: readonly LockedServer[], tools: Parameters<CompareWithLock>[1]): LockChanges | undefined {
  const digests = new Map<string, Set<string>>();
  for (const { sha256, tool } of entries.flatMap((entry) => entry.tools))
    digests.set(tool.name, (digests.get(tool.name) ?? new Set()).add(sha256));
  const digested = tools.filter(([, digest]) => digest !== undefined);
  const changed = digested.filter(([name, digest = '']) => digests.get(name)?.has(digest) === false);
  const added = digested.filter(([name]) => !digests.has(name));
  if (changed.length + added.length === 0) return undefined;
  return { changed: changed.map(([name]) => name), added: added.map(([name]) => name) };
}
