import { selectClientAuthMethod } from '@modelcontextprotocol/client';
import type { OAuthSettings } from '../../config/config.js';
import { clientInformation, isCurrent } from './client.js';
import type { Flow } from './login-context.js';
import type { StoredLogin } from './login-file.js';

/** Tells the authorization server that the tokens are no longer used, where it has an endpoint for that. */
export async function revoke(login: StoredLogin, settings: OAuthSettings | undefined, { fetch }: Flow): Promise<void> {
  const { tokens, metadata, client, issuer } = login;
  const endpoint = metadata?.['revocation_endpoint'];
  if (tokens === undefined || typeof endpoint !== 'string' || !isConfidential(endpoint)) return;
  // The secret in the configuration belongs to another client, or to another issuer.
  if (client.origin === 'configured' && !isCurrent(login, settings)) return;
  const information = clientInformation(client, settings, issuer);
  const supported =
    metadata?.['revocation_endpoint_auth_methods_supported'] ?? metadata?.['token_endpoint_auth_methods_supported'];
  const methods = Array.isArray(supported) ? supported.filter((method) => typeof method === 'string') : [];
  const method = selectClientAuthMethod(information, methods);
  const secret = information.client_secret ?? '';
  const basic = Buffer.from(`${client.id}:${secret}`).toString('base64');
  const authorization = method === 'client_secret_basic' ? { authorization: `Basic ${basic}` } : undefined;
  const ofClient = {
    ...(authorization === undefined && { client_id: client.id }),
    ...(method === 'client_secret_post' && { client_secret: secret }),
  };
  for (const [hint, token] of Object.entries({ refresh_token: tokens.refresh, access_token: tokens.access })) {
    if (token === undefined) continue;
    const body = new URLSearchParams({ token, token_type_hint: hint, ...ofClient });
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...authorization };
    await fetch(endpoint, { method: 'POST', headers, body });
  }
}

/** As the SDK wants it of the endpoint for tokens. */
function isConfidential(endpoint: string): boolean {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback.test(url.hostname));
}

const isLoopback = /^(?:(?:.+\.)?localhost|127\.0\.0\.1|\[::1\])$/;
