import { crypto } from './crypto.js';

/** As many random bytes as a key that nobody can guess, in characters that a header and a URL can carry. */
export function newToken(bytes: number): string {
  return crypto().randomBytes(bytes).toString('base64url');
}

/** Compared by digests, in constant time: neither how much of it is right shows, nor its length. */
export function isSameToken(given: string, token: string): boolean {
  const digest = (text: string) => crypto().createHash('sha256').update(text).digest();
  return crypto().timingSafeEqual(digest(given), digest(token));
}
