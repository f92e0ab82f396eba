import type { ServerConfig } from '../../config/config.js';
import type { ServerLock } from '../../config/lock-file/tool-lock.js';
import { DownstreamFailure } from '../../contract/downstream-failure.js';
import { messageOf } from '../../contract/errors.js';
import type { Tool } from '../../contract/types.js';
import { cutListingAgeMs } from '../../limits.js';
import type { Log } from '../../platform/log.js';
import type { Downstream } from '../ports/downstream.js';
import type { ListedTools } from '../ports/tool-cache.js';
import { type JudgedTools, offeredTools, withholdsText } from '../rules/judge-tools.js';
import type { RuledServer } from '../rules/verdict.js';

/** The tools of a server that pass its filters and rules, as listed once. Holds no reference to the connection. */
export interface ToolSnapshot extends ListedTools, JudgedTools {
  get(name: string): Tool | undefined;
  /** Everything that the server lists. */
  readonly all: readonly Tool[];
  /** Whether these instructions of the server are not what was approved, and must not be shown. */
  withholds(instructions: string | undefined): boolean;
  /** The same listing with other filters and rules. */
  passing(server: RuledServer): ToolSnapshot;
}

/** The tools of one connected server that pass its filters and rules, kept up to date as the server changes them. */
export interface ToolList extends ToolSnapshot {
  /** The tools as they are now, without the connection. */
  snapshot(): ToolSnapshot;
  /** Applies the filters and rules that the server has now. */
  filter(): void;
  /** Lists again. All calls during a listing share one more listing after it. */
  refresh(): Promise<void>;
  /** Lists again for a name that is not in the list, unless the list is so large that it was cut, and was made a moment ago. */
  lookAgain(): Promise<void>;
  /** The server reported a change: its tools are listed again after a delay, once for many reports. */
  changed(): void;
  /** Whether every reported change has been listed. */
  readonly isSettled: boolean;
  /** Resolves when every reported change has been listed, or listing has failed. */
  settled(): Promise<void>;
}

const changeDelayMs = 1_000;

/** `server`: its entry as it is at the moment. */
export async function createToolList(
  server: () => ServerConfig,
  downstream: Downstream,
  signal: AbortSignal,
  learn: (listed: ListedTools) => void,
  log: Log,
): Promise<ToolList> {
  let current = snapshotOf({ tools: [], omissions: {} }, server());
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  let changeTimer: NodeJS.Timeout | undefined;
  let listedAt = 0;

  async function load(loadSignal: AbortSignal): Promise<void> {
    const listed = await downstream.listTools(loadSignal);
    current = snapshotOf(listed, server());
    listedAt = performance.now();
    learn(listed);
  }

  function reload(): Promise<void> {
    const { startTimeoutMs, callTimeoutMs } = server().limits;
    // As a start may take: who starts now waits for the same listing, if it is shared.
    running = load(timeoutSignal(Math.min(startTimeoutMs, callTimeoutMs))).finally(() => {
      running = undefined;
    });
    return running;
  }

  /** For a listing in the background: if it fails, the previous tools stay. */
  const logFailure = (error: unknown) => {
    const { toolbox, name } = server();
    log.warn(`${toolbox}/${name}: listing tools failed: ${messageOf(error)}`);
  };

  function refresh(): Promise<void> {
    if (running === undefined) return reload();
    following ??= running
      .catch(() => {})
      .then(() => {
        following = undefined;
        return reload();
      });
    return following;
  }

  function relist(): Promise<void> {
    clearTimeout(changeTimer);
    changeTimer = undefined;
    return refresh();
  }

  await load(signal);
  return {
    get tools() {
      return current.tools;
    },
    get omissions() {
      return current.omissions;
    },
    get asks() {
      return current.asks;
    },
    get withheld() {
      return current.withheld;
    },
    get all() {
      return current.all;
    },
    withholds: (instructions) => current.withholds(instructions),
    get: (name) => current.get(name),
    passing: (rules) => current.passing(rules),
    snapshot: () => current,
    filter() {
      current = current.passing(server());
    },
    refresh: relist,
    async lookAgain() {
      const { excess, cut } = current.omissions;
      const isCut = excess !== undefined || cut !== undefined;
      const isKnown = isCut && changeTimer === undefined && performance.now() - listedAt < cutListingAgeMs;
      if (!isKnown) await relist();
    },
    changed() {
      changeTimer ??= setTimeout(() => void relist().catch(logFailure), changeDelayMs).unref();
    },
    get isSettled() {
      return changeTimer === undefined && following === undefined && running === undefined;
    },
    async settled() {
      const listing = changeTimer === undefined ? (following ?? running) : relist();
      await listing?.catch(logFailure);
    },
  };
}

/** Not inline, so that the closure of `get` keeps only the tools alive. It follows the lock. */
function snapshotOf(listed: ListedTools, server: RuledServer): ToolSnapshot {
  const { tools, omissions, lock } = listed;
  let made = viewOf(tools, server, lock);
  const view = () => (made.revision === lock?.revision ? made : (made = viewOf(tools, server, lock)));
  return {
    get tools() {
      return view().judged.tools;
    },
    get asks() {
      return view().judged.asks;
    },
    get withheld() {
      return view().judged.withheld;
    },
    all: tools,
    omissions,
    withholds: (instructions) => withholdsText(instructions, server, lock),
    get: (name) => view().byName.get(name),
    passing: (other) => snapshotOf(listed, other),
  };
}

function viewOf(tools: readonly Tool[], server: RuledServer, lock: ServerLock | undefined) {
  const revision = lock?.revision;
  const judged = offeredTools(tools, server, lock);
  return { revision, judged, byName: new Map(judged.tools.map((tool) => [tool.name, tool])) };
}

function timeoutSignal(ms: number): AbortSignal {
  const limit = new AbortController();
  const late = new DownstreamFailure('timeout', `no answer within ${ms} ms`);
  setTimeout(() => limit.abort(late), ms).unref();
  return limit.signal;
}
