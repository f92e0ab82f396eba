/**
 * Reference points for `serve --http`, not products.
 *
 *   node http-floor.mjs bare COMMAND ARGS…   node:http before one server on stdio: parses a request, forwards its call, and sends the
 *                                            line of the result back as it came. It checks nothing.
 *   node http-floor.mjs sdk CONFIG           the SDK's own server before the same workbench, as a library
 *
 * Writes its port as the first line of stdout.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { onLine } from './rig/lines.mjs';

const [, , mode, ...rest] = process.argv;

function bare([command, ...args]) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  let nextId = 1;
  onLine(child.stdout, (line) => {
    // The id stands at one of the two ends of the line.
    const text = String(line.subarray(0, 200)) + String(line.subarray(-40));
    const id = Number(/"id":(\d+)/.exec(text)?.[1]);
    waiting.get(id)?.(line);
    waiting.delete(id);
  });
  const ask = (method, params) =>
    new Promise((resolve) => {
      const id = nextId++;
      waiting.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  void ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'floor', version: '1' },
  });
  process.once('exit', () => child.kill());
  return createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      const { params = {}, method } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      if (method !== 'tools/call') {
        response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"jsonrpc":"2.0","id":1,"result":{}}');
        return;
      }
      const { tool, arguments: given } = params.arguments;
      const line = await ask('tools/call', { name: tool.name, arguments: given });
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': line.length });
      response.end(line);
    });
  });
}

async function sdk([configFile]) {
  const { createWorkbench, loadConfig } = await import('../dist/index.mjs');
  const { createMcpHandler, Server, WebStandardStreamableHTTPServerTransport } = await import(
    '@modelcontextprotocol/server'
  );
  const { Readable } = await import('node:stream');
  const workbench = createWorkbench(loadConfig({ path: configFile }));
  const createOne = () => {
    const server = new Server({ name: 'sdk', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/call', ({ params }) =>
      workbench.useTool(params.arguments.tool, params.arguments.arguments),
    );
    return server;
  };
  const modern = createMcpHandler(createOne, { legacy: 'reject' });
  const sessions = new Map();
  async function legacy(request) {
    const known = sessions.get(request.headers.get('mcp-session-id'));
    if (known !== undefined) return known.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await createOne().connect(transport);
    return transport.handleRequest(request);
  }
  return createServer(async (incoming, outgoing) => {
    const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    const url = `http://${incoming.headers.host}${incoming.url}`;
    const body = Readable.toWeb(incoming);
    const request = new Request(url, { method: incoming.method, headers, body, duplex: 'half' });
    const isModern = headers.get('mcp-protocol-version') === '2026-07-28';
    const response = await (isModern ? modern.fetch(request) : legacy(request));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body === null) outgoing.end();
    else Readable.fromWeb(response.body).pipe(outgoing);
  });
}

const server = mode === 'bare' ? bare(rest) : await sdk(rest);
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit(0)).resume();
