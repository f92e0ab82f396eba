import type { Credentials } from './identify.js';

export type Bearer =
  | { readonly token: string }
  | { readonly problem: 'token-missing' | 'token-malformed' | 'token-repeated' | 'token-in-query' };

const header = 'authorization';
const scheme = /^bearer(?: |$)/i;
/** One token as RFC 6750 writes it. */
const credentials = /^bearer +([\w.~+/-]+=*)$/i;

/** The token of a request: in one header, and nowhere else. */
export function bearerOf({ headers, rawHeaders, url = '' }: Credentials): Bearer {
  // A URL is logged by proxies and kept by browsers: a token that was in one is refused, so that the mistake is noticed.
  if (hasTokenInQuery(url)) return { problem: 'token-in-query' };
  const { authorization = '' } = headers;
  // Node.js keeps the first of several, a proxy before us may have checked the last.
  if (countOf(rawHeaders) > 1) return { problem: 'token-repeated' };
  if (!scheme.test(authorization)) return { problem: 'token-missing' };
  const token = credentials.exec(authorization)?.[1];
  return token === undefined ? { problem: 'token-malformed' } : { token };
}

function hasTokenInQuery(url: string): boolean {
  const start = url.indexOf('?');
  return start >= 0 && new URLSearchParams(url.slice(start)).has('access_token');
}

function countOf(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === header.length && name.toLowerCase() === header) count += 1;
  }
  return count;
}
