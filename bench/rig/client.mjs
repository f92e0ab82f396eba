import { spawn } from 'node:child_process';
import { onLine } from './lines.mjs';

const clientInfo = { name: 'bench', version: '1.0.0' };
const revision = '2025-11-25';
const lastWords = 4_000;

/**
 * Starts a program that serves MCP over stdio, with a minimal client: JSON.parse, JSON.stringify, no checks.
 * The cost of the client is small and the same for every system. `answerRequest(method, params)` gives the result for a request of
 * the server, or throws.
 */
export function startClient({ command, args, env, cwd }, { capabilities = {}, answerRequest } = {}) {
  const child = spawn(command, args, { env, cwd, stdio: 'pipe' });
  const waiting = new Map();
  const listeners = new Map();
  let nextId = 1;
  let stderr = '';
  let ended;

  function fail(error) {
    ended ??= error;
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  }
  const exited = new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      fail(new Error(`the program exited (${signal ?? code}): ${stderr}`));
      resolve({ code, signal });
    });
    child.once('error', (error) => {
      fail(error);
      resolve({ code: null, signal: null });
    });
  });
  child.stdin.on('error', () => {});
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr = (stderr + text).slice(-lastWords);
  });

  onLine(child.stdout, (line) => {
    const { id, method, params, result, error } = JSON.parse(line.toString());
    if (method === 'notifications/progress') listeners.get(params.progressToken)?.(params);
    if (method !== undefined) {
      if (id !== undefined) void respond(id, method, params);
      return;
    }
    const request = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) request?.resolve(result);
    else request?.reject(Object.assign(new Error(error.message), { code: error.code }));
  });

  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

  async function respond(id, method, params) {
    try {
      if (answerRequest === undefined) throw new Error('Method not found');
      send({ id, result: await answerRequest(method, params) });
    } catch ({ message }) {
      send({ id, error: { code: -32_601, message } });
    }
  }

  /** The request's id, to cancel it, and a promise of its response. */
  function ask(method, params) {
    const id = nextId++;
    const answer = new Promise((resolve, reject) => {
      if (ended instanceof Error) reject(ended);
      else waiting.set(id, { resolve, reject });
    });
    send({ id, method, params });
    return { id, answer };
  }

  const request = (method, params) => ask(method, params).answer;

  return {
    pid: child.pid,
    exited,
    stderr: () => stderr,
    ask,
    request,
    notify: (method, params) => send({ method, params }),
    /** Calls `listener` with progress under this token; without a listener, stops. */
    listen(token, listener) {
      if (listener === undefined) listeners.delete(token);
      else listeners.set(token, listener);
    },
    async initialize() {
      const answer = await request('initialize', { protocolVersion: revision, capabilities, clientInfo });
      send({ method: 'notifications/initialized' });
      return answer;
    },
    listTools: () => request('tools/list', {}),
    callTool: (name, args_) => request('tools/call', { name, arguments: args_ }),
    /** Closes stdin, as a client that disconnects; kills the program if it does not exit. */
    async close(limitMs = 15_000) {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
      const exit = await exited;
      clearTimeout(timer);
      return exit;
    },
  };
}
