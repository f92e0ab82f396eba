import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { onLine } from '../rig/lines.mjs';
import { programCopy } from '../rig/systems.mjs';
import { until } from '../rig/wait.mjs';

const startLimitMs = 30_000;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** `serve --http` on one port, which can be killed and started again. */
export async function createService({ env, directory }, configFile) {
  const address = `127.0.0.1:${await freePort()}`;
  const args = [programCopy(), 'serve', '--http', address, '--config', configFile];
  let child;
  let generation = 0;
  let isUp = false;
  const warnings = new Map();
  process.once('exit', () => child?.kill('SIGKILL'));

  async function start() {
    const begun = spawn(process.execPath, args, { env, cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] });
    child = begun;
    let isListening = false;
    onLine(begun.stderr, (line) => {
      const text = String(line);
      if (/listening on \S*:\d+$/.test(text)) isListening = true;
      // One kind of line, whoever it is about.
      const kind = text.replaceAll(/[\da-f]{8,}|\d+/g, '…');
      if (/\berror\b/i.test(text)) warnings.set(kind, (warnings.get(kind) ?? 0) + 1);
    });
    if (!(await until(() => isListening, startLimitMs, 20))) throw new Error('the service does not listen');
    generation++;
    isUp = true;
  }

  await start();
  return {
    url: `http://${address}/mcp`,
    /** Lines of its log that mention an error, by kind. */
    warnings,
    get pid() {
      return child.pid;
    },
    /** Counts its starts. */
    get generation() {
      return generation;
    },
    get isUp() {
      return isUp;
    },
    async killAndStart() {
      isUp = false;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      await start();
    },
    /** Returns the exit code. */
    async close() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = await exited;
      return code;
    },
  };
}
