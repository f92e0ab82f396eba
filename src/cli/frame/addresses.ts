import type { ServerFileEntry, ToolboxFileEntry } from '../../config/schema/schema.js';
import { WorkbenchError } from '../../contract/errors.js';
import { nearest } from '../../text/nearest.js';
import { ownCommand } from '../../text/own-command.js';
import { shorten } from '../../text/shorten.js';

/** The toolboxes and servers of a configuration, by name. */
type Toolboxes = ReadonlyMap<string, ToolboxFileEntry>;

/** What the words of a command stand for, as far as there are words. */
export interface Address {
  readonly toolbox?: { readonly name: string; readonly entry: ToolboxFileEntry };
  readonly server?: { readonly name: string; readonly entry: ServerFileEntry };
  /** As given: what tools there are is known to the server. */
  readonly tool?: string;
}

/**
 * Finds the toolbox and the server that words name. Nothing is guessed: an unknown name is an error with what there is.
 * `options`: those of the command, for the suggestion.
 */
export function findAddress(
  words: readonly string[],
  toolboxes: Toolboxes,
  command: string,
  options: readonly string[] = [],
): Address {
  const [toolboxName, serverName, tool] = words;
  if (toolboxName === undefined) return {};
  const entry = toolboxes.get(toolboxName);
  if (entry === undefined) throw noToolbox(words, toolboxes, (meant) => ownCommand(command, meant, options));
  const toolbox = { name: toolboxName, entry };
  if (serverName === undefined) return { toolbox };
  const server = entry.mcpServers.get(serverName);
  if (server === undefined) throw noServer(words, toolboxes, (meant) => ownCommand(command, meant, options));
  return { toolbox, server: { name: serverName, entry: server }, ...(tool !== undefined && { tool }) };
}

/** A tool that the server does not have, or a filter hides. */
export function noTool(words: readonly string[], names: readonly string[]): WorkbenchError {
  const [toolbox = '', server = '', tool = ''] = words;
  const text = `Tool '${shown(tool)}' not found in server '${shown(server)}' (toolbox '${shown(toolbox)}').`;
  const near = didYouMean(tool, names);
  return new WorkbenchError('TOOL_NOT_FOUND', near === undefined ? text : `${text} ${near}`, {
    place: { toolbox, server, tool },
  });
}

/** For a command that needs the name of a server as well. */
export function whichServer({ name, entry }: NonNullable<Address['toolbox']>): WorkbenchError {
  const text = `Which server of toolbox '${shown(name)}'? ${thereAre([...entry.mcpServers.keys()])}`;
  return new WorkbenchError('SERVER_NOT_FOUND', text, { place: { toolbox: name } });
}

type Suggest = (words: readonly string[]) => string;

function noToolbox(words: readonly string[], toolboxes: Toolboxes, suggest: Suggest): WorkbenchError {
  const [toolbox = '', ...others] = words;
  const text = `No toolbox '${shown(toolbox)}'.`;
  const owners = [...toolboxes].filter(([, { mcpServers }]) => mcpServers.has(toolbox)).map(([name]) => name);
  const [owner] = owners;
  const hint =
    owner === undefined
      ? [didYouMean(toolbox, [...toolboxes.keys()]), thereAre([...toolboxes.keys()])].filter(Boolean).join(' ')
      : `A server of that name is in toolbox ${quoted(owners)}: ${suggest([owner, toolbox, ...others])}`;
  return new WorkbenchError('TOOLBOX_NOT_FOUND', `${text} ${hint}`, { place: { toolbox } });
}

function noServer(words: readonly string[], toolboxes: Toolboxes, suggest: Suggest): WorkbenchError {
  const [toolbox = '', server = '', ...others] = words;
  const names = [...(toolboxes.get(toolbox)?.mcpServers.keys() ?? [])];
  const owners = [...toolboxes].filter(([, { mcpServers }]) => mcpServers.has(server)).map(([name]) => name);
  const [owner] = owners;
  const text = `No server '${shown(server)}' in toolbox '${shown(toolbox)}'.`;
  const hint =
    owner === undefined
      ? [didYouMean(server, names), thereAre(names)].filter(Boolean).join(' ')
      : `Toolbox ${quoted(owners)} has one of that name: ${suggest([owner, server, ...others])}`;
  return new WorkbenchError('SERVER_NOT_FOUND', `${text} ${hint}`, { place: { toolbox, server } });
}

const longestName = 200;
const longestList = 800;
const maxOwners = 3;

function shown(name: string): string {
  return shorten(name, longestName);
}

function quoted(names: readonly string[]): string {
  return names
    .slice(0, maxOwners)
    .map((name) => `'${shown(name)}'`)
    .join(', ');
}

function didYouMean(wanted: string, names: readonly string[]): string | undefined {
  const [similar] = nearest(wanted, names, 1);
  return similar === undefined ? undefined : `Did you mean '${shown(similar)}'?`;
}

function thereAre(names: readonly string[]): string {
  return names.length === 0 ? 'There are none.' : `There are: ${shorten(names.join(', '), longestList)}`;
}
