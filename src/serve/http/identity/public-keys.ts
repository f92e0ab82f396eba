import type { JWK } from 'jose';
import { isRecord, type JsonObject } from '../../../jsonrpc/json.js';
import { maxKeys } from './limits.js';

/** A key of a set, of a kind that tokens may be signed with. */
export type PublicKey = JWK & { readonly kty: string };

/** What the head of a token says about its key. */
export interface WantedKey {
  readonly alg: string;
  readonly kid: string | undefined;
}

export type KeyChoice =
  | { readonly key: PublicKey }
  | { readonly problem: 'key-unknown' | 'key-unsuitable' | 'key-unnamed' | 'keys-unavailable' };

/** The kind of key of each algorithm. None is symmetric: a key that everybody can read must never verify a signature made with itself. */
const kinds: Readonly<Record<string, { readonly kty: string; readonly crv?: string }>> = {
  RS256: { kty: 'RSA' },
  RS384: { kty: 'RSA' },
  RS512: { kty: 'RSA' },
  PS256: { kty: 'RSA' },
  PS384: { kty: 'RSA' },
  PS512: { kty: 'RSA' },
  ES256: { kty: 'EC', crv: 'P-256' },
  ES384: { kty: 'EC', crv: 'P-384' },
  ES512: { kty: 'EC', crv: 'P-521' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
  Ed25519: { kty: 'OKP', crv: 'Ed25519' },
};

/** The algorithms of a list that can be used at all. */
export function usableAlgorithms(algorithms: readonly string[]): string[] {
  return algorithms.filter((name) => Object.hasOwn(kinds, name));
}

/** Those keys of a set that are for signatures by one of the algorithms. */
export function usableKeys(keys: readonly unknown[], algorithms: readonly string[]): PublicKey[] {
  const usable = usableAlgorithms(algorithms);
  return keys.slice(0, maxKeys).flatMap((key) => {
    if (!isRecord(key) || !isPublicKey(key)) return [];
    return usable.some((alg) => fits(key, alg)) ? [key] : [];
  });
}

/** The key with that name, or the only one if the token names none. */
export function chooseKey(keys: readonly PublicKey[], { alg, kid }: WantedKey): KeyChoice {
  if (kid === undefined && keys.length !== 1) return { problem: 'key-unnamed' };
  const named = kid === undefined ? keys : keys.filter((key) => key.kid === kid);
  if (named.length === 0) return { problem: 'key-unknown' };
  // Two keys may share a name if they are of different kinds.
  const key = named.find((one) => fits(one, alg));
  return key === undefined ? { problem: 'key-unsuitable' } : { key };
}

function isPublicKey(key: JsonObject): key is JsonObject & PublicKey {
  const { kty, kid, use, key_ops: operations, d, priv } = key;
  const mayVerify = operations === undefined || (Array.isArray(operations) && operations.includes('verify'));
  // A private key in a public place is known to everybody.
  const isPublic = d === undefined && priv === undefined;
  return (
    typeof kty === 'string' &&
    (kid === undefined || typeof kid === 'string') &&
    (use === undefined || use === 'sig') &&
    mayVerify &&
    isPublic
  );
}

function fits(key: PublicKey, alg: string): boolean {
  const kind = Object.hasOwn(kinds, alg) ? kinds[alg] : undefined;
  if (kind === undefined || key.kty !== kind.kty) return false;
  return (kind.crv === undefined || key.crv === kind.crv) && (key.alg === undefined || key.alg === alg);
}
