import type { Catalog } from '../opening/catalog.js';
import { hasRules, isReachable, judgeName } from '../rules/verdict.js';
import type { StartOptions, Supervisor } from '../servers/supervised-server.js';

/**
 * Whether a tool that was called once no longer exists for the agent: rules may have been edited since, and what it linked to is
 * gone with it. Its name counts even if the server does not list it any more. Starts the server if nothing is known of its tools, and more
 * than their names counts: while a call runs that was made before an edit, that would wait for the call.
 */
export async function isWithheld(
  name: string,
  server: Supervisor,
  catalog: Catalog,
  { signal, agent, limitMs, isFrozen = false }: StartOptions & { readonly isFrozen?: boolean | undefined },
): Promise<boolean> {
  if (!isReachable(judgeName(server.server, name))) return true;
  const known = await catalog.known(server.server);
  if (known === undefined && !hasRules(server.server) && server.server.lock !== 'strict' && !isFrozen) return false;
  const { withheld } = known ?? (await server.list({ signal, agent, limitMs })).tools;
  return withheld.has(name);
}
