import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import {
  createNetwork,
  type HttpRequest,
  type HttpResponse,
  type Network,
  NetworkFailure,
  type NetworkOptions,
} from '../../src/downstream/http/network/network.js';

/** A network for a server at this URL, without proxies unless `env` names them. It is closed when the test ends. */
export function networkFor(configured: string, options: Partial<NetworkOptions> = {}): Network {
  const network = createNetwork({ configured: new URL(configured), ownHeaders: [], env: {}, ...options });
  onTestFinished(() => network.close());
  return network;
}

export type Wanted = Partial<Omit<HttpRequest, 'url'>>;

export function get(network: Network, url: string, wanted: Wanted = {}): Promise<HttpResponse> {
  return network.request({ method: 'GET', headers: [], ...wanted, url: new URL(url) });
}

export function post(network: Network, url: string, wanted: Wanted = {}): Promise<HttpResponse> {
  return network.request({ method: 'POST', headers: [], body: '{}', ...wanted, url: new URL(url) });
}

/** The body as text. */
export async function textOf(response: Promise<HttpResponse>): Promise<string> {
  return text((await response).body);
}

/** The failure of a request, or of its body. */
export async function failureOf(response: Promise<HttpResponse>): Promise<NetworkFailure> {
  try {
    await textOf(response);
  } catch (error) {
    if (error instanceof NetworkFailure) return error;
    throw error;
  }
  throw new Error('the request did not fail');
}
