import type { ServerConfig } from '../../config/config.js';
import type { WorkbenchError } from '../../contract/errors.js';
import type { ToolIdentifier } from '../../contract/types.js';
import { createLimitedLog } from '../../platform/limited-log.js';
import type { Log } from '../../platform/log.js';
import { mapInSlices } from '../../platform/slices.js';
import { ownCommand } from '../../text/own-command.js';
import { type ConnectDownstream, DownstreamFailure } from '../ports/downstream.js';
import type { KnownTools } from '../ports/tool-cache.js';
import type { Difference, ServerLock, ToolLock, ToolLocks } from '../ports/tool-lock.js';
import { isReachable, judgeOf } from '../rules/verdict.js';
import { type Blocked, blockedNotes, toolChanged } from './blocked.js';
import { createChangeNotes } from './change-notes.js';
import { deviationsOf, differenceOf } from './deviations.js';
import { createServerLock } from './server-lock.js';

/** Compares what the servers of one session list with what the user has approved. */
export interface SessionLock {
  /** The same connections; what they list is compared. What is seen for the first time is approved. */
  around(connect: ConnectDownstream): ConnectDownstream;
  /** Compares cached tools, which any server of the user may have written. They are never approved by that. */
  readonly check: (server: ServerConfig, known: KnownTools) => Promise<ServerLock | undefined>;
  /** Takes up approvals that another process has written since. */
  refresh(): Promise<void>;
  /** What is blocked in a listing, and what has changed in its toolbox and was not said yet. */
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
  /** What is not in the lock is blocked, whatever the settings. */
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

  function lockFor(server: ServerConfig): ToolLock | undefined {
    // The embedded server is a part of this program.
    if (server.file === undefined || (server.lock === 'off' && !isFrozen)) return undefined;
    const lock = locks.of(server.file);
    used.add(lock);
    return lock;
  }

  function reviewCommand(server: ServerConfig, ...tool: string[]): string {
    return ownCommand('approve', [server.toolbox, server.name, ...tool], lockFor(server)?.configOptions);
  }

  async function compare(given: ServerConfig, known: KnownTools, isLive: boolean): Promise<ServerLock | undefined> {
    const server = entryOf(given);
    const lock = lockFor(server);
    if (lock === undefined) return undefined;
    await lock.ready();
    const names = { toolbox: server.toolbox, server: server.name };
    const { tools, instructions } = known;
    const approved = lock.approved(names);
    if (approved !== undefined) {
      // Remembered for each tool: what follows looks it up.
      await mapInSlices(tools, (tool) => differenceOf(tool, approved));
      const judge = judgeOf(server);
      const reachable = tools.filter((tool) => isReachable(judge(tool)));
      const review = reviewCommand(server);
      const found = deviationsOf({ tools: reachable, instructions }, approved);
      await notes.see(server, found, lock, { review, isBlocked: isFrozen || server.lock === 'strict' });
    } else if (isLive && !isFrozen && lock.problem === undefined) {
      lock.add({ ...names, tools, instructions });
    }
    return createServerLock(lock, names, isFrozen);
  }

  return {
    around: (connect) => async (server, listener, signal, agent) => {
      const lock = lockFor(entryOf(server));
      if (isFrozen && lock !== undefined) await lock.ready();
      if (isFrozen && lock?.approved({ toolbox: server.toolbox, server: server.name }) === undefined && lock)
        throw new DownstreamFailure('unreachable', notLocked(lock));
      // Read while the server starts.
      void lock?.ready();
      const downstream = await connect(server, listener, signal, agent);
      const { instructions, about } = downstream;
      return {
        ...downstream,
        async listTools(listing) {
          const listed = await downstream.listTools(listing);
          const compared = await compare(server, { ...listed, instructions, about }, true);
          return compared === undefined ? listed : { ...listed, lock: compared };
        },
      };
    },
    check: (server, known) => compare(server, known, false),
    async refresh() {
      await Promise.all(Array.from(used, (lock) => lock.refresh()));
    },
    takeNotes(toolbox, listed) {
      const blocked = listed.flatMap(({ server, known }) => blockedNotes(server, known, reviewCommand(server)));
      return [...blocked, ...notes.take(toolbox)];
    },
    refusal: (server, tool, difference) => toolChanged(tool, difference, reviewCommand(server, tool.name)),
  };
}

function notLocked({ file, problem }: ToolLock): string {
  return problem === undefined
    ? `it is not in the lock ${file}, and --frozen starts nothing else`
    : `the lock ${file} cannot be used: ${problem}`;
}
