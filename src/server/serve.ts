import { ProtocolError, ProtocolErrorCode, type Result, Server, type Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { messageOf, WorkbenchError } from '../errors.js';
import { type Log, withoutQuote } from '../log.js';
import { type CallToolResult, OpenToolboxInputSchema, UseToolInputSchema } from '../types.js';
import type { Agent } from '../workbench/downstream.js';
import type { Workbench } from '../workbench/workbench.js';
import { agentRequest, asker, cannotBeAsked } from './agent-request.js';
import { answer, fullText, parseInput } from './answers.js';
import { cacheHint, capabilities, serverInfo } from './identity.js';
import { instructions } from './instructions.js';
import { metaTools } from './meta-tools.js';
import { project } from './project.js';
import { InvalidRequestState } from './request-state.js';
import { type AgentRequest, createUseTool, type UseTool } from './use-tool.js';

const oldestRevision = '2024-11-05';

/** Serves a workbench to one agent, and gives a way to ask it outside of its calls, in whichever protocol revision the agent speaks, until the agent goes. */
export function serve(workbench: Workbench, transport: Transport, log: Log): Agent['ask'] {
  // Outside of the factory: it may be called more than once, and calls that wait belong to the workbench.
  const useTool = createUseTool(workbench, log);
  let current: Server | undefined;
  const connection = () => {
    current = createServer(workbench, useTool, log);
    return current;
  };
  serveStdio(connection, { transport, onerror: (error) => log.warn(`agent: ${withoutQuote(error.message)}`) });
  return asker((...question) => (current === undefined ? cannotBeAsked() : current.request(...question)));
}

/** One connection's worth of server; what outlives a connection is handed in. */
export function createServer(workbench: Workbench, useTool: UseTool, log: Log): Server {
  const overview = workbench.overview();
  const server = new Server(serverInfo, {
    capabilities,
    instructions: instructions(overview),
    cacheHints: { 'tools/list': cacheHint, 'server/discover': cacheHint },
  });
  server.setRequestHandler('tools/list', () => ({ tools: metaTools(overview) }));
  // Resources are read by the links in results. There is nothing to list that would not start servers.
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  // Not setRequestHandler: that would validate the result and drop every field that the SDK does not know.
  server.fallbackRequestHandler = async ({ method, params }, context) => {
    const request = agentRequest(server, context);
    switch (method) {
      case 'tools/call': {
        const result = await callMetaTool(workbench, useTool, params ?? {}, request, log).catch(asProtocolError);
        return project(result, server.getNegotiatedProtocolVersion() ?? oldestRevision);
      }
      case 'resources/read':
        return readResource(workbench, params?.['uri'], request);
      default:
        throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    }
  };
  server.onerror = (error) => log.warn(`agent: ${withoutQuote(messageOf(error))}`);
  return server;
}

function asProtocolError(error: unknown): never {
  if (!(error instanceof InvalidRequestState)) throw error;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { reason: 'invalid_request_state' });
}

async function callMetaTool(
  workbench: Workbench,
  useTool: UseTool,
  params: Readonly<Record<string, unknown>>,
  request: AgentRequest,
  log: Log,
): Promise<CallToolResult> {
  const input = params['arguments'] ?? {};
  switch (params['name']) {
    case 'open_toolbox':
      return answer(log, async () => {
        const opened = await workbench.openToolbox(parseInput(OpenToolboxInputSchema, input), {
          agent: request.agent,
          signal: request.signal,
          onProgress: ({ ready, total, message }) => request.onProgress({ progress: ready, total, message }),
        });
        return { content: [{ type: 'text', text: JSON.stringify(opened) }] };
      });
    case 'use_tool':
      return answer(log, async () => useTool(parseInput(UseToolInputSchema, input), request));
    default:
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Unknown tool: ${JSON.stringify(params['name'])}. There are open_toolbox and use_tool; tools of a toolbox are called through use_tool.`,
      );
  }
}

async function readResource(workbench: Workbench, uri: unknown, request: AgentRequest): Promise<Result> {
  if (typeof uri !== 'string') throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'uri: Expected string');
  const { agent, signal, onProgress, meta } = request;
  try {
    return await workbench.readResource(uri, { agent, signal, onProgress, meta });
  } catch (error) {
    if (!(error instanceof WorkbenchError)) throw error;
    const code =
      error.code === 'RESOURCE_NOT_FOUND' ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, fullText(error), { uri });
  }
}
