import { approvedIn } from '../../../config/lock-file/approved.js';
import type { LockedServer, LockedTool } from '../../../config/lock-file/lock-document.js';
import { lockedCopy } from '../../../config/lock-file/locked-tool.js';
import type { ServerNames } from '../../../config/lock-file/tool-lock.js';
import { isSamePackage, type PackageVersion } from '../../../contract/package-version.js';
import type { Tool } from '../../../contract/types.js';
import { differenceOf } from '../../../workbench/lock/deviations.js';

/** What is locked of a tool. */
export type Copy = LockedTool['tool'];

export interface ToolDifference {
  readonly name: string;
  readonly is: 'changed' | 'new' | 'removed';
  readonly before?: Copy;
  readonly after?: Copy;
}

/** How a server differs from what is approved. */
export interface ServerDifferences extends ServerNames {
  /** Whether the lock has it at all. */
  readonly isLocked: boolean;
  readonly tools: readonly ToolDifference[];
  readonly instructions?: { readonly before: string | undefined; readonly after: string | undefined };
  /** The package that it is started from, if it is another or another version. */
  readonly package?: { readonly before: PackageVersion | undefined; readonly after: PackageVersion };
}

/** What a server lists now. */
export interface ListedServer {
  readonly all: readonly Tool[];
  /** Tools that pass filters and rules: the others need no approval. */
  readonly reachable: readonly Tool[];
  readonly instructions: string | undefined;
  readonly package: PackageVersion | undefined;
}

/** `entries`: those of the lock for this server. `tool`: nothing else is looked at. */
export function differencesOf(
  names: ServerNames,
  entries: readonly LockedServer[],
  listed: ListedServer,
  tool: string | undefined,
): ServerDifferences {
  const approved = entries.length === 0 ? undefined : approvedIn(entries);
  const copies = new Map(
    entries.flatMap(({ tools }) => tools).map((entry): [string, Copy] => [entry.tool.name, entry.tool]),
  );
  const isWanted = (name: string) => tool === undefined || name === tool;
  // Before the first approval filters do not matter: an edit of them must not make tools new.
  const offered = approved === undefined ? listed.all : listed.reachable;
  const present = offered.filter(({ name }) => isWanted(name));
  const found = present.flatMap((one): ToolDifference[] => {
    const is = differenceOf(one, approved);
    const before = copies.get(one.name);
    return is === undefined ? [] : [{ name: one.name, is, after: copyOf(one), ...(before && { before }) }];
  });
  const allNames = new Set(listed.all.map(({ name }) => name));
  const removed = [...copies].filter(([name]) => isWanted(name) && !allNames.has(name));
  const gone = removed.map(([name, before]): ToolDifference => ({ name, is: 'removed', before }));
  const texts = tool === undefined ? instructionsOf(entries, listed.instructions) : undefined;
  const from = tool === undefined ? packageOf(approved?.package, listed.package) : undefined;
  return {
    ...names,
    isLocked: approved !== undefined,
    tools: [...found, ...gone],
    ...(texts && { instructions: texts }),
    ...(from && { package: from }),
  };
}

export function hasDifferences(found: ServerDifferences): boolean {
  return isUnapproved(found) || found.package !== undefined;
}

/** A new version with unchanged texts needs no approval unless the lock is strict. */
export function isUnapproved(found: ServerDifferences): boolean {
  const { isLocked, tools, instructions } = found;
  return !isLocked || tools.length > 0 || instructions !== undefined || isPublishedAgain(found.package);
}

/** Whether an approved version has another content. */
export function isPublishedAgain(found: ServerDifferences['package']): boolean {
  if (found?.before === undefined) return false;
  const { before, after } = found;
  return before.name === after.name && before.version === after.version;
}

function packageOf(
  before: PackageVersion | undefined,
  after: PackageVersion | undefined,
): ServerDifferences['package'] | undefined {
  return after === undefined || isSamePackage(before, after) ? undefined : { before, after };
}

function instructionsOf(
  entries: readonly LockedServer[],
  after: string | undefined,
): ServerDifferences['instructions'] | undefined {
  const known = entries.flatMap(({ instructions }) => instructions ?? []);
  const isApproved = known.some(({ text }) => text === after);
  if (isApproved || (known.length === 0 && after === undefined)) return undefined;
  return { before: known.at(-1)?.text, after };
}

function copyOf(tool: Tool): Copy {
  return { ...lockedCopy(tool), name: tool.name };
}
