import {
  MissingRequiredClientCapabilityError,
  type Resource,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { WorkbenchError } from '../../src/contract/errors.js';
import { isRecord } from '../../src/jsonrpc/json.js';
import type { Log } from '../../src/platform/log.js';
import { createHandlers } from '../../src/session/meta-tools/handlers.js';
import type { MetaCalls } from '../../src/session/questions/meta-calls.js';
import type { Workbench } from '../../src/workbench/workbench.js';
import { agentRequest, createServer, servedBy } from '../support/sdk-server.js';
import { addPrompts } from './prompts.js';

/** The one server behind the workbench, whose tools are listed as if they were the workbench's own. */
export const fixture = { toolbox: 'conformance', server: 'fixture' } as const;

type Handler = NonNullable<Server['fallbackRequestHandler']>;

const capabilityFor = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
]);

/**
 * The workbench's server with a flat list of tools: `tools/list` returns what `open_toolbox` lists, and a call of one of those
 * tools becomes a call of `use_tool`. Everything else is the same as for every agent.
 */
export function createFlatServer(
  workbench: Workbench,
  metaCalls: MetaCalls,
  log: Log,
  era: 'legacy' | 'modern',
): Server {
  let refusal: WorkbenchError | undefined;
  const useTool: MetaCalls['useTool'] = (call, request) =>
    metaCalls.useTool(call, request).then(undefined, (error: unknown) => {
      if (error instanceof WorkbenchError && error.code === 'QUESTION_UNSUPPORTED') refusal = error;
      throw error;
    });
  const server = createServer(
    servedBy(createHandlers(workbench, { ...metaCalls, useTool }, log), workbench.overview()),
    log,
    // Its list is made of tools that the suite changes, and not of a configuration, whose changes are reported.
    { tools: {}, resources: {} },
  );
  addPrompts(server);
  if (era === 'legacy') addLegacyUtilities(server);

  const linked = (context: ServerContext) => linkedResources(workbench, agentRequest(server, context).agent);
  server.setRequestHandler('tools/list', async (_, context) => {
    const { agent, signal } = agentRequest(server, context);
    const { tools } = await workbench.openToolbox(fixture.toolbox, { agent, signal });
    return { tools: tools.map(({ toolbox: _toolbox, server: _server, ...tool }) => tool) };
  });
  server.setRequestHandler('resources/list', async (_, context) => ({ resources: await linked(context) }));

  const handle = fallbackOf(server);
  server.fallbackRequestHandler = async (request, context) => {
    // A resource can be read only after a result has linked to it; the suite reads without such a result.
    if (request.method === 'resources/read') await linked(context);
    if (request.method !== 'tools/call') return handle(request, context);
    const { name, arguments: args, ...params } = request.params ?? {};
    const call = { name: 'use_tool', arguments: { tool: { ...fixture, name }, arguments: args } };
    const adapted = name === 'test_tool_with_logging' ? withProgressAsLog(context) : context;
    const result = await handle({ ...request, params: { ...params, ...call } }, adapted);
    // The agent of a workbench gets a text. The client of a flat server expects an error.
    if (refusal !== undefined) throw missingCapability(refusal);
    return result;
  };
  return server;
}

function fallbackOf({ fallbackRequestHandler }: Server): Handler {
  if (fallbackRequestHandler === undefined) throw new Error('the server of the workbench handles no calls');
  return fallbackRequestHandler;
}

/** What the workbench leaves out because 2026-07-28 does, but the suite for 2025-11-25 requires. */
function addLegacyUtilities(server: Server): void {
  server.registerCapabilities({ logging: {}, resources: { subscribe: true } });
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
}

async function linkedResources(
  workbench: Workbench,
  agent: ReturnType<typeof agentRequest>['agent'],
): Promise<Resource[]> {
  const result = await workbench.useTool({ ...fixture, name: 'test_resource_links' }, {}, { agent });
  const { content = [] } = result.value();
  return content.map(({ type: _type, ...link }) => ({ uri: '', name: '', ...link }));
}

/** The workbench does not forward log messages of servers, so this tool sends them as progress. */
function withProgressAsLog(context: ServerContext): ServerContext {
  const { mcpReq } = context;
  const notify: typeof mcpReq.notify = ({ params }) =>
    mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data: params?.['message'] } });
  return { ...context, mcpReq: { ...mcpReq, _meta: { ...mcpReq._meta, progressToken: 'log' }, notify } };
}

function missingCapability({ message, cause }: WorkbenchError): Error {
  const method = isRecord(cause) ? String(cause['method']) : '';
  const requiredCapabilities = { [capabilityFor.get(method) ?? method]: {} };
  return new MissingRequiredClientCapabilityError({ requiredCapabilities }, message);
}
