import { type Configuration, findConfiguration } from '../../config/read/configuration.js';
import { isWorkbenchError, messageOf } from '../../contract/errors.js';
import { keepCompiledCode } from '../../platform/compiled-code.js';
import { thisComputer } from '../../platform/computer.js';
import { loadPart } from '../../platform/load-part.js';
import { createLog, type Log } from '../../platform/log.js';
import { createLiveConfiguration, type LiveConfiguration } from '../../session/configuration/live-configuration.js';
import { fitResults } from '../../session/fit-results.js';
import type { OpenLink, SessionLink } from '../../session/link.js';
import { localUser } from '../../session/principal.js';
import { createSession } from '../../session/session.js';
import { answerInTime } from '../../session/tickets/answer-in-time.js';
import type { AgentOutput } from '../../session/transport.js';
import type { Served } from './served-config.js';
import { createStdioTransport } from './stdio-transport.js';

const closeLimitMs = 8_000;
const warnAfterMs = 500;
/** The first responses come before everything else. */
const followAfterMs = 1_000;
/** What the link of the session leads to: the engine of this process, or the host. */
let serving: { keepLine(line: string): void; close(): Promise<boolean> } | undefined;
// Into its file only after the first call: a start writes no files.
const log = createLog((line) => {
  process.stderr.write(line);
  serving?.keepLine(line);
});

/** Serves MCP over stdin and stdout until the client disconnects. */
export async function serve(served: Served): Promise<void> {
  try {
    serveAgent(createLiveConfiguration(await firstConfiguration(served)), served);
  } catch (error) {
    if (!isWorkbenchError(error)) throw error;
    process.stderr.write(`mcp-workbench: ${error.message}\n`);
    process.exitCode = 3;
  }
}

/** A faulty file is replaced by its last good text, except in CI and with --frozen, where the replacement would go unnoticed. */
async function firstConfiguration({ config, isFrozen }: Served): Promise<Configuration> {
  const computer = thisComputer(process.env);
  try {
    return await findConfiguration(config, computer, log);
  } catch (error) {
    if (!isWorkbenchError(error) || error.code !== 'CONFIG_INVALID' || isFrozen || process.env.CI) throw error;
    const { standInFor } = await loadPart(() => import('../../config/read/stand-in.js'));
    const standIn = await standInFor(error.message, config, computer, log);
    log.error(`${error.message}\n${standIn.fault?.meanwhile}`);
    return standIn;
  }
}

function serveAgent(configuration: LiveConfiguration, served: Served): void {
  const { current } = configuration;
  const fail = (error: unknown) => log.error(messageOf(error));
  // Warnings need no call, but they must not delay the responses to the client's first requests.
  if (current.mayWarn) setTimeout(() => void current.load().catch(fail), warnAfterMs).unref();
  log.info(`configuration: ${current.source?.path ?? 'none found, serving the embedded one'}`);
  const transport = createStdioTransport(process.stdin, process.stdout);
  // Unique on this computer.
  const id = `${process.pid}-${Date.now().toString(36)}`;
  const find = (findingLog: Log) => findConfiguration(served.config, thisComputer(process.env), findingLog);
  const fitted = fitResults(transport, {
    budget: () => configuration.current.file?.resultBudgetChars,
    computer: () => thisComputer(process.env),
    log,
  });
  const fitting = answerInTime(fitted, { limitMs: () => configuration.current.file?.answerWithinMs, log });
  const open = linkOpener(id, { live: configuration, find, output: fitting.output, log }, served);
  const session = createSession(id, { principal: localUser, configuration, fitting, open, log });
  const shutDown = createShutdown(() => session.close());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => shutDown(0));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      log.error(`unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      shutDown(1);
    });
  }
  transport.onmessage = (message, line) => session.receive(message, line);
  transport.onrefused = (request) => session.refuse(request);
  transport.onerror = (error) => log.warn(`agent: ${error.message}`);
  // The agent on stdio is the only one of this process, so the process ends when it disconnects.
  transport.onclose = () => shutDown(0);
  transport.start();

  async function follow(): Promise<void> {
    const { followConfiguration } = await loadPart(() => import('../../session/configuration/follow-configuration.js'));
    followConfiguration(configuration, find, { path: served.config, ...thisComputer(process.env) }, log);
  }
  setTimeout(() => void follow().catch(fail), followAfterMs).unref();
}

interface Following {
  readonly live: LiveConfiguration;
  /** Finds the configuration as the start did. */
  readonly find: (log: Log) => Promise<Configuration>;
  readonly output: AgentOutput;
  readonly log: Log;
}

/** Opens links to the host, or to an engine of this process. Whichever it is, it is loaded with the first call. */
function linkOpener(id: string, following: Following, { isFrozen, hostName }: Served): OpenLink {
  const { live: configuration, output } = following;
  let open: OpenLink | undefined;

  async function openOwn(why?: string, wantedHost?: boolean): Promise<SessionLink> {
    keepCompiledCode(thisComputer(process.env));
    const { startEngine, assemble } = await loadPart(() => import('../../compose.js'));
    const own = startEngine(thisComputer(process.env), log, { keepsFiles: true });
    serving = own;
    const config = await configuration.current.load(assemble);
    const link = own.openLink(config, output, { id, principal: localUser, isFrozen, why, wantedHost });
    link.note(configuration.note);
    return link;
  }

  async function load(): Promise<OpenLink> {
    const { CI, WORKBENCH_SHARED = CI ? '0' : '' } = process.env;
    if (process.platform === 'win32' || WORKBENCH_SHARED === '0') return () => openOwn();
    const { createHostLinks } = await loadPart(() => import('../host/front/host-links.js'));
    const computer = thisComputer(process.env);
    const links = createHostLinks({ id, configuration, output, computer, isFrozen, hostName, log }, openOwn);
    serving = links;
    return links.open;
  }

  return async (lost) => {
    if (configuration.current.overview.fault !== undefined) {
      const { createFaultyLink } = await loadPart(() => import('../../session/faulty-link.js'));
      return createFaultyLink(following, lost);
    }
    open ??= await load();
    return open(lost);
  };
}

/** Ends all servers, then the process. */
function createShutdown(closeSession: () => Promise<void>): (code: number) => void {
  let isShuttingDown = false;
  // `process.exit` waits for pending file operations, and one on an unresponsive disk never ends.
  const kill = () => process.kill(process.pid, 'SIGKILL');
  async function close(): Promise<boolean> {
    await closeSession();
    return (await serving?.close()) ?? true;
  }
  return (code) => {
    if (isShuttingDown) return;
    isShuttingDown = true;
    setTimeout(kill, closeLimitMs).unref();
    void close()
      .catch(() => true)
      .then((isWritten) => (isWritten ? process.exit(code) : kill()));
  };
}
