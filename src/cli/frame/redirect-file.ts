import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Computer } from '../../platform/computer.js';
import { crypto } from '../../platform/crypto.js';
import { cacheDirectoryOf } from '../../platform/directories.js';
import { directoryProblem } from '../../platform/own-directory.js';

/** A file that leads a browser to an address, once. Every user of the computer reads the arguments of a program: they get this path. */
export interface RedirectFile {
  readonly path: string;
  /** Removes it, if it was not used. */
  close(): void;
}

/** A process that was killed could not remove its file. */
const staleAfterMs = 3_600_000;

/**
 * The file has a key for one request to a port of this process, which answers with the address: so it is known whether the
 * browser could read it. `used`: it could.
 */
export async function createRedirectFile(address: string, computer: Computer, used: () => void): Promise<RedirectFile> {
  const directory = join(cacheDirectoryOf(computer), 'browser');
  const problem = directoryProblem(directory, computer.platform);
  if (problem !== undefined) throw new Error(problem);
  const key = `/${crypto().randomBytes(16).toString('base64url')}`;
  const path = join(directory, `${crypto().randomUUID()}.html`);

  function close(): void {
    process.off('exit', remove);
    server.close();
    remove();
  }
  const remove = () => rmSync(path, { force: true });
  const answer = ({ method, url }: IncomingMessage, response: ServerResponse) => {
    const isBrowser = method === 'GET' && url === key;
    if (!isBrowser) return void response.writeHead(404, headers).end();
    response.writeHead(302, { ...headers, location: address }).end();
    close();
    used();
  };

  // Loaded only here: other commands of the same part do without it.
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer({ requestTimeout: 10_000 }, answer).unref();
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const at = server.address();
      resolve(typeof at === 'object' && at !== null ? at.port : 0);
    });
  });
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    removeStale(directory);
    writeFileSync(path, pageFor(`http://127.0.0.1:${port}${key}`), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    close();
    throw error;
  }
  process.once('exit', remove);
  return { path, close };
}

const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', connection: 'close' };

function pageFor(address: string): string {
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>MCP Workbench</title>
<p><a href="${address}">Continue</a></p>
`;
}

function removeStale(directory: string): void {
  for (const name of readdirSync(directory)) {
    const file = join(directory, name);
    const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > staleAfterMs) rmSync(file, { force: true });
  }
}
