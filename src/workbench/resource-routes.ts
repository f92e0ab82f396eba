import type { ToolIdentifier } from '../contract/types.js';
import { longestResourceUri, maxRoutesPerServer } from '../limits.js';
import type { ToolResult } from '../results/tool-result.js';

type Origin = Pick<ToolIdentifier, 'toolbox' | 'server'>;

/** Maps a resource URI to the server it came from. URIs in results are not rewritten: models copy them into later calls. */
export interface ResourceRoutes {
  /** Stores the origin of every resource that a result links to or contains. */
  learn(result: ToolResult, origin: Origin): void;
  find(uri: string): Origin | undefined;
}

/** The URIs of a server in the order of last use. It evicts only its own: no other server can free a URI and take it over. */
interface Owner {
  readonly origin: Origin;
  readonly uris: Set<string>;
}

export function createResourceRoutes(): ResourceRoutes {
  const owners: Owner[] = [];
  const routes = new Map<string, Owner>();

  function ownerOf({ toolbox, server }: Origin): Owner {
    const known = owners.find(({ origin }) => origin.toolbox === toolbox && origin.server === server);
    if (known !== undefined) return known;
    const owner = { origin: { toolbox, server }, uris: new Set<string>() };
    owners.push(owner);
    return owner;
  }

  function use(uri: string, { uris }: Owner): void {
    uris.delete(uri);
    uris.add(uri);
    const [oldest] = uris;
    if (uris.size <= maxRoutesPerServer || oldest === undefined) return;
    uris.delete(oldest);
    routes.delete(oldest);
  }

  /** The first origin keeps the URI: another server's result must not decide where it is read from. */
  function note(uri: string, owner: Owner): void {
    if (uri.length > longestResourceUri || (routes.get(uri) ?? owner) !== owner) return;
    routes.set(uri, owner);
    use(uri, owner);
  }

  return {
    learn(result, origin) {
      const uris = result.resources();
      if (uris.length === 0) return;
      const owner = ownerOf(origin);
      for (const uri of uris) note(uri, owner);
    },
    find(uri) {
      const owner = routes.get(uri);
      if (owner !== undefined) use(uri, owner);
      return owner?.origin;
    },
  };
}
