import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { messageOf } from '../errors.js';
import { isRecord } from '../json.js';
import type { Log } from '../log.js';
import { type CallToolResult, OpenToolboxInputSchema, UseToolInputSchema } from '../types.js';
import type { CallOptions, Progress } from '../workbench/downstream.js';
import type { Workbench } from '../workbench/workbench.js';
import { answer, parseInput } from './answers.js';
import { cacheHint, capabilities, serverInfo } from './identity.js';
import { instructions } from './instructions.js';
import { metaTools } from './meta-tools.js';
import { project } from './project.js';

const oldestRevision = '2024-11-05';

/** Serves a workbench to one agent, in whichever protocol revision the agent speaks, until the agent goes. */
export function serve(workbench: Workbench, transport: Transport, log: Log): void {
  serveStdio(() => createServer(workbench, log), {
    transport,
    onerror: (error) => log.warn(`agent: ${error.message}`),
  });
}

function createServer(workbench: Workbench, log: Log): Server {
  const overview = workbench.overview();
  const server = new Server(serverInfo, {
    capabilities,
    instructions: instructions(overview),
    cacheHints: { 'tools/list': cacheHint, 'server/discover': cacheHint },
  });
  server.setRequestHandler('tools/list', () => ({ tools: metaTools(overview) }));
  // Not setRequestHandler: that would validate the result and drop every field that the SDK does not know.
  server.fallbackRequestHandler = async ({ method, params }, context) => {
    if (method !== 'tools/call') throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    const result = await callMetaTool(workbench, params ?? {}, context, log);
    return project(result, server.getNegotiatedProtocolVersion() ?? oldestRevision);
  };
  server.onerror = (error) => log.warn(`agent: ${messageOf(error)}`);
  return server;
}

function callMetaTool(
  workbench: Workbench,
  params: Readonly<Record<string, unknown>>,
  context: ServerContext,
  log: Log,
): Promise<CallToolResult> {
  const input = params['arguments'] ?? {};
  switch (params['name']) {
    case 'open_toolbox':
      return answer(log, async () => {
        const { toolbox } = parseInput(OpenToolboxInputSchema, input);
        const opened = await workbench.openToolbox(toolbox, openOptions(context));
        return { content: [{ type: 'text', text: JSON.stringify(opened) }] };
      });
    case 'use_tool':
      return answer(log, async () => {
        const call = parseInput(UseToolInputSchema, input);
        return workbench.useTool(call.tool, call.arguments, callOptions(context));
      });
    default:
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Unknown tool: ${JSON.stringify(params['name'])}. There are open_toolbox and use_tool; tools of a toolbox are called through use_tool.`,
      );
  }
}

function openOptions(context: ServerContext) {
  const notify = progressNotifier(context);
  return {
    signal: context.mcpReq.signal,
    onProgress: ({ ready, total, message }: { ready: number; total: number; message: string }) =>
      notify?.({ progress: ready, total, message }),
  };
}

function callOptions(context: ServerContext): CallOptions {
  const onProgress = progressNotifier(context);
  return { signal: context.mcpReq.signal, ...(onProgress && { onProgress }) };
}

/** Progress goes to the agent under the agent's own token, and only if it asked. */
function progressNotifier({ mcpReq }: ServerContext): ((progress: Progress) => void) | undefined {
  const token = isRecord(mcpReq._meta) ? mcpReq._meta['progressToken'] : undefined;
  if (typeof token !== 'string' && typeof token !== 'number') return undefined;
  return (progress) => {
    // A notification that cannot be delivered is no loss: the agent is gone, and its call is being cancelled.
    mcpReq.notify({ method: 'notifications/progress', params: { ...progress, progressToken: token } }).catch(() => {});
  };
}
