import type { IncomingMessage } from 'node:http';
import { isSameToken } from '../../platform/token.js';

/** Why a request is not answered, as a status of HTTP. */
export type Refusal = 401 | 403 | 404 | 405 | 421;

const bearer = 'Bearer ';

/**
 * Another name for this computer (DNS rebinding), or a page of another origin: refused, whatever is asked for. A link to the page
 * itself may stand anywhere.
 */
export function refuseStranger(
  { headers, method }: IncomingMessage,
  port: number,
  isPage: boolean,
): Refusal | undefined {
  const { host = '', origin } = headers;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return 421;
  if (origin !== undefined && origin !== `http://${host}`) return 403;
  const site = headers['sec-fetch-site'] ?? 'none';
  const isLink = isPage && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  if (site !== 'same-origin' && site !== 'none' && !isLink) return 403;
  return method === 'GET' ? undefined : 405;
}

export function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const { authorization = '' } = headers;
  return isSameToken(authorization.startsWith(bearer) ? authorization.slice(bearer.length) : '', token);
}
