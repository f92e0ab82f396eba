import type { OAuthTokens } from '@modelcontextprotocol/client';
import { WorkbenchError } from '../../contract/errors.js';
import { renewAheadMs } from '../../limits.js';
import type { StoredTokens } from './login-file.js';

/** The tokens as they are stored. Whatever else an authorization server sends is dropped. */
export function storedTokens(issued: OAuthTokens, requested: string | undefined): StoredTokens {
  const { access_token: access, refresh_token: refresh, token_type: type, expires_in: seconds, scope } = issued;
  if (type.toLowerCase() !== 'bearer') {
    throw new WorkbenchError('LOGIN_UNSUPPORTED', 'the authorization server issues no bearer tokens');
  }
  if (!/^[\x21-\x7e]+$/.test(access)) {
    throw new WorkbenchError(
      'LOGIN_FAILED',
      'the authorization server issued a token with characters that are not allowed',
    );
  }
  const lifetime = seconds !== undefined && seconds > 0 ? seconds * 1000 : undefined;
  return {
    access,
    ...(refresh !== undefined && { refresh }),
    ...((scope ?? requested) !== undefined && { scope: scope ?? requested }),
    ...(lifetime !== undefined && { lifetime, expires: Date.now() + lifetime }),
  };
}

/** Whether it should be renewed before it is used: it has expired, or will while a request is on its way. */
export function expiresSoon({ expires, lifetime }: StoredTokens): boolean {
  return expires !== undefined && expires - Date.now() < Math.min(renewAheadMs, (lifetime ?? 0) / 5);
}
