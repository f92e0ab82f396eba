import { acceptedEncodings } from './decode-body.js';
import { basicAuthorization } from './proxies.js';

/** They describe the connection and the framing, which are decided here. */
const framing = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const credentials = ['authorization', 'cookie', 'proxy-authorization'] as const;

/** The headers of one request, from one redirect to the next. */
export interface RequestHeaders {
  /** As they are sent to the server of the URL. */
  to(url: URL): ReadonlyMap<string, readonly string[]>;
  /** To another origin nothing goes along that belongs to the first. It stays dropped if a later redirect leads back. */
  redirected(from: URL, to: URL): void;
  /** Whether the headers of the configuration are left out. */
  areDropped(): boolean;
}

export interface HeadersOptions {
  readonly url: URL;
  readonly headers: Iterable<readonly [string, string]>;
  readonly configured: URL;
  /** Names in lower case. */
  readonly ownHeaders: ReadonlySet<string>;
}

export function createRequestHeaders({ url: first, headers, configured, ownHeaders }: HeadersOptions): RequestHeaders {
  const kept = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (!framing.has(key)) kept.set(key, [...(kept.get(key) ?? []), value]);
  }
  kept.set('accept-encoding', [acceptedEncodings]);
  let areDropped = false;
  const drop = (names: Iterable<string>) => {
    areDropped = true;
    for (const name of names) kept.delete(name);
  };
  const hasUser = first.username !== '' || first.password !== '';
  if (first.origin !== configured.origin) drop(ownHeaders);
  else if (hasUser && !kept.has('authorization')) kept.set('authorization', [basicAuthorization(first)]);
  return {
    to: (url) => (kept.has('host') ? kept : new Map([['host', [url.host]], ...kept])),
    redirected(from, to) {
      if (from.origin !== to.origin) drop([...ownHeaders, ...credentials, 'host']);
    },
    areDropped: () => areDropped,
  };
}
