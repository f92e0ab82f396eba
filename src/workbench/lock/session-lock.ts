import type { ServerConfig } from '../../config/config.js';
import { toolHash } from '../../config/lock-file/locked-tool.js';
import type { Approved, Difference, ServerLock, ToolLock, ToolLocks } from '../../config/lock-file/tool-lock.js';
import { DownstreamFailure } from '../../contract/downstream-failure.js';
import type { WorkbenchError } from '../../contract/errors.js';
import { isSamePackage, type PackageVersion } from '../../contract/package-version.js';
import type { Tool, ToolIdentifier } from '../../contract/types.js';
import { createLimitedLog } from '../../platform/limited-log.js';
import type { Log } from '../../platform/log.js';
import { mapInSlices } from '../../platform/slices.js';
import { ownCommand } from '../../text/own-command.js';
import { printableLine } from '../../text/printable.js';
import type { ConnectDownstream } from '../ports/downstream.js';
import type { KnownTools } from '../ports/tool-cache.js';
import { isReachable, judgeOf } from '../rules/verdict.js';
import { type Blocked, blockedNotes, toolChanged } from './blocked.js';
import { createChangeNotes } from './change-notes.js';
import { deviationsOf, differenceOf, isApprovedText } from './deviations.js';
import { createServerLock } from './server-lock.js';

/** Compares what the servers of one session list with what the user has approved. */
export interface SessionLock {
  /**
   * The same connections; what they list is compared, and what is seen for the first time is approved. Nothing is sent to a tool
   * that is not what was approved when the server listed it last, however long the call has waited.
   */
  around(connect: ConnectDownstream): ConnectDownstream;
  /** Compares cached tools, which any server of the user may have written. They are never approved by that. */
  readonly check: (server: ServerConfig, known: KnownTools) => Promise<ServerLock | undefined>;
  /** Takes up approvals that another process has written since. */
  refresh(): Promise<void>;
  /** Notes on blocked tools of a listing, and on changes in its toolbox that were not reported yet. */
  takeNotes(toolbox: string, listed: readonly ListedServer[]): string[];
  /** The error for a tool that is not what was approved. */
  refusal(server: ServerConfig, tool: ToolIdentifier, difference: Difference): WorkbenchError;
}

export interface ListedServer {
  readonly server: ServerConfig;
  readonly known: Blocked;
}

export interface LockOptions {
  readonly locks: ToolLocks;
  /** Blocks everything that is not in the lock, whatever the settings. */
  readonly isFrozen: boolean;
}

/** `entryOf`: the entry of a server as it is at the moment. */
export function createSessionLock(
  { locks, isFrozen }: LockOptions,
  entryOf: (server: ServerConfig) => ServerConfig,
  log: Log,
): SessionLock {
  const limited = createLimitedLog((text) => log.warn(text));
  const notes = createChangeNotes((text) => limited.write('lock', text));
  const used = new Set<ToolLock>();
  const reported = new Set<ToolLock>();

  /** Undefined for the embedded server, which is a part of this program. */
  function lockFor({ file }: ServerConfig): ToolLock | undefined {
    return file === undefined ? undefined : locks.of(file);
  }

  const isOff = ({ lock }: ServerConfig) => lock === 'off' && !isFrozen;

  function reviewCommand(server: ServerConfig, ...tool: string[]): string {
    return ownCommand('approve', [server.toolbox, server.name, ...tool], lockFor(server)?.configOptions);
  }

  async function compare(given: ServerConfig, known: KnownTools, isLive: boolean): Promise<ServerLock | undefined> {
    const server = entryOf(given);
    const lock = lockFor(server);
    if (lock === undefined) return undefined;
    used.add(lock);
    const { tools, instructions, package: from } = known;
    const seen = { toolbox: server.toolbox, server: server.name, tools, instructions, package: from };
    const compared = createServerLock(lock, seen, { isFrozen, isLive });
    // An edit may ask for it later.
    if (isOff(server)) return compared;
    await lock.ready();
    const approved = compared.approved();
    if (approved === undefined) return compared;
    if (from !== undefined) compareVersions(server, from, approved);
    await see(server, known, approved);
    return compared;
  }

  /** A new version alone is nothing that an agent has to know. */
  function compareVersions(server: ServerConfig, from: PackageVersion, { package: before }: Approved): void {
    if (before === undefined || isSamePackage(before, from)) return;
    const { name, version } = from;
    const text = `runs ${name} ${version}; the lock has ${before.name} ${before.version}: ${reviewCommand(server)}`;
    limited.write('package', `${server.toolbox}/${server.name}: ${printableLine(text)}`);
  }

  /** The only package version that may be started, if the tools of the server must not change. */
  async function pinnedOf(server: ServerConfig, lock: ToolLock): Promise<PackageVersion | undefined> {
    const mode = entryOf(server).lock;
    if (isFrozen || mode === 'strict') await lock.ready();
    // Read while the server starts.
    else if (mode !== 'off') void lock.ready();
    const { toolbox, name } = server;
    return isFrozen || mode === 'strict' ? lock.approved({ toolbox, server: name })?.package : undefined;
  }

  /** Logs and notes how what is listed differs. */
  async function see(server: ServerConfig, known: KnownTools, approved: Approved): Promise<void> {
    const { tools, instructions } = known;
    // Remembered for each tool: what follows looks it up.
    const found = await mapInSlices(tools, (tool) => differenceOf(tool, approved));
    // Most listings are what was approved.
    if (found.every((one) => one === undefined) && isApprovedText(instructions, approved)) return;
    const judge = judgeOf(server);
    const reachable = tools.filter((tool, index) => found[index] !== undefined && isReachable(judge(tool)));
    // Remembered as well.
    await mapInSlices(reachable, toolHash);
    const isBlocked = isFrozen || server.lock === 'strict';
    const review = reviewCommand(server);
    notes.see(server, deviationsOf({ tools: reachable, instructions }, approved), { review, isBlocked });
  }

  /** Each once: without a lock nothing that a server changes is noticed. What is enforced is blocked, and says so itself. */
  function unusableLocks(listed: readonly ListedServer[]): string[] {
    const compared = listed.filter(({ server }) => !isFrozen && entryOf(server).lock === 'note');
    const files = new Set(compared.flatMap(({ server }) => lockFor(server) ?? []));
    return Array.from(files).flatMap((lock) => {
      if (lock.problem === undefined || reported.has(lock)) return [];
      reported.add(lock);
      const file = printableLine(lock.file);
      return [
        `The lock ${file} cannot be used: ${lock.problem}. Changed tools are not noticed. Only the user can repair it.`,
      ];
    });
  }

  /** Why a tool must not be called, as the server listed it last. */
  function refusalOf(given: ServerConfig, tool: Tool | undefined, lock: ServerLock | undefined) {
    const server = entryOf(given);
    const difference = tool && lock?.isEnforced(server.lock) ? lock.differenceOf(tool) : undefined;
    if (tool === undefined || difference === undefined) return undefined;
    const { toolbox, name } = server;
    return toolChanged({ toolbox, server: name, name: tool.name }, difference, reviewCommand(server, tool.name));
  }

  return {
    around: (connect) => async (server, listener, signal, agent) => {
      const lock = lockFor(server);
      if (lock === undefined) return connect(server, listener, signal, agent);
      if (isFrozen) await assertLocked(server, lock);
      const pinned = await pinnedOf(server, lock);
      const downstream = await connect(pinned ? { ...server, pinned } : server, listener, signal, agent);
      const { instructions, about, package: from } = downstream;
      let listed: ReadonlyMap<string, Tool> = new Map();
      let compared: ServerLock | undefined;
      return {
        ...downstream,
        async listTools(listing) {
          const found = await downstream.listTools(listing);
          compared = await compare(server, { ...found, instructions, about, package: from }, true);
          listed = new Map(found.tools.map((tool) => [tool.name, tool]));
          return { ...found, lock: compared };
        },
        callTool(name, args, options) {
          const refusal = refusalOf(server, listed.get(name), compared);
          return refusal === undefined ? downstream.callTool(name, args, options) : Promise.reject(refusal);
        },
      };
    },
    check: (server, known) => compare(server, known, false),
    async refresh() {
      await Promise.all(Array.from(used, (lock) => lock.refresh()));
    },
    takeNotes(toolbox, listed) {
      const blocked = listed.flatMap(({ server, known }) => blockedNotes(server, known, reviewCommand(server)));
      return [...unusableLocks(listed), ...blocked, ...notes.take(toolbox)];
    },
    refusal: (server, tool, difference) => toolChanged(tool, difference, reviewCommand(server, tool.name)),
  };
}

async function assertLocked({ toolbox, name }: ServerConfig, lock: ToolLock): Promise<void> {
  await lock.ready();
  if (lock.approved({ toolbox, server: name }) === undefined)
    throw new DownstreamFailure('unreachable', notLocked(lock));
}

function notLocked({ file, problem }: ToolLock): string {
  return problem === undefined
    ? `it is not in the lock ${file}, and --frozen starts nothing else`
    : `the lock ${file} cannot be used: ${problem}`;
}
