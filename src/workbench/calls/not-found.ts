import { WorkbenchError } from '../../contract/errors.js';
import type { ToolIdentifier } from '../../contract/types.js';
import { nearest } from '../../text/nearest.js';
import { shorten } from '../../text/shorten.js';

type ServerPlace = Pick<ToolIdentifier, 'toolbox' | 'server'>;

const longestList = 800;
const maxPlaces = 3;

export function toolboxNotFound(toolbox: string, names: readonly string[]): WorkbenchError {
  const available = shorten(names.join(', '), longestList) || 'none is configured';
  const text = `Toolbox '${shorten(toolbox, 200)}' not found. Available toolboxes: ${available}`;
  return new WorkbenchError('TOOLBOX_NOT_FOUND', text, { place: { toolbox }, hint: didYouMean(toolbox, names) });
}

/** `elsewhere`: toolboxes with a server of this name of which something may be shown. */
export function serverNotFound(
  { toolbox, server }: ServerPlace,
  names: readonly string[],
  elsewhere: readonly string[],
): WorkbenchError {
  const hints = [
    didYouMean(server, names),
    elsewhere.length > 0 &&
      `Toolbox ${quoted(elsewhere.slice(0, maxPlaces))} has a server of this name; open it to see its tools.`,
    `Servers in '${toolbox}': ${shorten(names.join(', '), longestList)}.`,
  ];
  const text = `Server '${shorten(server, 200)}' not found in toolbox '${toolbox}'`;
  return new WorkbenchError('SERVER_NOT_FOUND', text, { place: { toolbox, server }, hint: joined(hints) });
}

/**
 * `elsewhere`: servers with a known tool of this name. A complete call is suggested only within the toolbox: the user grouped
 * the servers, and another toolbox may be for other accounts.
 */
export function toolNotFound(
  { toolbox, server, name }: ToolIdentifier,
  names: readonly string[],
  elsewhere: readonly ServerPlace[],
): WorkbenchError {
  const near = didYouMean(name, names);
  const beside = elsewhere.find((other) => other.toolbox === toolbox);
  const others = new Set(elsewhere.map((other) => other.toolbox));
  const hints = [
    near,
    beside && `Another server has a tool of this name: call use_tool({"tool":${JSON.stringify({ ...beside, name })}}).`,
    beside === undefined &&
      others.size > 0 &&
      `Toolbox ${quoted([...others].slice(0, maxPlaces))} has a tool of this name.`,
    near === undefined &&
      `Call open_toolbox(${JSON.stringify({ toolbox, query: shorten(name, 100) })}) to search for tools.`,
  ];
  const text = `Tool '${shorten(name, 200)}' not found in server '${server}' (toolbox '${toolbox}')`;
  return new WorkbenchError('TOOL_NOT_FOUND', text, { place: { toolbox, server, tool: name }, hint: joined(hints) });
}

export function resourceNotFound(uri: string): WorkbenchError {
  return new WorkbenchError('RESOURCE_NOT_FOUND', `Resource '${shorten(uri, 300)}' not found`, {
    hint: 'Only resources linked from a use_tool result can be read. Call the tool that linked to it again, then retry.',
  });
}

function didYouMean(wanted: string, names: readonly string[]): string | undefined {
  const near = nearest(wanted, names);
  return near.length === 0 ? undefined : `Did you mean ${quoted(near)}?`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(' or ');
}

function joined(hints: readonly (string | false | undefined)[]): string {
  return hints.filter((hint) => typeof hint === 'string').join(' ');
}
