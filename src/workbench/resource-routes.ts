import type { ToolIdentifier } from '../contract/types.js';
import { maxResourceRoutes } from '../limits.js';
import type { ToolResult } from '../results/tool-result.js';

type Origin = Pick<ToolIdentifier, 'toolbox' | 'server'>;

/** Maps a resource URI to the server it came from. URIs in results are not rewritten: models copy them into later calls. */
export interface ResourceRoutes {
  /** Stores the origin of every resource that a result links to or contains. */
  learn(result: ToolResult, origin: Origin): void;
  find(uri: string): Origin | undefined;
}

export function createResourceRoutes(): ResourceRoutes {
  // In the order of last use, so that the first entry is the one to evict.
  const routes = new Map<string, Origin>();

  function note(uri: string, origin: Origin): void {
    routes.delete(uri);
    routes.set(uri, origin);
    if (routes.size <= maxResourceRoutes) return;
    const [oldest] = routes.keys();
    if (oldest !== undefined) routes.delete(oldest);
  }

  return {
    learn(result, { toolbox, server }) {
      for (const uri of result.resources()) note(uri, { toolbox, server });
    },
    find: (uri) => routes.get(uri),
  };
}
