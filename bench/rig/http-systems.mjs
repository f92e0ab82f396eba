import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { Agent, request as send } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onLine } from './lines.mjs';
import { createWorkspace, fakeServer, programCopy } from './systems.mjs';
import { until } from './wait.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const modernRevision = '2026-07-28';
const meta = (client) => ({
  'io.modelcontextprotocol/protocolVersion': modernRevision,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: client, version: '1.0.0' },
});
const accepted = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** `serve --http` with one server, or with these. `pid`, `url`, `token` and `close()`. */
export async function startService(servers = { server: fakeServer() }, { probesHeap = false, limits = {} } = {}) {
  const workspace = createWorkspace();
  const http = { limits: { requestsPerSecond: 1_000_000, inFlight: 100_000, ...limits } };
  const config = workspace.writeConfig({
    http,
    toolboxes: { bench: { description: 'Servers to measure', mcpServers: servers } },
  });
  const program = programCopy();
  const { env, directory } = workspace;
  const heapFile = join(directory, 'heap.txt');
  const probe = probesHeap ? ['--expose-gc', '--require', here('./heap-probe.cjs')] : [];
  const args = [...probe, program, 'serve', '--http', '127.0.0.1:0', '--config', config];
  const child = spawn(process.execPath, args, {
    env: { ...env, WORKBENCH_HEAP_FILE: heapFile },
    cwd: directory,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const exited = once(child, 'exit');
  const port = await new Promise((resolve, reject) => {
    void exited.then(() => reject(new Error('the service has ended')));
    onLine(child.stderr, (line) => {
      const [, found] = /listening on \S*:(\d+)$/.exec(String(line)) ?? [];
      if (found !== undefined) resolve(Number(found));
    });
  });
  const printed = spawn(process.execPath, [program, 'token'], {
    env,
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const token = await new Promise((resolve) => onLine(printed.stdout, (line) => resolve(String(line))));
  return {
    pid: child.pid,
    url: `http://127.0.0.1:${port}/mcp`,
    token,
    config,
    /** What is in use after a garbage collection. */
    async heapBytes() {
      const read = () => (existsSync(heapFile) ? readFileSync(heapFile, 'utf8').trim().split('\n') : []);
      const before = read().length;
      child.kill('SIGUSR2');
      await until(() => read().length > before, 10_000, 5);
      return Number(read().at(-1));
    },
    async close() {
      child.kill('SIGTERM');
      await exited;
      process.off('exit', kill);
      workspace.remove();
    },
  };
}

/** A reference point of http-floor.mjs. */
export async function startFloor(...args) {
  const child = spawn(process.execPath, ['--no-warnings', here('../http-floor.mjs'), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const exited = once(child, 'exit');
  const port = await new Promise((resolve) => onLine(child.stdout, (line) => resolve(Number(String(line)))));
  return {
    pid: child.pid,
    url: `http://127.0.0.1:${port}/mcp`,
    token: 'none',
    async close() {
      child.stdin.end();
      await exited;
      process.off('exit', kill);
    },
  };
}

/** A client of one era. `call` resolves with the result of a tool of a server. */
export function createHttpCaller({ url, token, pid }, era, { name = 'bench', agent: given } = {}) {
  const agent = given ?? new Agent({ keepAlive: true, maxSockets: 1 });
  const isModern = era === 'modern';
  const headers = { ...accepted, authorization: `Bearer ${token}` };
  let nextId = 1;

  function post(method, params, own) {
    const id = nextId++;
    const sent = isModern ? { ...params, _meta: meta(name) } : params;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: sent });
    const request = send(url, {
      method: 'POST',
      agent,
      headers: { ...headers, ...own, 'content-length': Buffer.byteLength(body) },
    });
    request.end(body);
    return new Promise((resolve, reject) => {
      request.once('error', reject).once('response', (response) => {
        const pieces = [];
        response.on('data', (piece) => pieces.push(piece));
        response.once('end', () => resolve({ id, response, body: Buffer.concat(pieces) }));
      });
    });
  }

  return {
    pid: () => pid,
    async initialize() {
      if (isModern) return;
      const clientInfo = { name, version: '1.0.0' };
      const { response } = await post('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
      const session = response.headers['mcp-session-id'];
      if (session !== undefined) headers['mcp-session-id'] = session;
    },
    /** The text of the response. */
    async tool(metaTool, input) {
      const toolbox = input.tool?.toolbox ?? input.toolbox;
      const own = isModern && {
        'mcp-protocol-version': modernRevision,
        'mcp-method': 'tools/call',
        'mcp-name': metaTool,
        'mcp-param-toolbox': toolbox,
      };
      const { id, response, body } = await post('tools/call', { name: metaTool, arguments: input }, own);
      if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}: ${body}`);
      return { id, body };
    },
    call(server, tool, args) {
      return this.tool('use_tool', { tool: { toolbox: 'bench', server, name: tool }, arguments: args });
    },
    close: () => agent.destroy(),
  };
}
