import { createNetwork, type NetworkOptions, shownUrl } from '../../../downstream/http/network/network.js';
import { readUpTo } from '../../../downstream/http/network/read-up-to.js';
import type { FetchDocument } from './issuer-document.js';

export interface DocumentFetcher {
  readonly fetch: FetchDocument;
  close(): void;
}

/**
 * Fetches documents of the issuer as servers are reached: through proxies, and from no address that the issuer may not name. Only
 * its own URL, which the operator has written, may lead to a private network.
 */
export function createDocumentFetcher(
  issuer: string,
  options: Pick<NetworkOptions, 'env' | 'certificates' | 'lookup' | 'connect'>,
): DocumentFetcher {
  const network = createNetwork({ configured: new URL(issuer), ownHeaders: [], ...options });
  return {
    async fetch(address, { maxBytes, timeoutMs, post }, signal) {
      const wanted = new URL(address);
      const limit = new AbortController();
      const timer = setTimeout(
        () => limit.abort(new Error(`${shownUrl(wanted)} has not answered within ${timeoutMs} ms`)),
        timeoutMs,
      );
      try {
        const { status, body, url } = await network.request({
          url: wanted,
          method: post === undefined ? 'GET' : 'POST',
          headers: [['accept', 'application/json'], ...(post?.headers ?? [])],
          body: post?.body,
          keepsRedirects: post !== undefined,
          signal: AbortSignal.any([signal, limit.signal]),
        });
        if (wanted.protocol === 'https:' && url.protocol !== 'https:') {
          body.destroy();
          throw new Error(`${shownUrl(wanted)} redirects to ${shownUrl(url)}, which is not https`);
        }
        return { status, body: await readUpTo(maxBytes, body, shownUrl(url)) };
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => network.close(),
  };
}
