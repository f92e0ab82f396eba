import { type ListenAddress, parseListenAddress } from '../../config/http/addresses.js';
import { resolveHttp } from '../../config/http/resolve-http.js';
import { WorkbenchError } from '../../contract/errors.js';
import type { Computer } from '../../platform/computer.js';
import { dataDirectoryOf } from '../../platform/directories.js';
import { loadPart } from '../../platform/load-part.js';
import { createLog, type Log } from '../../platform/log.js';
import { createLiveConfiguration } from '../../session/configuration/live-configuration.js';
import { printableLine } from '../../text/printable.js';
import { createEngineOf } from './engine-of-service.js';
import { closeLimitMs } from './exchange/limits.js';
import { findServiceConfiguration, servicePath } from './find-configuration.js';
import { createHttpService, type HttpService } from './http-service.js';
import { identifierOf } from './identifier-of.js';
import { readOrMakeSecret } from './identity/secret-files.js';
import { createServiceLogins } from './login/service-logins.js';
import { operatorEdits } from './operator-edits.js';
import { createServiceStatus } from './service-status.js';

export interface HttpOptions {
  /** The value of `--config`. */
  readonly config: string | undefined;
  /** `HOST:PORT` of the command line. */
  readonly address: string | undefined;
  readonly isFrozen: boolean;
  readonly computer: Computer;
}

/** Serves MCP over HTTP until a signal ends the process. */
export async function serveHttp({ config, address, isFrozen, computer }: HttpOptions): Promise<void> {
  let keepLine = (_line: string) => {};
  // Whoever reads it may go; a failed write must not end the process.
  process.stderr.on('error', () => {});
  const log = createLog((line) => {
    process.stderr.write(line);
    keepLine(line);
  });
  const find = (its: Log) => findServiceConfiguration(config, computer, its);
  const live = createLiveConfiguration(await find(log));
  const settings = await resolveHttp(live.current, computer, {
    listen: listenAt(address),
    warn: (text) => log.warn(text),
  });
  const dataDirectory = dataDirectoryOf(computer);
  const identifier = await identifierOf(settings, dataDirectory, computer, log);
  const secret = readOrMakeSecret(dataDirectory, computer.platform);
  const { host } = settings.listen;
  const shownHost = host.includes(':') ? `[${host}]` : host;
  let { port } = settings.listen;
  const ownUrl = () => settings.url ?? `http://${shownHost}:${port}${settings.path}`;
  const logins = createServiceLogins({ settings, origin: () => new URL(ownUrl()).origin, computer, log });
  const status = createServiceStatus({ cwd: computer.cwd, processes: () => engine.processes(), log });
  const { publisher } = status;
  const engine = createEngineOf({ computer, settings, secret, isFrozen, logins, live, publisher, log });
  keepLine = (line) => engine.keepLine(line);
  const service = createHttpService({ settings, computer, live, identifier, secret, engineOf: engine, logins, log });
  const ended = endedBySignal(service, log);
  port = await service.listen();
  log.info(`configuration: ${live.current.source?.path ?? 'none found, serving the embedded one'}`);
  log.info(`serving ${ownUrl()}, listening on ${shownHost}:${port}`);
  status.open(ownUrl(), live.current.source?.path);
  if (settings.auth === undefined) log.info('clients need the token: mcp-workbench token');
  const { followConfiguration } = await loadPart(() => import('../../session/configuration/follow-configuration.js'));
  const search = { path: servicePath(config, computer), ...computer };
  // Other files that it names are watched once they have been read.
  await live.current.load();
  followConfiguration(live, find, search, log, operatorEdits(live, log));
  await ended;
  status.close();
  identifier.close();
  logins.close();
  await engine.close();
}

/** Of the command line. */
function listenAt(written: string | undefined): ListenAddress | undefined {
  const address = written === undefined ? undefined : parseListenAddress(written);
  if (written === undefined || address !== undefined) return address;
  const hint = 'Write HOST:PORT, such as 127.0.0.1:4760 or [::1]:4760.';
  throw new WorkbenchError('INPUT_INVALID', `'${printableLine(written)}' is no address to listen on. ${hint}`);
}

/** Resolves when a signal has ended the service; another one skips its waiting. */
function endedBySignal(service: HttpService, log: Log): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      void service.close().then(() => {
        // Servers have some time to end, and nothing may keep the process alive for longer.
        setTimeout(() => process.kill(process.pid, 'SIGKILL'), closeLimitMs).unref();
        resolve();
      });
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
    for (const event of ['uncaughtException', 'unhandledRejection'] as const)
      process.on(event, (error: unknown) =>
        log.error(`unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
      );
  });
}
