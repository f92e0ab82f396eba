import { spawn } from 'node:child_process';
import { pause } from './wait.mjs';

const clientInfo = { name: 'bench', version: '1.0.0' };
const revision = '2025-06-18';
const startLimitMs = 20_000;
const endLimitMs = 3_000;
const lastWords = 1_000;

/**
 * Starts a program that serves MCP over HTTP, with a client as minimal as that for stdio. `createChannel` is one of
 * http-channels.mjs.
 */
export function startHttpClient({ command, args, env, cwd, url, createChannel }) {
  const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const waiting = new Map();
  let nextId = 1;
  let output = '';
  let ended;
  // Unlike a server on stdio, it would not exit by itself.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const exited = new Promise((resolve) => {
    child.once('error', resolve).once('exit', resolve);
  }).then(() => {
    process.off('exit', kill);
    ended = new Error(`it ended: ${output}`);
    for (const { reject } of waiting.values()) reject(ended);
  });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-lastWords);
    });

  const channel = createChannel(url, ({ id, result, error }) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(error.message));
  });

  function request(method, params) {
    const id = nextId++;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      channel.send({ id, method, params }).catch(reject);
    });
  }

  /** Retries until the program listens. */
  async function connect() {
    for (const end = performance.now() + startLimitMs; ; await pause(2)) {
      try {
        await channel.open();
        return await request('initialize', { protocolVersion: revision, capabilities: {}, clientInfo });
      } catch (error) {
        if (performance.now() > end || ended !== undefined) throw ended ?? error;
      }
    }
  }

  return {
    pid: child.pid,
    async initialize() {
      await connect();
      await channel.send({ method: 'notifications/initialized' });
    },
    listTools: () => request('tools/list', {}),
    callTool: (name, input) => request('tools/call', { name, arguments: input }),
    async close() {
      channel.close();
      child.kill();
      const timer = setTimeout(kill, endLimitMs);
      await exited;
      clearTimeout(timer);
    },
  };
}
