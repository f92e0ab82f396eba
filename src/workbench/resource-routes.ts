import type { ToolIdentifier } from '../contract/types.js';
import type { ToolResult } from '../results/tool-result.js';

const mostRoutes = 10_000;

type Origin = Pick<ToolIdentifier, 'toolbox' | 'server'>;

/** Remembers which server a URI came from. Results keep their URIs as they are: a model copies them into later calls. */
export interface ResourceRoutes {
  /** Notes every resource that a result links to or holds. */
  learn(result: ToolResult, origin: Origin): void;
  find(uri: string): Origin | undefined;
}

export function createResourceRoutes(): ResourceRoutes {
  // In the order of their last mention, so that the first is the one to forget.
  const routes = new Map<string, Origin>();

  function note(uri: string, origin: Origin): void {
    routes.delete(uri);
    routes.set(uri, origin);
    if (routes.size <= mostRoutes) return;
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
