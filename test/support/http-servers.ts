import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { until } from './until.js';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const everything = file('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');

/** Real servers over HTTP, in processes of their own. The path is that of their MCP endpoint. */
const programs = {
  'everything, Streamable HTTP': { args: [everything, 'streamableHttp'], path: '/mcp' },
  'everything, SSE': { args: [everything, 'sse'], path: '/sse' },
  sdk: { args: [file('../fixtures/sdk-http-server.mjs')], path: '/mcp' },
} as const;

export interface HttpServer {
  readonly url: string;
  kill(): Promise<void>;
  /** Again, on the same port. */
  start(): Promise<void>;
}

/** Starts one of them. It is killed when the test ends. */
export async function startHttpServer(name: keyof typeof programs): Promise<HttpServer> {
  const { args, path } = programs[name];
  const port = await freePort();
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const env = { PATH: process.env['PATH'] ?? '', PORT: String(port) };
    const started = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    child = started;
    let stderr = '';
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    await until(
      () => {
        if (started.exitCode !== null) throw new Error(`the server exited: ${stderr}`);
        return accepts(port);
      },
      { what: `a server on port ${port}` },
    );
  }

  async function kill(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  onTestFinished(kill);
  await start();
  return { url: `http://127.0.0.1:${port}${path}`, start, kill };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = portOf(server.address());
  server.close();
  await once(server, 'close');
  return port;
}

function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return once(socket, 'connect')
    .then(() => true)
    .catch(() => false)
    .finally(() => socket.destroy());
}

/** A port where connections are counted and closed. */
export async function startCanary(): Promise<{ readonly url: string; connections(): number }> {
  let count = 0;
  const server = createServer((socket) => {
    count++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${portOf(server.address()).port}/mcp`, connections: () => count };
}

function portOf(address: string | AddressInfo | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address;
}
