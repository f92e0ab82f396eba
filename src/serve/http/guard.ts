import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { maxHeaderLines } from './exchange/limits.js';
import { countOf } from './exchange/raw-headers.js';
import type { Refusal } from './exchange/refusal.js';

export interface GuardSettings {
  readonly listen: { readonly host: string };
  /** As clients see the service; undefined: it is reached by its own port only. */
  readonly url: string | undefined;
  /** Of pages that may call it. */
  readonly origins: readonly string[];
}

/** What is checked before anything else of a request is looked at. */
export interface Guard {
  /** `port`: the one that it listens on. */
  check(request: IncomingMessage, port: number): Refusal | undefined;
  /** The headers that let a page read the answer. */
  corsHeaders(request: IncomingMessage): OutgoingHttpHeaders | undefined;
}

const loopbackNames: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

const exposed = 'Mcp-Session-Id, WWW-Authenticate, Retry-After';
const allowedHeaders =
  'Authorization, Content-Type, Accept, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Param-Toolbox, Last-Event-ID';

/** With and without a port that is the default of its scheme: both are the same origin. */
function hostsOf(url: string | undefined): ReadonlySet<string> {
  if (url === undefined) return new Set();
  const { host, protocol } = new URL(url);
  return new Set(/:\d+$/.test(host) ? [host] : [host, `${host}:${protocol === 'https:' ? 443 : 80}`]);
}

export function createGuard({ listen, url, origins }: GuardSettings): Guard {
  const ownHosts = hostsOf(url);
  const listed = new Set(origins);

  function isOurs(host: string, port: number): boolean {
    if (ownHosts.has(host)) return true;
    const at = host.lastIndexOf(':');
    const [name, given] = /:\d+$/.test(host) ? [host.slice(0, at), host.slice(at + 1)] : [host, '80'];
    return given === String(port) && (loopbackNames.has(name) || name === listen.host);
  }

  return {
    check({ rawHeaders, headers }, port) {
      if (rawHeaders.length > 2 * maxHeaderLines) return { status: 431, closes: true };
      const { host = '', origin } = headers;
      if (countOf(rawHeaders, 'host') !== 1 || !isOurs(host.toLowerCase(), port)) return { status: 403, closes: true };
      if (origin === undefined) return undefined;
      return countOf(rawHeaders, 'origin') === 1 && listed.has(origin) ? undefined : { status: 403, closes: true };
    },
    corsHeaders({ headers: { origin }, method }) {
      // It has passed the check.
      if (origin === undefined) return undefined;
      const shared = {
        'Access-Control-Allow-Origin': origin,
        Vary: 'Origin',
        'Access-Control-Expose-Headers': exposed,
      };
      if (method !== 'OPTIONS') return shared;
      return {
        ...shared,
        'Access-Control-Allow-Methods': 'POST, GET, DELETE',
        'Access-Control-Allow-Headers': allowedHeaders,
        'Access-Control-Max-Age': '600',
      };
    },
  };
}
