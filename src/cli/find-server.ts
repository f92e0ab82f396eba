import type { Config, ServerConfig } from '../config/config.js';
import { nearest } from '../text/nearest.js';

/**
 * The server that two words of a command line name, or what is wrong with them. A word is never taken for something else
 * than it stands for. `command`: the right command line for a server that is elsewhere.
 */
export function findServer(
  { toolboxes }: Config,
  [toolboxName = '', serverName]: readonly string[],
  command: (server: ServerConfig) => string,
): ServerConfig | { readonly problem: string } {
  const elsewhere = (name: string) => {
    const server = [...toolboxes.values()].map(({ servers }) => servers.get(name)).find((one) => one !== undefined);
    return server && `A server of that name is in toolbox '${server.toolbox}': ${command(server)}`;
  };
  const toolbox = toolboxes.get(toolboxName);
  if (toolbox === undefined) {
    const help = elsewhere(toolboxName) ?? namesLike(toolboxName, toolboxes.keys());
    return { problem: `No toolbox '${toolboxName}'. ${help}` };
  }
  if (serverName === undefined)
    return { problem: `Which server of toolbox '${toolboxName}'? There are: ${listed(toolbox.servers.keys())}` };
  const server = toolbox.servers.get(serverName);
  if (server !== undefined) return server;
  const help = elsewhere(serverName) ?? namesLike(serverName, toolbox.servers.keys());
  return { problem: `No server '${serverName}' in toolbox '${toolboxName}'. ${help}` };
}

function namesLike(wanted: string, names: Iterable<string>): string {
  const all = [...names];
  const [similar] = nearest(wanted, all, 1);
  return `${similar === undefined ? '' : `Did you mean '${similar}'? `}There are: ${listed(all)}`;
}

function listed(names: Iterable<string>): string {
  return [...names].join(', ') || 'none';
}
