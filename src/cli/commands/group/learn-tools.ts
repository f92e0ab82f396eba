import { type KnownServer, knownServers } from '../../../inspect/known-servers.js';
import type { Call } from '../../frame/command.js';
import type { Configured } from '../../frame/configured.js';
import { plural } from '../../frame/screen/amounts.js';
import { withSession } from '../../frame/with-session.js';
import { listServers } from '../approve/list-servers.js';
import type { LearnedServer } from './read-grouping.js';

/** The servers with the tools that are known. Starts nothing. */
export async function knownTools(
  configured: Configured,
  { computer }: Pick<Call, 'computer'>,
): Promise<LearnedServer[]> {
  const known = await knownServers(configured, computer, {});
  return known.map(learned);
}

function learned({ toolbox, server, tools, description, instructions }: KnownServer): LearnedServer {
  return { toolbox, server, tools, says: description ?? instructions };
}

/** The same, after every server of these has been started whose tools are not known. One that cannot be started stays unknown. */
export async function learnTools(
  servers: readonly LearnedServer[],
  isWanted: (server: LearnedServer) => boolean,
  call: Call,
): Promise<LearnedServer[]> {
  const unknown = servers.filter((one) => one.tools === undefined && isWanted(one));
  if (unknown.length === 0) return [...servers];
  call.output.talk(`starting ${plural(unknown.length, 'server')}, to see their tools`);
  const found = await withSession(
    call,
    () => ({}),
    async ({ session, config, signal }) => {
      const wanted = unknown.flatMap(({ toolbox, server }) => config.toolboxes.get(toolbox)?.servers.get(server) ?? []);
      return listServers(session, wanted, signal, { mayOpenBrowser: false }, call.output);
    },
  );
  const listed = found.flatMap((one) => ('listing' in one ? [one] : []));
  call.output.talk(`${listed.length} of ${unknown.length} listed them`);
  return servers.map((one) => {
    const now = listed.find(({ names }) => names.toolbox === one.toolbox && names.server === one.server);
    return now === undefined
      ? one
      : { ...one, tools: now.listing.reachable, says: one.says ?? now.listing.instructions };
  });
}
