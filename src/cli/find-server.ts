import type { Config, ServerConfig } from '../config/config.js';
import { nearest } from '../text/nearest.js';
import { ownCommand } from '../text/own-command.js';

/** The server that two words of a command line name, or what is wrong with them. A word is never taken for something else than it stands for. */
export function findServer(
  { toolboxes }: Config,
  command: string,
  [toolboxName = '', serverName]: readonly string[],
): ServerConfig | { readonly problem: string } {
  const toolbox = toolboxes.get(toolboxName);
  if (toolbox === undefined) {
    const holder = [...toolboxes.values()].find(({ servers }) => servers.has(toolboxName));
    const elsewhere = holder && serverElsewhere(command, holder.name, toolboxName);
    return { problem: `No toolbox '${toolboxName}'. ${elsewhere ?? namesLike(toolboxName, toolboxes.keys())}` };
  }
  if (serverName === undefined)
    return { problem: `Which server of toolbox '${toolboxName}'? There are: ${listed(toolbox.servers.keys())}` };
  const server = toolbox.servers.get(serverName);
  if (server !== undefined) return server;
  const holder = [...toolboxes.values()].find(({ servers }) => servers.has(serverName));
  const elsewhere = holder && serverElsewhere(command, holder.name, serverName);
  const help = elsewhere ?? namesLike(serverName, toolbox.servers.keys());
  return { problem: `No server '${serverName}' in toolbox '${toolboxName}'. ${help}` };
}

function serverElsewhere(command: string, toolbox: string, server: string): string {
  return `A server of that name is in toolbox '${toolbox}': ${ownCommand(command, [toolbox, server])}`;
}

function namesLike(wanted: string, names: Iterable<string>): string {
  const all = [...names];
  const [similar] = nearest(wanted, all, 1);
  return `${similar === undefined ? '' : `Did you mean '${similar}'? `}There are: ${listed(all)}`;
}

function listed(names: Iterable<string>): string {
  return [...names].join(', ') || 'none';
}
