import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WorkbenchError } from '../../../contract/errors.js';
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
  } catch (cause) {
    close();
    const text = `Port ${port} ("oauth.callbackPort") cannot be used: another program has it.`;
    throw new WorkbenchError('LOGIN_PORT_TAKEN', text, { cause });
  }
  // A browser may look `localhost` up as this address first. Not every computer has it.
  await listen('::1', port).catch(() => {});
  return { redirectUrl: redirectTo(port), close };
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
  const target = new URL(url, 'http://127.0.0.1');
  const isCallback = method === 'GET' && target.pathname === path;
  const { status, headers, body } = callbackPage(
    isCallback ? await answered(target.searchParams) : { kind: 'not-found' },
  );
  response.writeHead(status, headers);
  response.end(body);
}
