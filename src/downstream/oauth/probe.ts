import type { RemoteTarget } from '../../config/config.js';
import { latestLegacyRevision } from '../../jsonrpc/revisions.js';
import { loginRequestMs } from '../../limits.js';
import { version } from '../../platform/version.js';
import { type LoginContext, withFlow } from './login-context.js';

/** What a server answers to a request without a login. */
export interface Probe {
  readonly status: number;
  readonly challenge: string | undefined;
}

/** Sends a handshake that is not continued: the first request of every client. Only the head of the response is read. */
export function probe(context: LoginContext, signal: AbortSignal): Promise<Probe> {
  return withFlow(context, signal, async ({ request }) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(loginRequestMs)]);
    const { status, headers, body } = await request({ ...requestTo(context.target), signal: limit });
    body.destroy();
    return { status, challenge: headers['www-authenticate'] };
  });
}

function requestTo({ url, headers, transport }: RemoteTarget) {
  const accept = ['accept', 'application/json, text/event-stream'] as const;
  if (transport === 'sse') return { url: new URL(url), method: 'GET', headers: [...headers, accept] } as const;
  const type = ['content-type', 'application/json'] as const;
  return { url: new URL(url), method: 'POST', headers: [...headers, accept, type], body: handshake } as const;
}

const handshake = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: latestLegacyRevision,
    capabilities: {},
    clientInfo: { name: 'mcp-workbench', version },
  },
});
