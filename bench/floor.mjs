/**
 * Reference points, not products: minimal proxies with the same two tools. They check nothing. All in one file, so that
 * no imports add to the start.
 *
 *   node floor.mjs meta     parses and serialises every message once
 *   node floor.mjs splice   the same, but results are forwarded as bytes with only the id replaced
 *   node floor.mjs host     the same as splice in two processes: this one copies between its client and a socket, the one behind
 *                           it has the servers
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';

const [, script, mode, socketPath] = process.argv;
const splices = mode !== 'meta';
const opened = new Map();

const metaTools = [
  {
    name: 'open_toolbox',
    description: 'Opens a toolbox.',
    inputSchema: { type: 'object', properties: { toolbox: { type: 'string' } }, required: ['toolbox'] },
  },
  {
    name: 'use_tool',
    description: 'Uses a tool.',
    inputSchema: {
      type: 'object',
      properties: { tool: { type: 'object' }, arguments: { type: 'object' } },
      required: ['tool'],
    },
  },
];

function write(stream, message) {
  stream.write(`${JSON.stringify(message)}\n`);
}

/** Calls `receive` with every line of a stream, its newline included. */
function onLine(stream, receive) {
  let pieces = [];
  stream.on('data', (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      pieces.push(chunk.subarray(start, end + 1));
      receive(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces));
      pieces = [];
      start = end + 1;
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  });
}

function connect({ command, args, env }) {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  const agentIds = new Map();
  let nextId = 1;

  /** Replaces the id by the agent's, if it is at its usual position. */
  function spliced(line) {
    const [head, found] = /^\{"jsonrpc":"2\.0","id":(\d+)/.exec(line.latin1Slice(0, 48)) ?? [];
    const id = Number(found);
    if (!agentIds.has(id)) return false;
    const newHead = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(agentIds.get(id))}`);
    output.write(Buffer.concat([newHead, line.subarray(head.length)]));
    agentIds.delete(id);
    waiting.delete(id);
    return true;
  }
  onLine(child.stdout, (line) => {
    if (splices && spliced(line)) return;
    const message = JSON.parse(line.toString());
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  return {
    notify: (method) => write(child.stdin, { jsonrpc: '2.0', method }),
    request(method, params, receive) {
      const id = nextId++;
      waiting.set(id, receive);
      write(child.stdin, { jsonrpc: '2.0', id, method, params });
      return id;
    },
    agentIds,
  };
}

async function open(name) {
  const { description, mcpServers } = toolboxes[name];
  const servers = new Map();
  const tools = [];
  await Promise.all(
    Object.entries(mcpServers).map(async ([server, entry]) => {
      const downstream = connect(entry);
      servers.set(server, downstream);
      const ask = (method, params) =>
        new Promise((resolve) => downstream.request(method, params, ({ result }) => resolve(result)));
      const clientInfo = { name: 'floor', version: '1.0.0' };
      await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
      downstream.notify('notifications/initialized');
      const listed = await ask('tools/list', {});
      for (const tool of listed.tools) tools.push({ ...tool, toolbox: name, server });
    }),
  );
  const text = JSON.stringify({ toolbox: name, description, servers_connected: servers.size, tools });
  return { servers, text };
}

function openOnce(name) {
  if (!opened.has(name)) opened.set(name, open(name));
  return opened.get(name);
}

const reply = (id, result) => write(output, { jsonrpc: '2.0', id, result });

async function call(id, { name, arguments: input }) {
  if (name === 'open_toolbox') {
    const { text } = await openOnce(input.toolbox);
    reply(id, { content: [{ type: 'text', text }] });
    return;
  }
  const { servers } = await openOnce(input.tool.toolbox);
  const params = { name: input.tool.name, arguments: input.arguments };
  const { request, agentIds } = servers.get(input.tool.server);
  const sent = request('tools/call', params, (message) => write(output, { ...message, id }));
  if (splices) agentIds.set(sent, id);
}

function serve(line) {
  const { id, method, params } = JSON.parse(line.toString());
  switch (method) {
    case 'initialize':
      reply(id, {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'floor', version: '1.0.0' },
        instructions: Object.keys(toolboxes).join('\n'),
      });
      return;
    case 'tools/list':
      reply(id, { tools: metaTools });
      return;
    case 'tools/call':
      void call(id, params);
  }
}

/** Copies between the client and a host that it starts. */
async function runFront() {
  // Loaded only here: the other floors start with what they need.
  const { createConnection } = await import('node:net');
  const directory = mkdtempSync('/tmp/floor-');
  const path = `${directory}/s`;
  const host = spawn(process.execPath, [script, 'hosted', path], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.on('exit', () => {
    host.kill();
    rmSync(directory, { recursive: true, force: true });
  });
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
  host.stdout.once('data', () => {
    const socket = createConnection(path);
    socket.on('data', (chunk) => process.stdout.write(chunk)).on('close', () => process.exit(0));
    process.stdin.on('data', (chunk) => socket.write(chunk)).on('end', () => process.exit(0));
  });
}

/** Resolves with the socket of the front. */
async function attached() {
  const { createServer } = await import('node:net');
  return new Promise((resolve) =>
    createServer((socket) => resolve(socket.on('error', () => {}))).listen(socketPath, () =>
      process.stdout.write('listening\n'),
    ),
  );
}

let output = process.stdout;
let toolboxes;
if (mode === 'host') await runFront();
else {
  ({ toolboxes } = JSON.parse(readFileSync(process.env.WORKBENCH_CONFIG, 'utf8')));
  let input = process.stdin;
  if (mode === 'hosted') input = output = await attached();
  onLine(input, serve);
  input.on('end', () => process.exit(0));
}
