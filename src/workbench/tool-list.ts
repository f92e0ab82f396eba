import type { ServerConfig } from '../config/config.js';
import { messageOf } from '../errors.js';
import type { Log } from '../log.js';
import type { Tool } from '../types.js';
import type { Downstream } from './downstream.js';
import { createToolFilter } from './filters.js';

/** The tools of one connected server that its filters let through, kept true as the server changes them. */
export interface ToolList {
  readonly tools: readonly Tool[];
  get(name: string): Tool | undefined;
  /** Lists again. Asked while a listing runs, one more follows it, however often it is asked. */
  refresh(): Promise<void>;
  /** The server says that its tools changed: they are listed again soon, however often it says so. */
  changed(): void;
  /** Resolves when no change is known that has not been listed. */
  settled(): Promise<void>;
}

const gatherChangesMs = 1_000;

export async function createToolList(
  server: ServerConfig,
  downstream: Downstream,
  signal: AbortSignal,
  log: Log,
): Promise<ToolList> {
  const passes = createToolFilter(server.toolFilters);
  let byName = new Map<string, Tool>();
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  let gathering: NodeJS.Timeout | undefined;

  async function load(loadSignal: AbortSignal): Promise<void> {
    const fresh = new Map<string, Tool>();
    for (const tool of await downstream.listTools(loadSignal)) {
      if (passes(tool.name) && !fresh.has(tool.name)) fresh.set(tool.name, tool);
    }
    byName = fresh;
  }

  function reload(): Promise<void> {
    running = load(AbortSignal.timeout(server.limits.callTimeoutMs))
      .catch((error: unknown) =>
        log.warn(`${server.toolbox}/${server.name}: listing its tools failed: ${messageOf(error)}`),
      )
      .finally(() => {
        running = undefined;
      });
    return running;
  }

  function refresh(): Promise<void> {
    if (running === undefined) return reload();
    following ??= running.then(() => {
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
      return [...byName.values()];
    },
    get: (name) => byName.get(name),
    refresh: relist,
    changed() {
      gathering ??= setTimeout(() => void relist(), gatherChangesMs).unref();
    },
    settled: () => (gathering === undefined ? (following ?? running ?? Promise.resolve()) : relist()),
  };
}
