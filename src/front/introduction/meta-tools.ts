import type { Tool } from '../../contract/types.js';
import type { Overview } from '../../workbench/toolbox.js';
import { textsOf } from './instructions.js';

const keepLoaded = (hint: string) => ({ 'anthropic/alwaysLoad': true, 'anthropic/searchHint': hint });

const text = { type: 'string' };

/** The two tools the agent sees, described from the configuration alone. */
export function metaTools(overview: Overview): Tool[] {
  const { inDescription, names } = textsOf(overview);
  return [
    {
      name: 'open_toolbox',
      title: 'Open a toolbox',
      description: openDescription(inDescription),
      inputSchema: {
        type: 'object',
        properties: {
          toolbox: names === undefined ? text : { ...text, enum: [...names, '*'] },
          query: { ...text, description: 'What to do, one step each, separated by ";"; or the name of a tool' },
          tools: {
            type: 'array',
            items: { anyOf: [text, { type: 'object' }] },
            description: 'Full schemas of these only: name or {server, name}',
          },
          detail: { ...text, enum: ['full', 'signatures', 'names'] },
        },
        required: ['toolbox'],
      },
      // Not `readOnlyHint`: it starts programs.
      annotations: { destructiveHint: false, idempotentHint: true },
      _meta: keepLoaded('open a toolbox of MCP servers and list its tools'),
    },
    {
      name: 'use_tool',
      title: 'Use a tool of a toolbox',
      description: 'Calls a tool that open_toolbox listed, with arguments that fit its schema.',
      inputSchema: {
        type: 'object',
        properties: {
          tool: {
            type: 'object',
            properties: { toolbox: text, server: text, name: text },
            required: ['toolbox', 'server', 'name'],
          },
          arguments: { type: 'object' },
        },
        required: ['tool'],
      },
      annotations: { destructiveHint: true, openWorldHint: true },
      _meta: keepLoaded('call a tool of a toolbox'),
    },
  ];
}

function openDescription(toolboxes: string): string {
  const lead = 'Lists the tools of a toolbox, to call with use_tool. Starts its servers.';
  if (toolboxes === '') return `${lead} No toolbox is configured.`;
  return `${lead} Toolboxes ("*" is all, to search):\n${toolboxes}`;
}
