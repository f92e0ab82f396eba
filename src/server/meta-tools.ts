import type { Tool } from '../types.js';
import type { Overview } from '../workbench/toolbox.js';
import { toolboxLines } from './instructions.js';

const longestDescription = 2_000;

const keepLoaded = (hint: string) => ({ 'anthropic/alwaysLoad': true, 'anthropic/searchHint': hint });

/** The two tools the agent sees: always the same two, described from the configuration alone. */
export function metaTools(overview: Overview): Tool[] {
  const names = overview.toolboxes.map(({ name }) => name);
  const toolbox = {
    type: 'string',
    description: 'Name of the toolbox, as configured',
    ...(names.length > 0 && { enum: names }),
  };
  return [
    {
      name: 'open_toolbox',
      title: 'Open a toolbox',
      description: openDescription(overview),
      inputSchema: { type: 'object', properties: { toolbox }, required: ['toolbox'], additionalProperties: false },
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      _meta: keepLoaded('open a toolbox of MCP servers and list its tools'),
    },
    {
      name: 'use_tool',
      title: 'Use a tool of a toolbox',
      description:
        'Call a tool that open_toolbox listed. Pass toolbox, server and name exactly as listed there, and arguments that fit the inputSchema of the tool. The result is what the tool returned.',
      inputSchema: {
        type: 'object',
        properties: {
          tool: {
            type: 'object',
            properties: { toolbox, server: field('server'), name: field('tool') },
            required: ['toolbox', 'server', 'name'],
            additionalProperties: false,
          },
          arguments: { type: 'object', description: 'Arguments of the tool', additionalProperties: true },
        },
        required: ['tool'],
        additionalProperties: false,
      },
      _meta: keepLoaded('call a tool of a toolbox'),
    },
  ];
}

function field(what: string): { type: 'string'; description: string } {
  return { type: 'string', description: `Name of the ${what}, as listed by open_toolbox` };
}

function openDescription(overview: Overview): string {
  const lead = 'Open a toolbox: connects to its servers and lists their tools, to be called with use_tool.';
  if (overview.toolboxes.length === 0) return `${lead} No toolbox is configured.`;
  return `${lead} Toolboxes:\n${toolboxLines(overview, longestDescription - lead.length - 20)}`;
}
