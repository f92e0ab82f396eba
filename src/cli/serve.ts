import type { Engine } from '../compose.js';
import { isWorkbenchError, messageOf } from '../contract/errors.js';
import { introductionOf } from '../front/introduction/static-answers.js';
import { type Calls, createLazyCalls } from '../front/lazy-calls.js';
import { openSession } from '../front/session.js';
import { createStdioWire } from '../front/stdio-wire.js';
import type { RpcMessage } from '../jsonrpc/messages.js';
import { thisComputer } from '../platform/computer.js';
import { loadPart } from '../platform/load-part.js';
import { createLog } from '../platform/log.js';
import { type Configuration, findConfiguration } from './find-configuration.js';

const closeLimitMs = 8_000;
const warnAfterMs = 500;
let engine: Engine | undefined;
// Into its file only after the first call: a start writes no files.
const log = createLog((line) => {
  process.stderr.write(line);
  engine?.keepLine(line);
});

/** Serves MCP over stdin and stdout until the client disconnects. `path`: the value of `--config`. */
export async function serve(path: string | undefined): Promise<void> {
  try {
    serveAgent(await findConfiguration(path, thisComputer(process.env), log));
  } catch (error) {
    if (!isWorkbenchError(error)) throw error;
    process.stderr.write(`mcp-workbench: ${error.message}\n`);
    process.exitCode = 3;
  }
}

function serveAgent(configuration: Configuration): void {
  const { overview } = configuration;
  // Warnings need no call, but they must not delay the responses to the client's first requests.
  const warn = () => void configuration.load().catch((error: unknown) => log.error(messageOf(error)));
  if (configuration.mayWarn) setTimeout(warn, warnAfterMs).unref();
  log.info(`configuration: ${overview.configFile ?? 'none found, serving the embedded one'}`);

  const shutDown = createShutdown();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => shutDown(0));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      log.error(`unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      shutDown(1);
    });
  }
  // The agent on stdio is the only one of this process, so the process ends when it disconnects.
  const wire = createStdioWire(process.stdin, process.stdout, () => shutDown(0));
  const send = (message: RpcMessage) => wire.send(message);
  async function loadCalls(): Promise<Calls> {
    const { startEngine, assemble } = await loadPart(() => import('../compose.js'));
    const config = await configuration.load(assemble);
    engine = startEngine(thisComputer(process.env), log, { keepsFiles: true });
    return engine.openSession(config, wire).calls;
  }
  const session = openSession(introductionOf(overview), send, createLazyCalls(loadCalls, send, log), log);
  wire.onmessage = (message) => session.receive(message);
  wire.onerror = (error) => log.warn(`agent: ${error.message}`);
  wire.onclose = () => session.close();
  wire.start();
}

/** Ends all servers, then the process. */
function createShutdown(): (code: number) => void {
  let isShuttingDown = false;
  // `process.exit` waits for pending file operations, and one on an unresponsive disk never ends.
  const kill = () => process.kill(process.pid, 'SIGKILL');
  const close = async () => (await engine?.close()) ?? true;
  return (code) => {
    if (isShuttingDown) return;
    isShuttingDown = true;
    setTimeout(kill, closeLimitMs).unref();
    void close()
      .catch(() => true)
      .then((isWritten) => (isWritten ? process.exit(code) : kill()));
  };
}
