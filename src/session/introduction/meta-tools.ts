import type { Overview } from '../../config/overview.js';
import type { Tool } from '../../contract/types.js';
import { exampleCall, textsOf } from './instructions.js';

const keepLoaded = (hint: string) => ({ 'anthropic/alwaysLoad': true, 'anthropic/searchHint': hint });

const text = { type: 'string' };

/** The header that repeats the toolbox of a request, where proxies see headers. */
const marked = { ...text, 'x-mcp-header': 'Toolbox' };

/** The two tools the agent sees, described from the configuration alone. `marksHeaders`: over HTTP. */
export function metaTools(overview: Overview, { marksHeaders = false } = {}): Tool[] {
  const toolbox = marksHeaders ? marked : text;
  const { named, described, names } = textsOf(overview);
  return [
    {
      name: 'open_toolbox',
      title: 'Open a toolbox',
      description: openDescription(named, described, overview.fault !== undefined),
      inputSchema: {
        type: 'object',
        properties: {
          toolbox: names === undefined ? toolbox : { ...toolbox, enum: [...names, '*'] },
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
      description: useDescription(named, exampleCall(overview)),
      inputSchema: {
        type: 'object',
        properties: {
          tool: {
            type: 'object',
            properties: { toolbox, server: text, name: text },
            required: ['toolbox', 'server', 'name'],
          },
          arguments: { type: 'object' },
          result: { type: 'object', description: 'Part of a large result: {select: JMESPath} or {find: text}' },
        },
        required: ['tool'],
      },
      annotations: { destructiveHint: true, openWorldHint: true },
      _meta: keepLoaded('call a tool of a toolbox'),
    },
  ];
}

// Instructions reach the model in some clients only. Where a client has a search of its own, the model may see no more than 160
// characters of the first line before it searches, so the names come early.

function openDescription(named: string, described: string, isFaulty: boolean): string {
  const how = 'Starts its servers and lists their tools, to call with use_tool; "query" finds some.';
  const why = isFaulty ? 'The configuration file has a fault; a call says which.' : 'No toolbox is configured.';
  if (named === '') return `Opens a toolbox. ${how} ${why}`;
  return `Opens a toolbox of MCP servers: ${named}\n${how} "*" is all toolboxes, to search.\n${described}`.trimEnd();
}

function useDescription(named: string, example: string): string {
  const how = 'As open_toolbox lists it, with arguments that fit its schema';
  if (named === '') return `Calls a tool of a toolbox. ${how}.`;
  return `Calls a tool of a toolbox: ${named}\n${how}: ${example}`;
}
