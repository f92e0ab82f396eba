import type { LookupAddress } from 'node:dns';
import * as net from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

export interface FakeInternet {
  /** For a network: names have the addresses that were said. */
  readonly lookup: net.LookupFunction;
  /** For a network: addresses lead to ports on loopback. */
  readonly connect: (options: net.TcpNetConnectOpts) => net.Socket;
  /** Names in the order of their look-ups. */
  readonly lookups: string[];
  /** Addresses that a connection was attempted to, `address:port`. */
  readonly attempts: string[];
}

/**
 * Public addresses without a public network. `names` has the addresses of each look-up of a name, the last for all further
 * ones; `servers` the port on loopback for an address. Real sockets otherwise, which report the address that they stand for.
 */
export function fakeInternet(
  names: Readonly<Record<string, readonly (readonly string[])[]>>,
  servers: Readonly<Record<string, number>>,
): FakeInternet {
  const lookups: string[] = [];
  const attempts: string[] = [];

  const lookup: net.LookupFunction = (hostname, _options, callback) => {
    const before = lookups.filter((name) => name === hostname).length;
    lookups.push(hostname);
    const answers = names[hostname] ?? [];
    const addresses = answers[Math.min(before, answers.length - 1)] ?? [];
    callback(
      addresses.length === 0 ? Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }) : null,
      addresses.map((address) => ({ address, family: net.isIP(address) })),
    );
  };

  const connect = ({ host = '', port, lookup: find = lookup }: net.TcpNetConnectOpts) => {
    const socket = new net.Socket();
    const reach = (address: string) => {
      attempts.push(`${address}:${port}`);
      const target = servers[address];
      if (target === undefined) return socket.destroy(Object.assign(new Error('unreachable'), { code: 'ENETUNREACH' }));
      Object.defineProperty(socket, 'remoteAddress', { value: address, configurable: true });
      return socket.connect(target, '127.0.0.1');
    };
    const resolve = async () => {
      await turn();
      // As net.connect does: an address is not looked up.
      if (net.isIP(host) !== 0) return reach(host);
      return find(host, { all: true }, (error, found) => {
        const [first] = error === null ? (found as LookupAddress[]) : [];
        if (first === undefined) socket.destroy(error ?? new Error('no address'));
        else reach(first.address);
      });
    };
    void resolve();
    return socket;
  };

  return { lookup, connect, lookups, attempts };
}
