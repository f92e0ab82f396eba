import { shorten } from '../shorten.js';
import type { Overview, ToolboxOverview } from '../workbench/toolbox.js';

const longest = 2_000;

/** What the agent is told first: how to work, then what there is. Made from the configuration alone. */
export function instructions(overview: Overview): string {
  const [example] = overview.toolboxes;
  if (example === undefined) return `${noToolbox(overview)}\n${origin(overview)}`;
  const lead = [
    'MCP Workbench groups MCP servers into toolboxes. Servers start when they are needed.',
    '1. open_toolbox({"toolbox": NAME}) lists the tools of a toolbox with their schemas.',
    '2. use_tool calls one of them; toolbox, server and name as listed. Example:',
    exampleCall(example),
    origin(overview),
    'Toolboxes:',
  ].join('\n');
  return `${lead}\n${toolboxLines(overview, longest - lead.length - 1)}`;
}

function exampleCall({ name, servers }: ToolboxOverview): string {
  const [server = ''] = servers;
  const tool = { toolbox: shorten(name, 100), server: shorten(server, 100), name: 'a_tool_it_lists' };
  return `use_tool(${JSON.stringify({ tool, arguments: {} })})`;
}

function origin({ configFile }: Overview): string {
  return configFile !== undefined
    ? `Configuration: ${shorten(configFile, 300)}`
    : 'Configuration: none was found, this is the embedded default. Its tools explain how to write one.';
}

function noToolbox({ configFile }: Overview): string {
  const where = configFile !== undefined ? 'the configuration file' : 'a file workbench-config.json';
  return `MCP Workbench has no toolbox configured, so there are no tools to use. To add one, put into ${where}: {"toolboxes": {"NAME": {"description": "what it is for", "mcpServers": {"SERVER": {"command": "npx", "args": ["-y", "PACKAGE"]}}}}} and restart the client.`;
}

/** The toolboxes, as much of each as fits: with descriptions, or their names, or as many names as there is room for. */
export function toolboxLines({ toolboxes }: Overview, room: number): string {
  const all = toolboxes;
  const full = all.map(describe).join('\n');
  if (full.length <= room) return full;
  const perToolbox = Math.floor(room / all.length) - 1;
  const short = all.map((toolbox) => shorten(describe(toolbox), perToolbox)).join('\n');
  if (all.every(({ name }) => name.length + 20 <= perToolbox)) return short;
  return namesThatFit(all, room);
}

function namesThatFit(all: readonly ToolboxOverview[], room: number): string {
  const rest = '… (open_toolbox knows the others)';
  let text = '';
  for (const [index, { name }] of all.entries()) {
    const next = text === '' ? name : `${text}, ${name}`;
    const isLast = index === all.length - 1;
    if (next.length + (isLast ? 0 : rest.length + 2) > room) return text === '' ? rest : `${text}, ${rest}`;
    text = next;
  }
  return text;
}

function describe({ name, description, servers }: ToolboxOverview): string {
  return `- ${name} (${servers.length} ${servers.length === 1 ? 'server' : 'servers'}): ${description.replace(/\s+/g, ' ').trim()}`;
}
