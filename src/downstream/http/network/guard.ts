import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { hostOf, isMetadataAddress, isPublicAddress, literalAddress } from './addresses.js';

// A server must not be able to send the workbench to a place that only this computer can reach: other programs on it, the
// network at home or at work, the metadata service of a cloud. Only the user's own URL may lead there.

/** What a request may connect to. Learned URLs are all those on another origin than the configured one. */
export type AddressPolicy = 'any' | 'not metadata' | 'public';

export interface Guard {
  policyFor(url: URL): AddressPolicy;
  /** A connection to the configured server was made, to this address. */
  connectedTo(address: string): void;
}

export function createGuard(configured: URL): Guard {
  /** Whether the configured server is on this computer or in a private network. Undefined until it is known. */
  let isInside = insideByUrl(configured);
  return {
    policyFor(url) {
      if (url.origin === configured.origin) return 'any';
      if (isInside !== true) return 'public';
      return hostOf(url) === hostOf(configured) ? 'any' : 'not metadata';
    },
    connectedTo(address) {
      // What was public once stays so: whoever rebinds a name must not turn the guard off.
      isInside = !isPublicAddress(address) && (isInside ?? true);
    },
  };
}

function insideByUrl(url: URL): boolean | undefined {
  const literal = literalAddress(url);
  if (literal !== undefined) return !isPublicAddress(literal);
  return isLocalhost(url) ? true : undefined;
}

/** Why a URL may not be requested, as far as the URL itself says; undefined if it may. */
export function urlProblem(url: URL, policy: AddressPolicy, isThroughProxy: boolean): string | undefined {
  if (policy === 'any') return undefined;
  const literal = literalAddress(url);
  if (literal !== undefined && !isAllowed(literal, policy)) return refusal(policy, 'its address');
  if (policy === 'public' && url.protocol !== 'https:') return 'it is not https';
  // The proxy looks names up; all that can be checked is the name.
  if (literal === undefined && isThroughProxy && !isAllowedName(url, policy)) return refusal(policy, 'its host');
  return policy === 'public' && isLocalhost(url) ? refusal(policy, 'its host') : undefined;
}

/** An address that a name was found to have, and that may not be connected to. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly code = 'ERR_ADDRESS_REFUSED';
  /** For people; without the address, which may be a secret of the network. */
  readonly reason: string;

  constructor(policy: AddressPolicy) {
    super('address refused');
    this.reason = refusal(policy, 'the address of its host');
  }
}

export function isAddressRefused(error: unknown): error is AddressRefused {
  return error instanceof Error && error.name === 'AddressRefused';
}

export function isAllowed(address: string, policy: AddressPolicy): boolean {
  if (policy === 'any') return true;
  return policy === 'public' ? isPublicAddress(address) : !isMetadataAddress(address);
}

/**
 * A look-up whose result has only addresses that may be connected to, and which fails if there are none. Other addresses of
 * a name are left out and do not refuse it: nothing connects to them, and some networks add private ones to public names.
 */
export function guardedLookup(lookup: LookupFunction, policy: AddressPolicy): LookupFunction {
  if (policy === 'any') return lookup;
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found, family) => {
      if (error !== null) return callback(error, []);
      const all: LookupAddress[] = typeof found === 'string' ? [{ address: found, family: family ?? 4 }] : found;
      const allowed = all.filter(({ address }) => isAllowed(address, policy));
      const [first] = allowed;
      if (first === undefined) return callback(new AddressRefused(policy), []);
      return options.all === true ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };
}

function refusal(policy: AddressPolicy, whose: string): string {
  return policy === 'public' ? `${whose} is not public` : `${whose} is link-local or a metadata service`;
}

function isLocalhost(url: URL): boolean {
  return /(^|\.)localhost$/.test(hostOf(url));
}

/** Names that are only known inside of a network. */
const insideName = /^[^.]*$|\.(?:localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa)$/;
const metadataName = /^(?:metadata|instance-data)(?:\.goog|(?:\..*)?\.internal)?$/;

function isAllowedName(url: URL, policy: AddressPolicy): boolean {
  const host = hostOf(url);
  return !metadataName.test(host) && !(policy === 'public' && insideName.test(host));
}
