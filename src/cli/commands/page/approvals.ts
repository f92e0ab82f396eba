import { isOf, type LockedServer } from '../../../config/lock-file/lock-document.js';
import { lockPathsOf } from '../../../config/lock-file/lock-path.js';
import { readLockFile } from '../../../config/lock-file/read-lock-file.js';
import { type KnownServer, knownServers } from '../../../inspect/known-servers.js';
import { type WrittenConfiguration, writtenServers } from '../../../inspect/written-servers.js';
import type { Approval, Approvals, ChangedPart } from '../../../page/messages.js';
import type { Computer } from '../../../platform/computer.js';
import { shorten } from '../../../text/shorten.js';
import { type ShownDifference, shownDifferences, summaryOf } from '../approve/difference-text.js';
import { differencesOf, isUnapproved, type ServerDifferences } from '../approve/differences.js';
import { changedLines } from '../clients/unified-diff.js';

/** Limit per server: a page is not read further, and a comparison may take long. `approve` shows all. */
const mostParts = 40;
const longestMs = 1_000;
const mostLines = 200;
const longestLine = 1_000;

/**
 * How servers differ from what was approved, by what they listed last. Servers that were never approved, and those without a lock, are
 * left out. `commandFor`: the command that approves.
 */
export async function approvalsOf(
  written: WrittenConfiguration,
  computer: Computer,
  commandFor: (server: KnownServer) => string,
): Promise<Approvals> {
  const { beside, own } = lockPathsOf(written.path, computer);
  const locked: LockedServer[] = [];
  for (const file of [own, beside]) {
    const found = await readLockFile(file, { isWalked: true });
    if (found.is === 'unusable') return { problem: `The lock ${file} cannot be used: ${found.problem}.`, servers: [] };
    if (found.is === 'read') locked.push(...found.document.servers);
  }
  const locks = new Map(
    writtenServers(written).map(({ entry, defaults, cacheKey }) => [cacheKey, entry.lock ?? defaults?.lock ?? 'note']),
  );
  const known = await knownServers(written, computer, {});
  const servers = known.flatMap((server): Approval[] => {
    const entries = locked.filter(isOf(server));
    const lock = locks.get(server.cacheKey);
    if (entries.length === 0 || lock === 'off' || server.isDisabled) return [];
    const found = differencesIn(server, entries);
    return found === undefined ? [] : [approvalOf(found, server, lock === 'strict', commandFor(server))];
  });
  return { servers };
}

function differencesIn(
  { toolbox, server, listed, tools = [], instructions, package: from }: KnownServer,
  entries: readonly LockedServer[],
): ServerDifferences | undefined {
  if (listed === undefined) return undefined;
  const found = differencesOf(
    { toolbox, server },
    entries,
    { all: listed, reachable: tools, instructions, package: from },
    undefined,
  );
  return isUnapproved(found) ? found : undefined;
}

function approvalOf(found: ServerDifferences, server: KnownServer, isStrict: boolean, command: string): Approval {
  const { toolbox, server: name, at: listedAt } = server;
  const until = performance.now() + longestMs;
  const { isLocked, tools } = found;
  const others = shownDifferences({ ...found, tools: [] }, changedLines);
  const ofTools: ShownDifference[] = [];
  for (const tool of tools.slice(0, mostParts)) {
    if (performance.now() > until) break;
    ofTools.push(...shownDifferences({ toolbox, server: name, isLocked, tools: [tool] }, changedLines));
  }
  return {
    ...{ toolbox, server: name, listedAt, isStrict, command, leftOut: tools.length - ofTools.length },
    summary: summaryOf(found),
    parts: [...others, ...ofTools].map(partOf),
  };
}

function partOf({ sign, title, note, lines }: ShownDifference): ChangedPart {
  const shown = lines.slice(0, mostLines).map((line) => shorten(line, longestLine));
  const rest = lines.length - shown.length;
  return { sign, title, note, lines: rest === 0 ? shown : [...shown, `… ${rest} more lines`] };
}
