import { hostOf, portOf } from './addresses.js';
import { NetworkFailure, shownUrl } from './network-failure.js';
import { createNoProxy } from './no-proxy.js';

export interface Proxy {
  readonly url: URL;
  /** Host and port, and the variable that names it: `proxy.example.com:3128 (HTTPS_PROXY)`. */
  readonly shown: string;
  /** The variable that names it. */
  readonly variable: string;
  /** The value of Proxy-Authorization. */
  readonly authorization: string | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Finds the proxy for a URL, by HTTP_PROXY, HTTPS_PROXY and NO_PROXY in either case. Fails if its URL is not valid. */
export function createProxies(env: Env): (url: URL) => Proxy | undefined {
  const [, exceptions = ''] = variable(env, 'NO_PROXY') ?? [];
  const isExcepted = createNoProxy(exceptions);
  return (url) => {
    const [name, value = ''] = variable(env, url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? [];
    if (name === undefined || isExcepted(url)) return undefined;
    const proxy = parseProxy(value);
    if (proxy === undefined) {
      // The value is not quoted: it may contain a password.
      throw new NetworkFailure(
        `no connection to ${shownUrl(url)}: ${name} is not the URL of an HTTP proxy; write it as http://host:port`,
        { wasSent: false },
      );
    }
    const shown = `${proxy.hostname}:${portOf(proxy)} (${name})`;
    return { url: proxy, shown, variable: name, authorization: authorizationOf(proxy) };
  };
}

/** Lower case first, as in curl. Empty is not set. */
function variable(env: Env, upperCase: string): readonly [name: string, value: string] | undefined {
  for (const name of [upperCase.toLowerCase(), upperCase]) {
    const value = env[name]?.trim();
    if (value !== undefined && value !== '') return [name, value];
  }
  return undefined;
}

function parseProxy(value: string): URL | undefined {
  const text = value.includes('://') ? value : `http://${value}`;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isUsable = ['http:', 'https:'].includes(url.protocol) && hostOf(url) !== '';
  return isUsable ? url : undefined;
}

function authorizationOf(url: URL): string | undefined {
  return url.username === '' && url.password === '' ? undefined : basicAuthorization(url);
}

/** The user and password of a URL as a header. */
export function basicAuthorization({ username, password }: URL): string {
  const credentials = `${decoded(username)}:${decoded(password)}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
