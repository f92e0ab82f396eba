import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from '../../../config/http/addresses.js';
import { sha256 } from '../../../platform/crypto.js';
import { isSameToken } from '../../../platform/token.js';

/** What ties a login to the browser that has opened its link: a cookie for each login, so that two can be open at once. */
export interface LoginCookies {
  /** The header that sets it. */
  set(id: string, value: string, seconds: number): string;
  clear(id: string): string;
  /** Whether the request has this value. */
  has(request: IncomingMessage, id: string, value: string): boolean;
}

/**
 * With `__Host-` no other host, and no page without TLS, can set or read the cookie. A browser keeps such a cookie for https only,
 * so a service that is reached by http, which is only possible on this computer, has one without.
 */
export function createLoginCookies(origin: string): LoginCookies {
  const { protocol, hostname } = new URL(origin);
  const isSecure = protocol === 'https:';
  if (!isSecure && !isLoopbackHost(hostname.replace(/^\[(.*)\]$/, '$1')))
    throw new Error(`logins need https: ${origin} is not on this computer`);
  const [prefix, secure] = isSecure ? ['__Host-', '; Secure'] : ['', ''];
  const nameOf = (id: string) => `${prefix}workbench-login-${sha256(id).slice(0, 16)}`;
  const header = (id: string, value: string, seconds: number) =>
    `${nameOf(id)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
  return {
    set: header,
    clear: (id) => header(id, '', 0),
    has({ headers: { cookie = '' } }, id, value) {
      const name = nameOf(id);
      const given = cookie
        .split(';')
        .map((one) => one.trim())
        .filter((one) => one.startsWith(`${name}=`));
      // Of two, somebody else may have set one.
      return given.length === 1 && isSameToken(given[0]?.slice(name.length + 1) ?? '', value);
    },
  };
}
