import type { ServerConfig } from '../config/config.js';
import { messageOf } from '../contract/errors.js';
import type { Tool } from '../contract/types.js';
import type { Log } from '../platform/log.js';
import { distinct } from './catalog.js';
import { createToolFilter } from './filters.js';
import { type Downstream, DownstreamFailure } from './ports/downstream.js';

/** The tools of one connected server that its filters let through, kept true as the server changes them. */
export interface ToolList {
  readonly tools: readonly Tool[];
  get(name: string): Tool | undefined;
  /** Lists again. Asked while a listing runs, one more follows it, however often it is asked. */
  refresh(): Promise<void>;
  /** The server says that its tools changed: they are listed again soon, however often it says so. */
  changed(): void;
  /** Whether no change is known that has not been listed. */
  readonly isSettled: boolean;
  /** Resolves when that is so. */
  settled(): Promise<void>;
}

const gatherChangesMs = 1_000;

export async function createToolList(
  server: ServerConfig,
  downstream: Downstream,
  signal: AbortSignal,
  learn: (tools: readonly Tool[]) => void,
  log: Log,
): Promise<ToolList> {
  const passes = createToolFilter(server.toolFilters);
  let tools: readonly Tool[] = [];
  let byName: ReadonlyMap<string, Tool> = new Map();
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  let gathering: NodeJS.Timeout | undefined;

  async function load(loadSignal: AbortSignal): Promise<void> {
    const listed = await downstream.listTools(loadSignal);
    tools = distinct(listed, passes);
    byName = new Map(tools.map((tool) => [tool.name, tool]));
    learn(listed);
  }

  function reload(): Promise<void> {
    running = load(limited(server.limits.callTimeoutMs)).finally(() => {
      running = undefined;
    });
    return running;
  }

  /** For a listing that nobody waits for: what is known stays good. */
  const tolerate = (error: unknown) =>
    log.warn(`${server.toolbox}/${server.name}: listing its tools failed: ${messageOf(error)}`);

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
    clearTimeout(gathering);
    gathering = undefined;
    return refresh();
  }

  await load(signal);
  return {
    get tools() {
      return tools;
    },
    get: (name) => byName.get(name),
    refresh: relist,
    changed() {
      gathering ??= setTimeout(() => void relist().catch(tolerate), gatherChangesMs).unref();
    },
    get isSettled() {
      return gathering === undefined && following === undefined && running === undefined;
    },
    async settled() {
      const listing = gathering === undefined ? (following ?? running) : relist();
      await listing?.catch(tolerate);
    },
  };
}

function limited(ms: number): AbortSignal {
  const limit = new AbortController();
  const late = new DownstreamFailure('timeout', `no answer within ${ms} ms`);
  setTimeout(() => limit.abort(late), ms).unref();
  return limit.signal;
}
