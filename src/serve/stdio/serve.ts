import type { Engine } from '../../compose.js';
import { isWorkbenchError, messageOf } from '../../contract/errors.js';
import type { RpcMessage } from '../../jsonrpc/messages.js';
import { keepCompiledCode } from '../../platform/compiled-code.js';
import { thisComputer } from '../../platform/computer.js';
import { loadPart } from '../../platform/load-part.js';
import { createLog, type Log } from '../../platform/log.js';
import { type Configuration, findConfiguration } from '../../session/configuration/find-configuration.js';
import type { LiveConfiguration } from '../../session/configuration/follow-configuration.js';
import { introductionOf } from '../../session/introduction/static-answers.js';
import { type Calls, createLazyCalls } from '../../session/lazy-calls.js';
import { openSession } from '../../session/session.js';
import type { Served } from './served-config.js';
import { createStdioWire } from './stdio-wire.js';

const closeLimitMs = 8_000;
const warnAfterMs = 500;
/** The first responses come before everything else. */
const followAfterMs = 1_000;
/** What serves the calls: the engine, or the way to the host. */
let serving: Pick<Engine, 'keepLine' | 'close'> | undefined;
// Into its file only after the first call: a start writes no files.
const log = createLog((line) => {
  process.stderr.write(line);
  serving?.keepLine(line);
});

/** Serves MCP over stdin and stdout until the client disconnects. */
export async function serve(served: Served): Promise<void> {
  try {
    serveAgent(await findConfiguration(served.config, thisComputer(process.env), log), served);
  } catch (error) {
    if (!isWorkbenchError(error)) throw error;
    process.stderr.write(`mcp-workbench: ${error.message}\n`);
    process.exitCode = 3;
  }
}

function serveAgent(configuration: Configuration, { config: path, hostName, isFrozen }: Served): void {
  const live: LiveConfiguration = { current: configuration, served: undefined, note: undefined };
  const { overview, mayWarn } = configuration;
  const fail = (error: unknown) => log.error(messageOf(error));
  // Warnings need no call, but they must not delay the responses to the client's first requests.
  if (mayWarn) setTimeout(() => void configuration.load().catch(fail), warnAfterMs).unref();
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
    const { CI, WORKBENCH_SHARED = CI ? '0' : '' } = process.env;
    if (process.platform === 'win32' || WORKBENCH_SHARED === '0') return loadOwn();
    const { createSharedCalls } = await loadPart(() => import('../host/front/shared-calls.js'));
    const shared = createSharedCalls(live, wire, log, thisComputer(process.env), { isFrozen, hostName }, loadOwn);
    serving = shared;
    return shared.calls;
  }
  async function loadOwn(why?: string): Promise<Calls> {
    keepCompiledCode(thisComputer(process.env));
    const { startEngine, assemble } = await loadPart(() => import('../../compose.js'));
    let used = live.current;
    const config = await used.load(assemble);
    const own = startEngine(thisComputer(process.env), log, { keepsFiles: true });
    serving = own;
    const served = own.openSession(config, wire, { isFrozen, why });
    served.note(live.note);
    live.served = served;
    live.onServed?.();
    // There may have been an edit meanwhile.
    while (used !== live.current) served.apply(await (used = live.current).load(assemble));
    return served.calls;
  }
  const session = openSession(introductionOf(overview), send, createLazyCalls(loadCalls, send, log), log);
  wire.onmessage = (message) => session.receive(message);
  wire.onerror = (error) => log.warn(`agent: ${error.message}`);
  wire.onclose = () => session.close();
  wire.start();

  async function follow(): Promise<void> {
    const { followConfiguration } = await loadPart(() => import('../../session/configuration/follow-configuration.js'));
    const find = (findingLog: Log) => findConfiguration(path, thisComputer(process.env), findingLog);
    followConfiguration(live, session, find, { path, ...thisComputer(process.env) }, log);
  }
  setTimeout(() => void follow().catch(fail), followAfterMs).unref();
}

/** Ends all servers, then the process. */
function createShutdown(): (code: number) => void {
  let isShuttingDown = false;
  // `process.exit` waits for pending file operations, and one on an unresponsive disk never ends.
  const kill = () => process.kill(process.pid, 'SIGKILL');
  const close = async () => (await serving?.close()) ?? true;
  return (code) => {
    if (isShuttingDown) return;
    isShuttingDown = true;
    setTimeout(kill, closeLimitMs).unref();
    void close()
      .catch(() => true)
      .then((isWritten) => (isWritten ? process.exit(code) : kill()));
  };
}
