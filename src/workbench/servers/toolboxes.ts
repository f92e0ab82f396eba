import type { Config, ServerConfig, ToolboxConfig } from '../../config/config.js';
import type { Supervisor } from './supervised-server.js';
import type { Toolbox } from './toolbox.js';

/** The toolboxes of the configuration in use, with a supervisor for each server. */
export interface Toolboxes {
  /** In the order of the configuration. */
  readonly current: ReadonlyMap<string, Toolbox>;
  /**
   * Takes another configuration. A server whose fingerprint stays the same continues; one whose fingerprint has changed gets a
   * new supervisor, and the old one ends when its calls have. A removed one ends in the same way.
   */
  apply(config: Config): void;
  /** Ends every server, at once. */
  close(): Promise<void>;
}

/** `previous`: resolves when the process that served the same names before has ended. */
export type Supervise = (server: ServerConfig, waitMs: number, previous?: Promise<void>) => Supervisor;

export function createToolboxes(supervise: Supervise): Toolboxes {
  const leaving = new Set<{ readonly supervisor: Supervisor; readonly ended: Promise<void> }>();
  let current: ReadonlyMap<string, Toolbox> = new Map();
  let waitedMs = 0;

  /** Its calls have their own limit, which is the longest that is waited for them. */
  function retire(supervisor: Supervisor, successor: (() => Supervisor) | undefined): Promise<void> {
    const ended = supervisor.retire(supervisor.server.limits.callTotalTimeoutMs, successor);
    const entry = { supervisor, ended: ended.finally(() => leaving.delete(entry)) };
    leaving.add(entry);
    return entry.ended;
  }

  /** Resolves when the processes of servers with the same names, which were removed before, have ended. */
  function predecessorsOf({ toolbox, name }: ServerConfig): Promise<void> | undefined {
    const same = [...leaving].filter(
      ({ supervisor: { server } }) => server.toolbox === toolbox && server.name === name,
    );
    return same.length === 0 ? undefined : Promise.all(same.map(({ ended }) => ended)).then(() => {});
  }

  function supervisorFor(server: ServerConfig, waitMs: number): Supervisor {
    const known = current.get(server.toolbox)?.servers.get(server.name);
    if (known === undefined) return supervise(server, waitMs, predecessorsOf(server));
    if (known.server.fingerprint !== server.fingerprint) {
      const successor: Supervisor = supervise(
        server,
        waitMs,
        retire(known, () => successor),
      );
      return successor;
    }
    if (!isSame(known.server, server)) known.adjust(server, waitMs);
    else if (waitMs !== waitedMs) known.adjust(known.server, waitMs);
    return known;
  }

  function toolboxFor(config: ToolboxConfig, waitMs: number): Toolbox {
    const servers = new Map(Array.from(config.servers, ([name, server]) => [name, supervisorFor(server, waitMs)]));
    const kept = new Map(Array.from(servers, ([name, { server }]) => [name, server]));
    return { config: { ...config, servers: kept }, servers };
  }

  return {
    get current() {
      return current;
    },
    apply({ toolboxes, openTimeoutMs }) {
      const next = new Map(Array.from(toolboxes, ([name, config]) => [name, toolboxFor(config, openTimeoutMs)]));
      const removed = supervisorsIn(current).filter(
        ({ server: { toolbox, name } }) => next.get(toolbox)?.servers.has(name) !== true,
      );
      for (const supervisor of removed) void retire(supervisor, undefined);
      current = next;
      waitedMs = openTimeoutMs;
    },
    async close() {
      const all = [...supervisorsIn(current), ...Array.from(leaving, ({ supervisor }) => supervisor)];
      await Promise.allSettled(all.map((supervisor) => supervisor.close()));
    },
  };
}

function supervisorsIn(toolboxes: ReadonlyMap<string, Toolbox>): Supervisor[] {
  return [...toolboxes.values()].flatMap(({ servers }) => [...servers.values()]);
}

/** Whether nothing of the entry has changed, also nothing that can be changed while the server runs. */
function isSame(one: ServerConfig, other: ServerConfig): boolean {
  const rest = ({ toolFilters, excludedTools, rules, earlier, lock, limits, cacheKey, target }: ServerConfig) =>
    // The place of an entry may have changed, which messages name.
    JSON.stringify([
      toolFilters,
      excludedTools,
      rules,
      earlier,
      lock,
      limits,
      cacheKey,
      target.kind === 'late' && target.written,
    ]);
  return rest(one) === rest(other);
}
