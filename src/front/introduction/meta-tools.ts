import type { Tool } from '../../contract/types.js';
import type { Overview } from '../../workbench/toolbox.js';
import { exampleCall, textsOf } from './instructions.js';

const keepLoaded = (hint: string) => ({ 'anthropic/alwaysLoad': true, 'anthropic/searchHint': hint });

const text = { type: 'string' };

/** The two tools the agent sees, described from the configuration alone. */
export function metaTools(overview: Overview): Tool[] {
  const { named, described, names } = textsOf(overview);
  return [
    {
      name: 'open_toolbox',
      title: 'Open a toolbox',
      description: openDescription(named, described),
      inputSchema: {
        type: 'object',
        properties: {
          toolbox: names === undefined ? text : { ...text, enum: [...names, '*'] },
          query: { ...text, description: 'Find tools for a task' },
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
      description: useDescription(named, exampleCall(overview)),
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

// Instructions reach the model in some clients only, and search of some others reads the first line only.

function openDescription(named: string, described: string): string {
  const lead = 'Lists the tools of a toolbox, to call with use_tool.';
  if (named === '') return `${lead} No toolbox is configured.`;
  return `${lead} Toolboxes (servers): ${named}\nStarts its servers. "*" is all toolboxes, to search.\n${described}`.trimEnd();
}

function useDescription(named: string, example: string): string {
  const lead = 'Calls a tool that open_toolbox listed, with arguments that fit its schema.';
  return named === '' ? lead : `${lead} Toolboxes (servers): ${named}\n${example}`;
}
