import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomUUID,
  sign,
} from 'node:crypto';

// Signs by Node's own functions, not by the package that verifies: whatever a token may look like.

/** A key of an issuer: what it signs with, and what it publishes. */
export interface SigningKey {
  readonly alg: string;
  readonly kid: string;
  readonly secret: KeyObject;
  readonly published: JsonWebKey;
}

const kinds = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  'RS256 of 1,024 bits': () => generateKeyPairSync('rsa', { modulusLength: 1_024 }),
} as const;

export function makeKey(kind: keyof typeof kinds = 'ES256', kid: string = randomUUID()): SigningKey {
  const { privateKey, publicKey } = kinds[kind]();
  const [alg = ''] = kind.split(' ');
  return { alg, kid, secret: privateKey, published: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' } };
}

/** A public key as a text that everybody has: the secret of those who take HS256 for any other algorithm. */
export function textOfPublicKey({ published }: SigningKey): string {
  return createPublicKey({ key: published, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString();
}

export const encoded = (value: object | string): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A token with this head and these claims, signed by the key whatever the head says; `secret`: by HMAC. */
export function signToken(
  header: object,
  claims: object | string,
  key: SigningKey | { readonly secret: string },
): string {
  const content = `${encoded(header)}.${encoded(claims)}`;
  return `${content}.${signatureOf(content, key)}`;
}

function signatureOf(content: string, key: SigningKey | { readonly secret: string }): string {
  if (!('alg' in key)) return createHmac('sha256', key.secret).update(content).digest('base64url');
  const hash = key.alg === 'EdDSA' ? null : 'sha256';
  return sign(hash, Buffer.from(content), { key: key.secret, dsaEncoding: 'ieee-p1363' }).toString('base64url');
}
