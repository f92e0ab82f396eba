import {
  CLIENT_CAPABILITIES_META_KEY,
  type Result,
  Server,
  type ServerContext,
  type StandardSchemaV1,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Overview } from '../../src/config/overview.js';
import type { Tool } from '../../src/contract/types.js';
import { Cancellation } from '../../src/jsonrpc/cancellation.js';
import { isRecord } from '../../src/jsonrpc/json.js';
import { rpcCode } from '../../src/jsonrpc/messages.js';
import { RequestProblem } from '../../src/jsonrpc/request-problem.js';
import { belongsToConnection } from '../../src/jsonrpc/revisions.js';
import { answerTimeoutMs } from '../../src/limits.js';
import type { Log } from '../../src/platform/log.js';
import { project } from '../../src/results/project.js';
import { cachedForMinute, capabilities, serverInfo } from '../../src/session/introduction/identity.js';
import { instructions } from '../../src/session/introduction/instructions.js';
import { metaTools } from '../../src/session/introduction/meta-tools.js';
import type { Handlers } from '../../src/session/meta-tools/handlers.js';
import type { AgentRequest } from '../../src/session/questions/agent-request.js';
import { cannotBeAsked, withElicitationId } from '../../src/session/questions/asking.js';
import type { Agent } from '../../src/workbench/ports/agent.js';
import type { Progress } from '../../src/workbench/ports/downstream.js';

const oldestRevision = '2024-11-05';

type Params = Readonly<Record<string, unknown>>;

/** What the SDK serves. Results are in the agent's revision, problems have their codes. */
export interface Served {
  readonly instructions: string;
  readonly tools: readonly Tool[];
  callTool(params: Params, request: AgentRequest, revision: string): Promise<Params>;
  readResource(params: Params, request: AgentRequest): Promise<Params>;
}

/** The SDK's server over our handlers: the oracle for our own protocol stack. */
export function serve(served: Served, transport: Transport, log: Log): void {
  serveStdio(() => createServer(served, log), {
    transport,
    onerror: (error) => log.warn(`agent: ${error.message}`),
  });
}

/** The server of one connection. */
function createServer(served: Served, log: Log): Server {
  const server = new Server(serverInfo, {
    capabilities,
    instructions: served.instructions,
    cacheHints: { 'tools/list': cachedForMinute, 'server/discover': cachedForMinute },
  });
  server.setRequestHandler('tools/list', () => ({ tools: [...served.tools] }));
  // Resources are read by the links in results. Listing them would start servers.
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  // Not setRequestHandler: it validates the result and drops unknown fields.
  server.fallbackRequestHandler = async ({ method, params = {} }, context): Promise<Result> => {
    const request = agentRequest(server, context);
    switch (method) {
      case 'tools/call':
        return served.callTool(params, request, server.getNegotiatedProtocolVersion() ?? oldestRevision);
      case 'resources/read':
        return served.readResource(params, request);
      default:
        throw new RequestProblem(rpcCode.methodNotFound, 'Method not found');
    }
  };
  server.onerror = (error) => log.warn(`agent: ${error.message}`);
  return server;
}

/** Converts a request from the SDK to ours. */
function agentRequest(server: Server, { mcpReq }: ServerContext): AgentRequest {
  const { envelope, requestState, inputResponses, signal } = mcpReq;
  const keys: unknown = envelope;
  const comesBack = isRecord(keys);
  const offered = comesBack ? keys[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities();
  const state = requestState();
  const ask: Agent['ask'] = (question, asked) =>
    mcpReq.send(withElicitationId(question), anyObject, { signal: asked, timeout: answerTimeoutMs });
  return {
    agent: {
      id: 'sdk',
      client: undefined,
      capabilities: isRecord(offered) ? offered : {},
      ask: comesBack ? cannotBeAsked : ask,
      gone: new Cancellation(),
    },
    signal,
    onProgress: progressNotifier(mcpReq),
    meta: metaToPass(mcpReq._meta),
    isModern: comesBack,
    requestState: typeof state === 'string' ? state : undefined,
    inputResponses,
  };
}

const anyObject: StandardSchemaV1<unknown, Params> = {
  '~standard': {
    version: 1,
    vendor: 'mcp-workbench',
    validate: (value) => (isRecord(value) ? { value } : { issues: [{ message: 'the answer is not an object' }] }),
  },
};

/** Sends progress under the agent's own token, if the agent requested it. */
function progressNotifier({ _meta: meta, notify }: ServerContext['mcpReq']): (progress: Progress) => void {
  const token = isRecord(meta) ? meta['progressToken'] : undefined;
  if (typeof token !== 'string' && typeof token !== 'number') return () => {};
  return (progress) => {
    // If it cannot be delivered, the agent has disconnected and its call is being cancelled.
    notify({ method: 'notifications/progress', params: { ...progress, progressToken: token } }).catch(() => {});
  };
}

/** The handlers as the SDK expects them. */
export function servedBy(handlers: Handlers, overview: Overview): Served {
  return {
    instructions: instructions(overview),
    tools: metaTools(overview),
    callTool: async (params, request, revision) => project(await handlers.callTool(params, request), revision).value(),
    readResource: (params, request) => handlers.readResource(params, request),
  };
}

/** Everything except what belongs to this connection. */
function metaToPass(meta: unknown): Params | undefined {
  if (!isRecord(meta)) return undefined;
  const passing = Object.entries(meta).filter(([key]) => key !== 'progressToken' && !belongsToConnection(key));
  return passing.length === 0 ? undefined : Object.fromEntries(passing);
}
