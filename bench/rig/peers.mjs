import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { httpWithEvents, streamableHttp } from './http-channels.mjs';
import { startHttpClient } from './http-client.mjs';
import { createWorkspace } from './systems.mjs';
import { until } from './wait.mjs';

const run = promisify(execFile);
const loopback = fileURLToPath(new URL('../loopback.cjs', import.meta.url));
const installLimitMs = 180_000;
const listLimitMs = 20_000;

/** Other proxies, and how each is started on a port in front of the entry `server`. */
const peers = {
  'mcp-hub': {
    version: '4.2.1',
    args: ({ port, configFile }) => ['--port', port, '--config', configFile],
    toolName: (tool) => `server__${tool}`,
    channel: httpWithEvents,
  },
  'mcp-proxy': {
    version: '6.7.19',
    args: ({ port, entry }) => ['--port', port, '--host', '127.0.0.1', '--', entry.command, ...entry.args],
  },
  supergateway: {
    version: '4.0.0',
    args: ({ port, entry }) => [
      ...['--stdio', [entry.command, ...entry.args].map((word) => `'${word}'`).join(' ')],
      // Otherwise it would start a new server process for every request.
      ...['--outputTransport', 'streamableHttp', '--stateful', '--port', port],
    ],
  },
};

export const peerNames = Object.keys(peers);

/** Installs a peer into a folder of its own, which is removed at the end. Returns the path of its program. */
export async function installPeer(name) {
  const wanted = `${name}@${peers[name].version}`;
  const directory = mkdtempSync(join(tmpdir(), 'mcp-workbench-peer-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  console.log(`installing ${wanted} into ${directory}, for this run only`);
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error'];
  await run('npm', ['install', '--prefix', directory, ...quiet, wanted], { timeout: installLimitMs });
  const home = join(directory, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  return join(home, Object.values(bin)[0]);
}

/** A peer in front of one server, used like the systems in systems.mjs. */
export async function createPeer(name, program, entry, { inherit }) {
  const { args, toolName = (tool) => tool, channel = streamableHttp } = peers[name];
  const workspace = createWorkspace({ inherit });
  const configFile = workspace.writeConfig({ mcpServers: { server: entry } });
  const port = String(await freePort());
  let client;
  return {
    start() {
      client = startHttpClient({
        command: process.execPath,
        args: ['--require', loopback, program, ...args({ port, entry, configFile })],
        env: workspace.env,
        cwd: workspace.directory,
        url: `http://127.0.0.1:${port}/mcp`,
        createChannel: channel,
      });
    },
    /** Resolves when the server's own tools are listed: before that there is nothing to call. */
    async list() {
      await client.initialize();
      const listed = async () => (await client.listTools()).tools.some((tool) => tool.name === toolName('echo'));
      if (!(await until(listed, listLimitMs, 5))) throw new Error('the tools of the server were not listed in time');
    },
    open: () => Promise.resolve(),
    async call(_server, tool, input) {
      const result = await client.callTool(toolName(tool), input);
      if (result.isError) throw new Error(result.content[0].text);
      return result;
    },
    pid: () => client.pid,
    async close() {
      await client?.close();
      workspace.remove();
    },
  };
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
