import type { IncomingMessage } from 'node:http';
import { maxDiscardedBytes, maxDiscardingMs, maxRedirects } from '../../../limits.js';
import { NetworkFailure, shownUrl } from './network-failure.js';

/** These leave method and body as they are. Browsers turn a POST into a GET on some; no server of MCP means that. */
const statuses: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/** Follows the redirects of one request. */
export interface Redirects {
  /** Where a response leads to; undefined if it is not a redirect. Fails if it must not be followed. */
  next(method: string, url: URL, response: IncomingMessage): URL | undefined;
}

export function createRedirects(first: URL): Redirects {
  const seen = new Set([first.href]);
  return {
    next(method, url, { statusCode = 0, headers: { location } }) {
      if (location === undefined || !(statuses.has(statusCode) || statusCode === 303)) return undefined;
      // Only this one says that the request was processed.
      const fail = (what: string) =>
        new NetworkFailure(`${shownUrl(url)} ${what}`, { wasSent: statusCode === 303 && method !== 'GET' });
      if (!URL.canParse(location, url.href)) throw fail(`redirects (${statusCode}) to something that is not a URL`);
      const target = new URL(location, url);
      if (!['http:', 'https:'].includes(target.protocol))
        throw fail(`redirects (${statusCode}) to something that is not http`);
      const shown = shownUrl(target);
      if (statusCode === 303 && method !== 'GET') {
        throw fail(
          `answered a ${method} with a redirect to another page (303: ${shown}); check that the URL is that of an MCP server`,
        );
      }
      if (target.username !== '' || target.password !== '') {
        throw fail(`redirects (${statusCode}) to ${shown} with a user or password in the URL, which is refused`);
      }
      if (seen.has(target.href)) throw fail(`redirects in a loop, last (${statusCode}) to ${shown}; check the URL`);
      if (seen.size > maxRedirects) {
        throw fail(`redirects more than ${maxRedirects} times, last (${statusCode}) to ${shown}; check the URL`);
      }
      seen.add(target.href);
      return target;
    },
  };
}

/** Reads the unneeded rest of a response, so that its connection can be used again; ends the connection if that takes long. */
export async function discard(response: IncomingMessage): Promise<void> {
  let bytes = 0;
  const timer = setTimeout(() => response.destroy(), maxDiscardingMs);
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxDiscardedBytes) response.destroy();
  });
  await new Promise<void>((resolve) => {
    response.once('close', resolve);
    response.once('error', () => resolve());
  });
  clearTimeout(timer);
}
