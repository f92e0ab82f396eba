import { isOf, type LockedServer } from '../../config/lock-file/lock-document.js';
import { lockPathsOf } from '../../config/lock-file/lock-path.js';
import { readLockFile } from '../../config/lock-file/read-lock-file.js';
import type { ServerNames } from '../../config/lock-file/tool-lock.js';
import type { ServerFileEntry, ServerFileSettings } from '../../config/schema/schema.js';
import type { Computer } from '../../platform/computer.js';

/** How the tools of a server differ from what was approved, by name. */
export interface LockChanges {
  readonly changed: readonly string[];
  readonly added: readonly string[];
}

/** A tool and the digest of what is locked of it; without one it is not compared. */
export interface DigestedTool {
  readonly name: string;
  readonly digest?: string;
}

export type CompareWithLock = (names: ServerNames, tools: readonly DigestedTool[]) => LockChanges | undefined;

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

function changesIn(entries: readonly LockedServer[], tools: readonly DigestedTool[]): LockChanges | undefined {
  const digests = new Map<string, Set<string>>();
  for (const { sha256, tool } of entries.flatMap((entry) => entry.tools))
    digests.set(tool.name, (digests.get(tool.name) ?? new Set()).add(sha256));
  const digested = tools.filter(({ digest }) => digest !== undefined);
  const changed = digested.filter(({ name, digest = '' }) => digests.get(name)?.has(digest) === false);
  const added = digested.filter(({ name }) => !digests.has(name));
  if (changed.length + added.length === 0) return undefined;
  const namesOf = (some: readonly DigestedTool[]) => some.map(({ name }) => name);
  return { changed: namesOf(changed), added: namesOf(added) };
}

export function hasLock({ lock }: ServerFileEntry, defaults: ServerFileSettings | undefined): boolean {
  return (lock ?? defaults?.lock) !== 'off';
}

/** `1 changed, 2 new` */
export function changesText({ changed, added }: LockChanges): string {
  const parts = [changed.length > 0 && `${changed.length} changed`, added.length > 0 && `${added.length} new`];
  return parts.filter((part) => typeof part === 'string').join(', ');
}
