/**
 * An MCP server over Streamable HTTP for benchmarks, in plain Node, that costs as little as possible. Writes its port to
 * stdout. The path says how it answers: `/legacy/json`, `/legacy/events`, `/modern/json`, `/modern/events`. Ends with its stdin.
 */
import http from 'node:http';

const inputSchema = { type: 'object', properties: { bytes: { type: 'integer' } } };
const listing = [{ name: 'blob', description: 'Text of a length.', inputSchema }];
const serverInfo = { name: 'fake', version: '1.0.0' };
const modernFields = { resultType: 'complete' };
const cacheFields = { ...modernFields, ttlMs: 60_000, cacheScope: 'private' };
const identity = { _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } };

const eras = {
  legacy: {
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo }),
    'tools/list': () => ({ tools: listing }),
    'tools/call': ({ arguments: args }) => text(args),
  },
  modern: {
    'server/discover': () => ({
      ...cacheFields,
      ...identity,
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
    }),
    'tools/list': () => ({ ...cacheFields, tools: listing }),
    'tools/call': ({ arguments: args }) => ({ ...modernFields, ...text(args) }),
  },
};

function text({ bytes }) {
  return { content: [{ type: 'text', text: 'x'.repeat(bytes) }] };
}

function answer(era, { id, method, params }) {
  const handle = eras[era][method];
  if (handle === undefined) return { jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } };
  return { jsonrpc: '2.0', id, result: handle(params) };
}

function respond(response, form, isFirst, message) {
  const session = isFirst ? { 'mcp-session-id': 'bench' } : {};
  const body = form === 'events' ? `event: message\ndata: ${JSON.stringify(message)}\n\n` : JSON.stringify(message);
  const type = form === 'events' ? 'text/event-stream' : 'application/json';
  response.writeHead(200, { 'content-type': type, ...session });
  response.end(body);
}

const server = http.createServer((request, response) => {
  const [, era, form] = request.url.split('/');
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    if (request.method !== 'POST') return response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
    const message = JSON.parse(Buffer.concat(pieces).toString());
    if (message.id === undefined) return response.writeHead(202).end();
    respond(response, form, message.method === 'initialize', answer(era, message));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit(0)).resume();
