import type { CallToolResult, ToolIdentifier } from '../contract/types.js';
import { isRecord } from '../jsonrpc/json.js';

const mostRoutes = 10_000;

type Origin = Pick<ToolIdentifier, 'toolbox' | 'server'>;

/** Remembers which server a URI came from. Results keep their URIs as they are: a model copies them into later calls. */
export interface ResourceRoutes {
  /** Notes every resource that a result links to or holds. */
  learn(result: CallToolResult, origin: Origin): void;
  find(uri: string): Origin | undefined;
}

export function createResourceRoutes(): ResourceRoutes {
  // In the order of their last mention, so that the first is the one to forget.
  const routes = new Map<string, Origin>();

  function note(uri: unknown, origin: Origin): void {
    if (typeof uri !== 'string') return;
    routes.delete(uri);
    routes.set(uri, origin);
    if (routes.size <= mostRoutes) return;
    const [oldest] = routes.keys();
    if (oldest !== undefined) routes.delete(oldest);
  }

  return {
    learn({ content }, { toolbox, server }) {
      const origin = { toolbox, server };
      for (const block of Array.isArray(content) ? content : []) {
        if (!isRecord(block)) continue;
        if (block.type === 'resource_link') note(block['uri'], origin);
        if (block.type === 'resource' && isRecord(block['resource'])) note(block['resource']['uri'], origin);
      }
    },
    find: (uri) => routes.get(uri),
  };
}
