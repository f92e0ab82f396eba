import type { Tool, ToolIdentifier } from '../../contract/types.js';
import { createTurns } from '../../platform/turns.js';
import type { SessionLock } from '../lock/session-lock.js';
import type { Catalog } from '../opening/catalog.js';
import type { CallOptions } from '../ports/downstream.js';
import { isDifference, isReachable, judgeName } from '../rules/verdict.js';
import { connectFailedFor } from '../servers/failures.js';
import type { Supervisor } from '../servers/supervised-server.js';
import type { Toolbox } from '../servers/toolbox.js';
import { serverNotFound, toolboxNotFound, toolNotFound } from './not-found.js';

type ServerPlace = Pick<ToolIdentifier, 'toolbox' | 'server'>;

/** Finds what a call names. Throws `…_NOT_FOUND` with what there is instead. */
export interface Finder {
  toolbox(name: string): Toolbox;
  /** `name`: of the tool that is wanted of it. */
  server(place: ServerPlace & Partial<Pick<ToolIdentifier, 'name'>>): Supervisor;
  /** Starts the server if need be. */
  tool(server: Supervisor, id: ToolIdentifier, options: CallOptions): Promise<Tool>;
}

export interface FinderOptions {
  readonly boxes: () => ReadonlyMap<string, Toolbox>;
  readonly catalog: Catalog;
  readonly lock: SessionLock | undefined;
  /** How long a call may wait for a server that starts. */
  readonly openTimeoutMs: () => number;
}

export function createFinder({ boxes, catalog, lock, openTimeoutMs }: FinderOptions): Finder {
  const turns = createTurns();

  function findToolbox(name: string): Toolbox {
    const toolbox = boxes().get(name);
    if (toolbox === undefined) throw toolboxNotFound(name, [...boxes().keys()]);
    return toolbox;
  }

  /** A tool that is not in the known list may be new: lists once more before "not found". */
  async function lookUpTool(server: Supervisor, id: ToolIdentifier, { signal, agent }: CallOptions): Promise<Tool> {
    const deadline = performance.now() + openTimeoutMs();
    const options = () => ({ agent, signal, limitMs: Math.max(0, deadline - performance.now()) });
    const known = (await server.list(options())).tools.get(id.name);
    if (known !== undefined) return known;
    const { tools } = await server.wake(options());
    await Promise.all([tools.lookAgain(), lock?.refresh()]);
    const fresh = tools.get(id.name);
    if (fresh !== undefined) return fresh;
    const names = tools.tools.map((tool) => tool.name);
    // A tool that a filter or rule withholds here must not be answered with where else it is.
    const verdict = tools.withheld.get(id.name) ?? judgeName(server.server, id.name);
    if (lock !== undefined && isDifference(verdict)) throw lock.refusal(server.server, id, verdict);
    // Many wrong names may have waited for the same listing, and comparing one with thousands takes a while.
    await turns.next();
    throw toolNotFound(id, names, isReachable(verdict) ? await catalog.whereIs(id.name) : []);
  }

  return {
    toolbox: findToolbox,

    server({ toolbox, server, name }) {
      const { servers } = findToolbox(toolbox);
      const found = servers.get(server);
      if (found !== undefined) return found;
      const elsewhere = [...boxes().values()].filter((box) => mayOffer(box.servers.get(server), name));
      const boxNames = elsewhere.map(({ config }) => config.name);
      throw serverNotFound({ toolbox, server }, [...servers.keys()], boxNames);
    },

    async tool(server, id, options) {
      try {
        return await lookUpTool(server, id, options);
      } catch (cause) {
        throw await connectFailedFor(server.server, cause);
      }
    },
  };
}

/** Whether the agent may be sent to this server for the tool: not if it is disabled, or a filter or rule hides the tool. */
function mayOffer(found: Supervisor | undefined, tool: string | undefined): boolean {
  if (found === undefined || found.server.disabled) return false;
  return tool === undefined || isReachable(judgeName(found.server, tool));
}
