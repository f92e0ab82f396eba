import { BlockList, isIP, isIPv4 } from 'node:net';

// Which addresses belong to everybody's network, by IANA's registries of special-purpose addresses.

/** IPv4 addresses that are not on the public network, or where no foreign server can be. */
const specialIpv4 = blocks('ipv4', [
  ['0.0.0.0', 8], // this host
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // between a provider and its customers; also used by VPNs
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's host, which only looks public
  ['169.254.0.0', 16], // link-local
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks; also invented by proxies that answer for DNS
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
]);

/** The only IPv6 addresses that are assigned to public servers, but for those that contain an IPv4 address. */
const globalIpv6 = blocks('ipv6', [['2000::', 3]]);

const specialIpv6 = blocks('ipv6', [
  ['2001::', 23], // protocol assignments: Teredo, benchmarks, ORCHID
  ['2001:db8::', 32], // documentation
  ['3fff::', 20], // documentation
]);

/** Where clouds hand out credentials to whoever asks from inside: link-local, and the few addresses elsewhere. */
const metadataIpv4 = blocks('ipv4', [
  ['169.254.0.0', 16],
  ['168.63.129.16', 32], // Azure
  ['100.100.100.200', 32], // Alibaba
  ['192.0.0.192', 32], // Oracle
]);

const metadataIpv6 = blocks('ipv6', [
  ['fe80::', 10],
  ['fd00:ec2::', 32], // Amazon
  ['fd20:ce::254', 128], // Google
]);

/** Whether an address belongs to a server on the public network. */
export function isPublicAddress(address: string): boolean {
  const plain = withoutZone(address);
  if (isIP(plain) === 0) return false;
  const ipv4 = ipv4In(plain);
  if (ipv4 !== undefined) return !specialIpv4.check(ipv4, 'ipv4');
  return globalIpv6.check(plain, 'ipv6') && !specialIpv6.check(plain, 'ipv6');
}

/** Whether an address is link-local or that of a cloud's metadata service. */
export function isMetadataAddress(address: string): boolean {
  const plain = withoutZone(address);
  const ipv4 = ipv4In(plain);
  return ipv4 === undefined ? metadataIpv6.check(plain, 'ipv6') : metadataIpv4.check(ipv4, 'ipv4');
}

/** The literal address in the host of a URL, without brackets. Undefined for a name. */
export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? undefined : host;
}

/** The name or address in a URL as it is looked up and compared. The URL parser has normalised all but the final dot. */
export function hostOf(url: URL): string {
  return literalAddress(url) ?? url.hostname.replace(/\.$/, '');
}

/** The port of a URL. */
export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/** An address itself, or the IPv4 address that an IPv6 address leads to: mapped, compatible, NAT64, 6to4. */
function ipv4In(address: string): string | undefined {
  if (isIPv4(address)) return address;
  const groups = groupsOf(address);
  const begins = (...first: readonly number[]) => first.every((group, index) => groups[index] === group);
  const at = (index: number) => {
    const [high = 0, low = 0] = groups.slice(index);
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  };
  if (begins(0, 0, 0, 0, 0, 0xff_ff) || begins(0, 0, 0, 0, 0, 0) || begins(0x64, 0xff_9b, 0, 0, 0, 0)) return at(6);
  return begins(0x20_02) ? at(1) : undefined;
}

function groupsOf(ipv6: string): number[] {
  // The URL parser writes all forms of an address in one way, without dots.
  const { hostname } = new URL(`http://[${ipv6}]/`);
  const numbers = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const [left = [], right = []] = hostname.slice(1, -1).split('::').map(numbers);
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/s, '');
}

function blocks(family: 'ipv4' | 'ipv6', subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
}
