import type { ToolIdentifier } from '../../contract/types.js';
import { longestResourceUri, maxRoutesPerServer } from '../../limits.js';
import type { ToolResult } from '../../results/tool-result.js';

type Place = Pick<ToolIdentifier, 'toolbox' | 'server'>;

/** Maps a resource URI to the server it came from. URIs in results are not rewritten: models copy them into later calls. */
export interface ResourceRoutes {
  /** Stores the origin of every resource that a result links to or contains. */
  learn(result: ToolResult, origin: ToolIdentifier): void;
  /** The tool whose result linked to it last. */
  find(uri: string): ToolIdentifier | undefined;
}

/** The URIs of a server, each with the tool that linked to it, in the order of last use. It evicts only its own: no other server can free a URI and take it over. */
interface Owner {
  readonly place: Place;
  readonly uris: Map<string, string>;
}

export function createResourceRoutes(): ResourceRoutes {
  const owners: Owner[] = [];
  const routes = new Map<string, Owner>();

  function ownerOf({ toolbox, server }: Place): Owner {
    const known = owners.find(({ place }) => place.toolbox === toolbox && place.server === server);
    if (known !== undefined) return known;
    const owner = { place: { toolbox, server }, uris: new Map<string, string>() };
    owners.push(owner);
    return owner;
  }

  function use(uri: string, { uris }: Owner, tool: string): void {
    uris.delete(uri);
    uris.set(uri, tool);
    const [oldest] = uris.keys();
    if (uris.size <= maxRoutesPerServer || oldest === undefined) return;
    uris.delete(oldest);
    routes.delete(oldest);
  }

  /** The first origin keeps the URI: another server's result must not decide where it is read from. */
  function note(uri: string, owner: Owner, tool: string): void {
    if (uri.length > longestResourceUri || (routes.get(uri) ?? owner) !== owner) return;
    routes.set(uri, owner);
    use(uri, owner, tool);
  }

  return {
    learn(result, origin) {
      const uris = result.resources();
      if (uris.length === 0) return;
      const owner = ownerOf(origin);
      for (const uri of uris) note(uri, owner, origin.name);
    },
    find(uri) {
      const owner = routes.get(uri);
      const name = owner?.uris.get(uri);
      if (owner === undefined || name === undefined) return undefined;
      use(uri, owner, name);
      return { ...owner.place, name };
    },
  };
}
