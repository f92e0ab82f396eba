import type { Catalog } from '../opening/catalog.js';
import { isReachable, judgeName } from '../rules/verdict.js';
import type { StartOptions, Supervisor } from '../servers/supervised-server.js';

/**
 * Whether a tool that was called once no longer exists for the agent: rules may have been edited since, and what it linked to is
 * gone with it. Its name counts even if the server does not list it any more. Starts the server if nothing is known of its tools.
 */
export async function isWithheld(
  name: string,
  server: Supervisor,
  catalog: Catalog,
  { signal, agent, limitMs }: StartOptions,
): Promise<boolean> {
  if (!isReachable(judgeName(server.server, name))) return true;
  const known = await catalog.known(server.server);
  const { withheld } = known ?? (await server.list({ signal, agent, limitMs })).tools;
  return withheld.has(name);
}
