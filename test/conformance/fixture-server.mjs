// A server over stdio, of both protocol eras, with everything that the conformance suite requires behind a workbench.
import { CLIENT_CAPABILITIES_META_KEY, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { findTool, listing, png } from './fixture-tools.mjs';

const resources = new Map([
  ['test://static-text', { mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
  ['test://static-binary', { mimeType: 'image/png', blob: png }],
  [
    'test://template/123/data',
    { mimeType: 'application/json', text: '{"id":"123","templateTest":true,"data":"Data for ID: 123"}' },
  ],
]);

const anything = { '~standard': { version: 1, vendor: 'fixture', validate: (value) => ({ value }) } };

async function callTool(server, { name, arguments: args = {} }, { mcpReq }) {
  const run = findTool(name);
  if (run === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
  const progressToken = mcpReq._meta?.progressToken;
  const progress = (step) => {
    if (progressToken === undefined) return;
    void mcpReq.notify({ method: 'notifications/progress', params: { ...step, progressToken } });
  };
  const capabilities = mcpReq.envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {};
  const call = { args, progress, capabilities };

  if (mcpReq.envelope !== undefined) {
    const result = await run({ ...call, answers: mcpReq.inputResponses ?? {}, state: mcpReq.requestState() });
    return 'inputRequests' in result ? { resultType: 'input_required', ...result } : result;
  }
  return callAndAsk(run, call, mcpReq);
}

/** Before 2026-07-28 questions are requests during the call. */
async function callAndAsk(run, call, mcpReq) {
  let result = await run({ ...call, answers: {}, state: undefined });
  while ('inputRequests' in result) {
    const answers = {};
    for (const [key, question] of Object.entries(result.inputRequests)) {
      answers[key] = await mcpReq.send(question, anything);
    }
    result = await run({ ...call, answers, state: result.requestState });
  }
  return result;
}

function createServer() {
  const server = new Server(
    { name: 'conformance-fixture', version: '1.0.0' },
    { capabilities: { tools: {}, resources: {} } },
  );
  server.setRequestHandler('tools/list', () => ({ tools: listing }));
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const content = resources.get(uri);
    if (content === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Not found', { uri });
    return { contents: [{ uri, ...content }] };
  });
  // Not setRequestHandler: the SDK would refuse the questions of the careless tool.
  server.fallbackRequestHandler = ({ method, params }, context) => {
    if (method === 'tools/call') return callTool(server, params, context);
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
  };
  return server;
}

serveStdio(createServer);
process.stdin.on('end', () => process.exit(0));
