import type { Tool } from '../contract/types.js';
import type { JsonObject } from '../jsonrpc/json.js';
import { guide, isTopic, topicNames } from './guide.js';

/** A tool of the embedded toolbox. `call` returns the text of the result, or throws an error whose message says what to pass. */
export interface GuideTool extends Tool {
  call(args: JsonObject): string;
}

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** `check` lists the faults of a configuration, or its contents. */
export function createTools(check: (configuration: string) => string): readonly GuideTool[] {
  return [
    {
      name: 'how_to_configure',
      description:
        'Explains how to write the configuration of MCP Workbench and where to put it, with a minimal example.',
      annotations,
      inputSchema: {
        type: 'object',
        properties: {
          topic: { type: 'string', enum: [...topicNames], description: 'One topic; all of them if omitted' },
        },
      },
      call({ topic }) {
        if (topic === undefined || isTopic(topic)) return guide(topic);
        throw new Error(`topic: the topics are ${topicNames.join(', ')}; omit it for all of them`);
      },
    },
    {
      name: 'check_configuration',
      description:
        'Checks the text of a configuration: lists its faults with line, column, place and remedy, or the toolboxes and servers of a valid one. Starts and saves nothing.',
      annotations,
      inputSchema: textSchema('The content of workbench-config.json'),
      call: (args) => check(textIn(args, 'pass the whole content of workbench-config.json as one string')),
    },
    {
      name: 'echo',
      description: 'Returns the text unchanged: a first call to try.',
      annotations,
      inputSchema: textSchema('Any text'),
      call: (args) => textIn(args, 'pass any text as a string'),
    },
  ];
}

function textSchema(description: string): Tool['inputSchema'] {
  return { type: 'object', properties: { text: { type: 'string', description } }, required: ['text'] };
}

function textIn({ text }: JsonObject, remedy: string): string {
  if (typeof text === 'string') return text;
  throw new Error(`text: ${remedy}`);
}
