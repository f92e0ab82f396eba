import { isIPv4, isIPv6 } from 'node:net';

export interface ListenAddress {
  /** A name or an address; an IPv6 address without brackets. */
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

/** `HOST:PORT`, as in the file and on the command line. Undefined if it is none. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const [, bracketed, plain = '', digits = ''] = /^(?:\[([^[\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  const isHost = bracketed === undefined ? isIPv4(host) || isHostName(host) : isIPv6(host);
  return isHost && port <= 65_535 ? { host, port } : undefined;
}

/** One that ends in a number would be an IPv4 address. */
function isHostName(text: string): boolean {
  return /^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/i.test(text) && !/(?:^|\.)\d+$/.test(text);
}

/** Whether only programs of this computer reach a host. `*.localhost` may lead elsewhere by DNS. */
export function isLoopbackHost(host: string): boolean {
  if (isIPv6(host)) return new URL(`http://[${host}]`).hostname === '[::1]';
  return host.toLowerCase() === 'localhost' || (isIPv4(host) && host.startsWith('127.'));
}

interface Wording {
  readonly what: string;
  readonly remedy: string;
}

/** What is wrong with a URL that gets credentials: of this service, or of the issuer. */
export function faultOfUrl(text: string, example: string): Wording | undefined {
  const remedy = `Write it as ${example}.`;
  if (!URL.canParse(text)) return { what: 'Not a URL.', remedy };
  const { protocol, hostname, username, password } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return { what: 'Not an https URL.', remedy };
  if (username !== '' || password !== '' || /[?#]/.test(text))
    return { what: 'A URL with a user, a query or a fragment cannot be used here.', remedy };
  if (protocol === 'http:' && !isLoopbackHost(withoutBrackets(hostname)))
    return { what: 'Not https: tokens would be sent unencrypted. Only on loopback is http enough.', remedy };
  return undefined;
}

/** Clients and tokens have to name the service in the same words: `https://mcp.example.com/mcp`. */
export function isNormalUrl(text: string): boolean {
  const { href, origin } = new URL(text);
  return text === href || text === origin;
}

export function isLoopbackUrl(text: string): boolean {
  return isLoopbackHost(withoutBrackets(new URL(text).hostname));
}

/** As a browser sends it: `https://app.example.com`, or one of an extension. */
export function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin } = new URL(text);
  return origin === 'null' ? /^[a-z][a-z\d+.-]*-extension:\/\/[a-z\d-]+$/.test(text) : text === origin;
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
