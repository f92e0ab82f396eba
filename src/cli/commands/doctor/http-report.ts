import { createServer } from 'node:net';
import { resolveHttp } from '../../../config/http/resolve-http.js';
import type { HttpSettings } from '../../../config/http/settings.js';
import { type Configuration, readConfiguration } from '../../../config/read/configuration.js';
import { findFile } from '../../../config/read/find-file.js';
import { isWorkbenchError, messageOf } from '../../../contract/errors.js';
import { listSessions } from '../../../inspect/list-sessions.js';
import { isRecord } from '../../../jsonrpc/json.js';
import type { Computer } from '../../../platform/computer.js';
import { dataDirectoryOf } from '../../../platform/directories.js';
import { loadPart } from '../../../platform/load-part.js';
import { silentLog } from '../../../platform/log.js';
import { directoryProblem } from '../../../platform/own-directory.js';
import { fetchKeys, findKeysUrl } from '../../../serve/http/identity/issuer-document.js';
import { readToken } from '../../../serve/http/identity/secret-files.js';
import { metadataPath } from '../../../serve/http/metadata.js';
import type { Call } from '../../frame/command.js';
import type { HttpCheck } from './http-screen.js';

/** What is to be said about the service over HTTP that the configuration describes; undefined if it describes none. */
export async function checkHttp(
  { value, computer }: Pick<Call, 'value' | 'computer'>,
  signal: AbortSignal,
): Promise<HttpCheck[] | undefined> {
  const { file: found } = await findFile(value('config'), computer, () => {});
  const configuration = await readConfiguration(found, computer, silentLog);
  if (configuration.file?.http === undefined) return undefined;
  const settings = await settingsOf(configuration, computer);
  if ('what' in settings) return [settings];
  const running = await runningService(configuration);
  const { auth } = settings;
  const listen = await checkListen(settings, running);
  if (auth === undefined) return [listen, checkToken(computer)];
  const checks = [listen, checkDirectory(computer), await checkIssuer(auth.issuer, computer, signal)];
  return settings.url === undefined
    ? checks
    : [...checks, await checkUrl({ ...settings, url: settings.url }, running !== undefined, computer, signal)];
}

async function settingsOf(configuration: Configuration, computer: Computer): Promise<HttpSettings | HttpCheck> {
  try {
    return await resolveHttp(configuration, computer, { warn: () => {} });
  } catch (error) {
    if (!isWorkbenchError(error)) throw error;
    return { what: 'settings', state: 'failed', text: error.message };
  }
}

interface RunningService {
  readonly pid: number;
  readonly url: string;
}

async function runningService({ source }: Configuration): Promise<RunningService | undefined> {
  const found = await listSessions({ config: source?.path ?? null });
  return found.flatMap((one) =>
    one.is === 'known' && one.service !== undefined ? [{ pid: one.pid, url: one.service.url }] : [],
  )[0];
}

async function checkListen({ listen }: HttpSettings, running: RunningService | undefined): Promise<HttpCheck> {
  const { host, port } = listen;
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (running !== undefined)
    return { what: 'listen', state: 'well', text: `process ${running.pid} serves ${running.url}` };
  const problem = await bindProblem(host, port);
  return problem === undefined
    ? {
        what: 'listen',
        state: 'idle',
        text: `${address} is free, and the service does not run: mcp-workbench serve --http`,
      }
    : {
        what: 'listen',
        state: 'failed',
        text: `no service of this configuration runs, and ${address} cannot be listened on: ${problem}`,
      };
}

function bindProblem(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', ({ message, code }: NodeJS.ErrnoException) =>
      resolve(code === 'EADDRINUSE' ? 'another program does' : message),
    );
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

function checkToken(computer: Computer): HttpCheck {
  try {
    const token = readToken(dataDirectoryOf(computer), computer.platform);
    return token === undefined
      ? { what: 'token', state: 'idle', text: 'no token yet; the first start makes it' }
      : { what: 'token', state: 'well', text: 'the token is in a file that only you can read' };
  } catch (error) {
    return { what: 'token', state: 'failed', text: messageOf(error) };
  }
}

/** The homes of users are in it. */
function checkDirectory(computer: Computer): HttpCheck {
  const directory = dataDirectoryOf(computer);
  const problem = directoryProblem(directory, computer.platform);
  return problem === undefined
    ? { what: 'directory', state: 'well', text: `users have their directories in ${directory}` }
    : { what: 'directory', state: 'failed', text: `there is no safe place for the directories of users: ${problem}` };
}

async function checkIssuer(issuer: string, computer: Computer, signal: AbortSignal): Promise<HttpCheck> {
  const { createDocumentFetcher } = await loadFetcher();
  const issuers = createDocumentFetcher(issuer, computer);
  try {
    const keysUrl = await findKeysUrl(issuer, issuers.fetch, signal);
    const keys = await fetchKeys(keysUrl, issuer, issuers.fetch, signal);
    const text = `${issuer} names ${keys.length} ${keys.length === 1 ? 'key' : 'keys'}`;
    return keys.length > 0
      ? { what: 'issuer', state: 'well', text }
      : { what: 'issuer', state: 'failed', text: `${issuer} names no key, so no token can be verified` };
  } catch (error) {
    signal.throwIfAborted();
    return { what: 'issuer', state: 'failed', text: `${issuer}: ${messageOf(error)}` };
  } finally {
    issuers.close();
  }
}

const metadataLimits = { maxBytes: 65_536, timeoutMs: 5_000 } as const;

/** Clients compare the URL that they were given with that of the metadata, and believe no other. */
async function checkUrl(
  { url, path }: HttpSettings & { readonly url: string },
  isRunning: boolean,
  computer: Computer,
  signal: AbortSignal,
): Promise<HttpCheck> {
  if (!isRunning) return { what: 'url', state: 'idle', text: `${url} is looked at while the service runs` };
  const { createDocumentFetcher } = await loadFetcher();
  const own = createDocumentFetcher(url, computer);
  const at = new URL(metadataPath(path), url).href;
  try {
    const { status, body } = await own.fetch(at, metadataLimits, signal);
    if (status !== 200)
      return { what: 'url', state: 'failed', text: `${at} answers ${status}: does the proxy pass it on?` };
    const resource = resourceIn(body);
    return resource === url
      ? { what: 'url', state: 'well', text: `${url} is what its metadata say` }
      : { what: 'url', state: 'failed', text: `${at} names another service: ${resource ?? 'none'}` };
  } catch (error) {
    signal.throwIfAborted();
    return { what: 'url', state: 'failed', text: `${at}: ${messageOf(error)}` };
  } finally {
    own.close();
  }
}

function resourceIn(body: Buffer): string | undefined {
  try {
    const document: unknown = JSON.parse(body.toString('utf8'));
    return isRecord(document) && typeof document['resource'] === 'string' ? document['resource'] : undefined;
  } catch {
    return undefined;
  }
}

function loadFetcher() {
  return loadPart(() => import('../../../serve/http/identity/fetch-json.js'));
}
