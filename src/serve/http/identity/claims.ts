import type { JsonObject } from '../../../jsonrpc/json.js';
import { sha256 } from '../../../platform/crypto.js';
import type { Principal } from '../../../session/principal.js';
import { longestSubject } from './limits.js';

const keyDigits = 32;
/** A subject gets into the environment of programs and into logs. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const control = /[\u0000-\u001f\u007f-\u009f]/;

/** Of one user of one issuer: equal subjects of two issuers are two users. */
export function principalKeyOf(issuer: string, subject: string): string {
  return sha256(`${issuer}\0${subject}`).slice(0, keyDigits);
}

/** Undefined if the token names no user. */
export function principalOf(issuer: string, claims: JsonObject, listed: readonly string[]): Principal | undefined {
  const { sub: subject } = claims;
  if (typeof subject !== 'string' || subject.length === 0 || subject.length > longestSubject) return undefined;
  // Half of a surrogate pair has no bytes of its own: several such subjects would be one user.
  if (control.test(subject) || !subject.isWellFormed()) return undefined;
  const issuedAt = typeof claims['iat'] === 'number' ? claims['iat'] : 0;
  const kept = listed.filter((name) => Object.hasOwn(claims, name)).map((name) => [name, claims[name]] as const);
  return { key: principalKeyOf(issuer, subject), identity: { issuer, subject, issuedAt, claims: new Map(kept) } };
}

/** Whether a token has all of these scopes, in `scope` or, as some issuers write it, in `scp`. */
export function hasScopes(claims: JsonObject, scopes: readonly string[]): boolean {
  if (scopes.length === 0) return true;
  const granted = new Set(['scope', 'scp'].flatMap((name) => wordsOf(claims[name])));
  return scopes.every((scope) => granted.has(scope));
}

/** Whether every required claim has one of its values, by itself or in a list. */
export function hasRequired(claims: JsonObject, required: ReadonlyMap<string, readonly string[]>): boolean {
  return [...required].every(([name, values]) => {
    const value = claims[name];
    const given: readonly unknown[] = Array.isArray(value) ? value : [value];
    return given.some((one) => typeof one === 'string' && values.includes(one));
  });
}

function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split(' ');
  return Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];
}
