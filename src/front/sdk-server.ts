// Bundled by itself, so that nothing of the SDK is loaded, or shapes what is loaded, before it is needed.
import {
  CLIENT_CAPABILITIES_META_KEY,
  type JSONRPCMessage,
  type Result,
  Server,
  type ServerContext,
  type StandardSchemaV1,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Tool } from '../contract/types.js';
import { isRecord } from '../jsonrpc/json.js';
import { rpcCode } from '../jsonrpc/messages.js';
import { RequestProblem } from '../jsonrpc/request-problem.js';
import { type Log, withoutQuote } from '../platform/log.js';
import type { Agent, Progress } from '../workbench/ports/downstream.js';
import { metaToPass } from './agent-meta.js';
import { cacheHint, capabilities, serverInfo } from './introduction/identity.js';
import type { AgentRequest } from './questions/agent-request.js';
import { answerWithinMs, cannotBeAsked, worded } from './questions/asking.js';

const oldestRevision = '2024-11-05';

type Params = Readonly<Record<string, unknown>>;

/** What the SDK is to serve. Results are as the agent's revision wants them, problems carry their codes. */
export interface Served {
  readonly instructions: string;
  readonly tools: readonly Tool[];
  callTool(params: Params, request: AgentRequest, revision: string): Promise<Params>;
  readResource(params: Params, request: AgentRequest): Promise<Params>;
}

/** Serves one agent, in whichever protocol revision it speaks, until it goes. */
export function serve(served: Served, transport: Transport, log: Log): void {
  serveStdio(() => createServer(served, log), {
    transport,
    onerror: (error) => log.warn(`agent: ${withoutQuote(error.message)}`),
  });
}

/** One connection's worth of server. */
export function createServer(served: Served, log: Log): Server {
  const server = new Server(serverInfo, {
    capabilities,
    instructions: served.instructions,
    cacheHints: { 'tools/list': cacheHint, 'server/discover': cacheHint },
  });
  server.setRequestHandler('tools/list', () => ({ tools: [...served.tools] }));
  // Resources are read by the links in results. There is nothing to list that would not start servers.
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  // Not setRequestHandler: that would validate the result and drop every field that the SDK does not know.
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
  server.onerror = (error) => log.warn(`agent: ${withoutQuote(error.message)}`);
  return server;
}

/** What the SDK knows of a request, in our words. */
export function agentRequest(server: Server, { mcpReq }: ServerContext): AgentRequest {
  const { envelope, requestState, inputResponses, signal } = mcpReq;
  const keys: unknown = envelope;
  const comesBack = isRecord(keys);
  const offered = comesBack ? keys[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities();
  const state = requestState();
  const ask: Agent['ask'] = (question, asked) =>
    mcpReq.send(worded(question), anyObject, { signal: asked, timeout: answerWithinMs });
  return {
    agent: { capabilities: isRecord(offered) ? offered : {}, ask: comesBack ? cannotBeAsked : ask },
    signal,
    onProgress: progressNotifier(mcpReq),
    meta: metaToPass(mcpReq._meta),
    comesBack,
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

/** Progress goes to the agent under the agent's own token, and only if it asked. */
function progressNotifier({ _meta: meta, notify }: ServerContext['mcpReq']): (progress: Progress) => void {
  const token = isRecord(meta) ? meta['progressToken'] : undefined;
  if (typeof token !== 'string' && typeof token !== 'number') return () => {};
  return (progress) => {
    // A notification that cannot be delivered is no loss: the agent is gone, and its call is being cancelled.
    notify({ method: 'notifications/progress', params: { ...progress, progressToken: token } }).catch(() => {});
  };
}

/** They were checked when they came in, and the SDK checks them again. */
export function isSdkMessage(message: unknown): message is JSONRPCMessage {
  return isRecord(message);
}
