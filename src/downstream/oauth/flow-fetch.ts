import type { FetchLike } from '@modelcontextprotocol/client';
import { loginRequestMs, maxLoginBodyBytes } from '../../limits.js';
import type { HttpResponse, Network } from '../http/network/network.js';
import { readUpTo } from '../http/network/read-up-to.js';

/**
 * The `fetch` of the SDK's authorization functions. All their requests go through the network of the server, so that the
 * addresses they may reach are the ones that the server may name. A redirect is never followed here: the body may be a secret.
 */
export function createFlowFetch(network: Network, signal: AbortSignal): FetchLike {
  return async (url, init = {}) => {
    const { headers, body } = init;
    const response = await network.request({
      url: new URL(url),
      method: init.method === 'POST' ? 'POST' : 'GET',
      headers: new Headers(headers),
      body: body === undefined || body === null ? undefined : bodyText(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(loginRequestMs)]),
      keepsRedirects: true,
    });
    return asResponse(response);
  };
}

function bodyText(body: NonNullable<RequestInit['body']>): string {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new Error('a request of an unknown kind');
}

async function asResponse({ status, headers, body }: HttpResponse): Promise<Response> {
  const content = await readUpTo(maxLoginBodyBytes, body, 'its answer');
  const given = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value ?? []].flat()) given.append(name, one);
  }
  const isEmpty = status < 200 || status === 204 || status === 205 || status === 304;
  return new Response(isEmpty ? null : content, { status: status < 200 ? 502 : status, headers: given });
}
