import { approvedIn } from '../config/lock-file/approved.js';
import { isOf, type LockedServer } from '../config/lock-file/lock-document.js';
import { lockPathsOf } from '../config/lock-file/lock-path.js';
import { readLockFile } from '../config/lock-file/read-lock-file.js';
import type { ServerNames } from '../config/lock-file/tool-lock.js';
import type { PackageVersion } from '../contract/package-version.js';
import type { Computer } from '../platform/computer.js';

/** How the tools of a server differ from what was approved, by name. */
export interface LockChanges {
  readonly changed: readonly string[];
  readonly added: readonly string[];
}

type DigestedTools = readonly (readonly [name: string, digest: string | undefined])[];

export interface CompareWithLock {
  /** `tools`: names, and the digests of what is locked of them; one without is not compared. */
  (names: ServerNames, tools: DigestedTools): LockChanges | undefined;
  /** What a server was started from when it was approved. */
  packageOf(names: ServerNames): PackageVersion | undefined;
}

/** Where what was approved does not matter. */
export const withoutLock: CompareWithLock = Object.assign(() => undefined, { packageOf: () => undefined });

/** Reads the lock of a configuration. What is not in it, or in a file that cannot be used, is not compared. */
export async function readLockOf(configFile: string, computer: Computer): Promise<CompareWithLock> {
  const { beside, own } = lockPathsOf(configFile, computer);
  const found = await Promise.all([beside, own].map((file) => readLockFile(file)));
  const servers = found.flatMap((one) => (one.is === 'read' ? one.document.servers : []));
  const compare = (names: ServerNames, tools: DigestedTools) => {
    const entries = servers.filter(isOf(names));
    return entries.length === 0 ? undefined : changesIn(entries, tools);
  };
  return Object.assign(compare, {
    packageOf: (names: ServerNames) => approvedIn(servers.filter(isOf(names))).package,
  });
}

function changesIn(entries: readonly LockedServer[], tools: DigestedTools): LockChanges | undefined {
  const digests = new Map<string, Set<string>>();
  for (const { sha256, tool } of entries.flatMap((entry) => entry.tools))
    digests.set(tool.name, (digests.get(tool.name) ?? new Set()).add(sha256));
  const digested = tools.filter(([, digest]) => digest !== undefined);
  const changed = digested.filter(([name, digest = '']) => digests.get(name)?.has(digest) === false);
  const added = digested.filter(([name]) => !digests.has(name));
  if (changed.length + added.length === 0) return undefined;
  return { changed: changed.map(([name]) => name), added: added.map(([name]) => name) };
}
