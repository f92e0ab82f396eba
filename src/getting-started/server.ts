import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { version } from '../platform/version.js';
import { guide, topicNames } from './guide.js';

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

const textResult = (text: string) => ({ content: [{ type: 'text' as const, text }] });

/** The server of the embedded toolbox `getting-started`: it explains the configuration, checks one, and echoes text. */
export function createGettingStartedServer(check: (configuration: string) => string): McpServer {
  const server = new McpServer({ name: 'getting-started', version });

  server.registerTool(
    'how_to_configure',
    {
      description:
        'Explains how to write the configuration of MCP Workbench and where to put it, with a minimal example.',
      annotations,
      inputSchema: z.object({
        topic: z
          .enum(topicNames, { error: `the topics are ${topicNames.join(', ')}; omit it for all of them` })
          .optional()
          .describe('One topic; all of them if omitted'),
      }),
    },
    ({ topic }) => textResult(guide(topic)),
  );

  server.registerTool(
    'check_configuration',
    {
      description:
        'Checks the text of a configuration: lists its faults with line, column, place and remedy, or the toolboxes and servers of a valid one. Starts and saves nothing.',
      annotations,
      inputSchema: z.object({
        text: z
          .string({ error: 'pass the whole content of workbench-config.json as one string' })
          .describe('The content of workbench-config.json'),
      }),
    },
    ({ text }) => textResult(check(text)),
  );

  server.registerTool(
    'echo',
    {
      description: 'Returns the text unchanged: a first call to try.',
      annotations,
      inputSchema: z.object({ text: z.string({ error: 'pass any text as a string' }).describe('Any text') }),
    },
    ({ text }) => textResult(text),
  );

  return server;
}
