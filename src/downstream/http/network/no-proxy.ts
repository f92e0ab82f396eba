import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { hostOf, portOf } from './addresses.js';

/** Whether a URL is to be reached without a proxy, by the value of NO_PROXY. */
export function createNoProxy(value: string): (url: URL) => boolean {
  const entries = value
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '');
  if (entries.includes('*')) return () => true;
  const matchers = entries.map(matcherOf);
  return (url) => {
    const host = hostOf(url);
    const port = portOf(url);
    return matchers.some((matches) => matches(host, port));
  };
}

type Matcher = (host: string, port: number) => boolean;

function matcherOf(entry: string): Matcher {
  const block = /^\[?([\da-f.:]+)\]?\/(\d{1,3})$/.exec(entry);
  if (block !== null) return inBlock(block[1] ?? '', Number(block[2]));
  // The colons of an IPv6 address without brackets do not begin a port.
  const [, host = entry, port] = isIP(entry) === 6 ? [] : (/^(.*?)(?::(\d{1,5}))?$/s.exec(entry) ?? []);
  const matches = hostMatcher(host.replace(/^\[|\]$/g, ''));
  return port === undefined ? matches : (name, atPort) => atPort === Number(port) && matches(name, atPort);
}

function hostMatcher(host: string): Matcher {
  const family = isIP(host);
  // One address has several forms, which are equal as a block.
  if (family !== 0) return inBlock(host, family === 6 ? 128 : 32);
  const written = host.replace(/^\*?\./, '').replace(/\.$/, '');
  const domain = domainToASCII(written) || written;
  return (name) => domain !== '' && (name === domain || name.endsWith(`.${domain}`));
}

function inBlock(network: string, prefix: number): Matcher {
  const family = isIP(network);
  if (family === 0 || prefix > (family === 6 ? 128 : 32)) return () => false;
  const block = new BlockList();
  block.addSubnet(network, prefix, family === 6 ? 'ipv6' : 'ipv4');
  return (host) => {
    const hostFamily = isIP(host);
    return hostFamily !== 0 && block.check(host, hostFamily === 6 ? 'ipv6' : 'ipv4');
  };
}
