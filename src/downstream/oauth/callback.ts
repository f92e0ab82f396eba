import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WorkbenchError } from '../../contract/errors.js';
import { callbackPage, type LoginOutcome } from './callback-page.js';

/** Waits for the browser on this computer. */
export interface Callback {
  readonly redirectUrl: string;
  close(): void;
}

export interface CallbackOptions {
  /** Configured, so the redirect is registered with exactly this port. */
  readonly port: number | undefined;
  /** The redirect of the last login: with the same one, the client need not be registered again. */
  readonly preferred: string | undefined;
  /** The browser has returned; the page says how it ended. */
  readonly answered: (parameters: URLSearchParams) => Promise<LoginOutcome>;
}

const path = '/callback';
/** Of a URL in a request line; it is not looked at. */
const origin = 'http://127.0.0.1';

export async function listenForBrowser({ port, preferred, answered }: CallbackOptions): Promise<Callback> {
  const servers: Server[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse) => void respond(request, response, answered);
  const listen = async (host: string, wanted: number) => {
    const server = createServer({ requestTimeout: 10_000, maxHeaderSize: 65_536 }, answer);
    servers.push(server);
    return listening(server, host, wanted);
  };
  const close = () => {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  };
  if (port === undefined) {
    const last = URL.canParse(preferred ?? '') ? Number(new URL(preferred ?? '').port) : 0;
    const found = await listen('127.0.0.1', last).catch(() => listen('127.0.0.1', 0));
    return { redirectUrl: `http://127.0.0.1:${found}${path}`, close };
  }
  try {
    await listen('127.0.0.1', port);
    // A browser may look `localhost` up as this address first: another program there would get the answer.
    await listen('::1', port).catch(unlessMissing);
  } catch (cause) {
    close();
    const text = `Port ${port} ("oauth.callbackPort") cannot be used: another program has it.`;
    throw new WorkbenchError('LOGIN_PORT_TAKEN', text, { cause });
  }
  return { redirectUrl: redirectTo(port), close };
}

/** Not every computer has IPv6. */
function unlessMissing(error: unknown): void {
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') throw error;
}

/** What is registered for a configured port. */
export function redirectTo(port: number): string {
  return `http://localhost:${port}${path}`;
}

function listening(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port, not on a path
      resolve((server.address() as AddressInfo).port);
    });
  });
}

async function respond(
  { method, url = '/' }: IncomingMessage,
  response: ServerResponse,
  answered: CallbackOptions['answered'],
): Promise<void> {
  // Any page and any user of this computer can send something here, also what is no URL.
  const target = URL.canParse(url, origin) ? new URL(url, origin) : undefined;
  const isCallback = method === 'GET' && target?.pathname === path;
  const { status, headers, body } = callbackPage(
    isCallback ? await answered(target.searchParams) : { kind: 'not-found' },
  );
  response.writeHead(status, headers);
  response.end(body);
}
