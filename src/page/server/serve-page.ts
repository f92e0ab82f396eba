import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { WorkbenchError } from '../../contract/errors.js';
import { newToken } from '../../platform/token.js';
import { createLiveFeed, type FeedOptions } from './live-feed.js';
import { type PageFile, type PageFiles, pageHeaders } from './page-files.js';
import { hasToken, type Refusal, refuseStranger } from './request-guard.js';

export interface ServedPage {
  /** With the token in the fragment, which no browser sends. */
  readonly address: string;
  close(): void;
}

interface PageOptions extends FeedOptions {
  readonly files: PageFiles;
  /** Only this port is used, if it is given. */
  readonly port: number | undefined;
}

type Answer = (response: ServerResponse, value: (name: string) => string) => Promise<void> | void;

const defaultPort = 4_750;
const portsToTry = 20;
const longestQuery = 2_000;
const maxConnections = 64;
/** 128 bits that only the address in the terminal has. */
const tokenBytes = 16;
/** A browser sends its request at once: what holds a connection without one makes room for it soon. */
const requestLimitMs = 5_000;
const checkEveryMs = 1_000;

/** Serves the page on this computer until it is closed. */
export async function servePage({ files, port, ...options }: PageOptions): Promise<ServedPage> {
  const token = newToken(tokenBytes);
  const feed = createLiveFeed(options);
  const { source } = options;
  let at = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = addressOf(request);
    const file = files.get(pathname);
    const stranger = refuseStranger(request, at, pathname === '/');
    if (stranger !== undefined) return refuse(response, stranger);
    if (file !== undefined) return sendFile(response, file);
    const work = answers.get(pathname);
    if (work === undefined) return refuse(response, 404);
    if (!hasToken(request, token)) return refuse(response, 401);
    await work(response, (name) => (searchParams.get(name) ?? '').slice(0, longestQuery));
  }

  const answers: ReadonlyMap<string, Answer> = new Map<string, Answer>([
    [
      '/api/live',
      (response) => {
        response.writeHead(200, { ...pageHeaders, 'Content-Type': 'application/x-ndjson; charset=utf-8' });
        response.flushHeaders();
        feed.add(response);
      },
    ],
    [
      '/api/log',
      (response, value) => sendJson(response, { lines: source.logLines(value('toolbox'), value('server')) ?? null }),
    ],
    [
      '/api/search',
      async (response, value) => sendJson(response, await source.search(value('toolbox'), value('query'))),
    ],
    ['/api/approvals', async (response) => sendJson(response, await source.approvals())],
  ]);

  // Loaded only here: other commands of the same part do without it.
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer(
    {
      requestTimeout: requestLimitMs,
      headersTimeout: requestLimitMs,
      connectionsCheckingInterval: checkEveryMs,
      // One without it is refused like one with another name.
      requireHostHeader: false,
    },
    (request, response) => {
      answer(request, response).catch(() => {
        if (response.headersSent) response.destroy();
        else response.writeHead(500, pageHeaders).end();
      });
    },
  );
  server.maxConnections = maxConnections;
  try {
    at = await listen(server, port);
  } catch (error) {
    feed.close();
    throw error;
  }
  return {
    address: `http://127.0.0.1:${at}/#${token}`,
    close() {
      feed.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Malformed URLs are refused like unknown ones. */
function addressOf({ url = '' }: IncomingMessage): Pick<URL, 'pathname' | 'searchParams'> {
  const [pathname = '', query = ''] = url.split('?', 2);
  return { pathname, searchParams: new URLSearchParams(query) };
}

/** Without a body: nothing is said to strangers. */
function refuse(response: ServerResponse, status: Refusal): void {
  response.writeHead(status, { ...pageHeaders, 'Content-Length': '0', Connection: 'close' }).end();
}

function sendFile(response: ServerResponse, { type, text }: PageFile): void {
  response
    .writeHead(200, { ...pageHeaders, 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) })
    .end(text);
}

function sendJson(response: ServerResponse, content: object): void {
  sendFile(response, { type: 'application/json; charset=utf-8', text: JSON.stringify(content) });
}

/** The port that was given, or the first free one. */
async function listen(server: Server, given: number | undefined): Promise<number> {
  const ports = given === undefined ? Array.from({ length: portsToTry }, (_, more) => defaultPort + more) : [given];
  for (const port of given === undefined ? [...ports, 0] : ports) {
    const problem = await tryListen(server, port);
    if (problem === undefined) {
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : port;
    }
    if (problem.code !== 'EADDRINUSE' && problem.code !== 'EACCES') throw problem;
  }
  throw new WorkbenchError(
    'PAGE_PORT_TAKEN',
    `Port ${given} cannot be used: another program has it, or it is reserved`,
    {
      hint: 'Choose another one, or leave out --port.',
    },
  );
}

function tryListen(server: Server, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const onError = (error: NodeJS.ErrnoException) => resolve(error);
    server.once('error', onError);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', onError);
      resolve(undefined);
    });
  });
}
