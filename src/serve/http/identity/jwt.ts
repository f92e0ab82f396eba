import { jwtVerify } from 'jose/jwt/verify';
import type { JsonObject } from '../../../jsonrpc/json.js';
import type { IssuerKeys } from './keys.js';
import { clockToleranceSeconds } from './limits.js';
import { type PublicKey, usableAlgorithms } from './public-keys.js';

/** The claims of a token, or why it is refused: a short code without any value of it. */
export type Verified = { readonly claims: JsonObject } | { readonly why: string };

export interface ExpectedToken {
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: readonly string[];
  readonly keys: Pick<IssuerKeys, 'find'>;
  /** What it may call itself (`typ`); by default an access token. */
  readonly types?: RegExp;
  /** In ms since 1970. */
  readonly now: () => number;
}

/** Verifies tokens of one issuer: signature, issuer, audience and times. What its claims allow is not judged here. */
export function createTokenCheck(expected: ExpectedToken): (token: string) => Promise<Verified> {
  const { issuer, audience, keys, now, types = accessTokenTypes } = expected;
  const algorithms = usableAlgorithms(expected.algorithms);

  return async (token) => {
    let why: string | undefined;
    // The algorithm is checked before, so that nobody can choose how a key is used. No key comes from the token.
    const keyFor = async (header: JsonObject): Promise<PublicKey> => {
      why = headerProblem(header, types);
      if (why !== undefined) throw new Error(why);
      const { alg, kid } = header;
      const choice = await keys.find({ alg: String(alg), kid: typeof kid === 'string' ? kid : undefined });
      if ('key' in choice) return choice.key;
      why = choice.problem;
      throw new Error(why);
    };
    try {
      const { payload } = await jwtVerify(token, keyFor, {
        algorithms,
        issuer,
        audience,
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(now()),
        requiredClaims: ['exp', 'sub'],
      });
      return { claims: payload };
    } catch (error) {
      return { why: why ?? whyOf(error) };
    }
  };
}

const accessTokenTypes = /^(?:application\/)?(?:at\+jwt|jwt)$/i;

/** What a token may not have, beside a key of its own: extensions that change its meaning, or another type. */
function headerProblem({ typ, kid, crit, b64, jwk }: JsonObject, types: RegExp): string | undefined {
  if (crit !== undefined || b64 !== undefined) return 'token-extended';
  if (jwk !== undefined) return 'key-embedded';
  if (typ !== undefined && !(typeof typ === 'string' && types.test(typ))) return 'token-type';
  return kid === undefined || typeof kid === 'string' ? undefined : 'token-malformed';
}

const claimProblems: Readonly<Record<string, string>> = {
  iss: 'issuer-wrong',
  aud: 'audience-wrong',
  nbf: 'token-early',
  exp: 'token-expired',
  sub: 'subject-wrong',
};

const problems: Readonly<Record<string, string>> = {
  ERR_JOSE_ALG_NOT_ALLOWED: 'algorithm-refused',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'signature-wrong',
  ERR_JOSE_NOT_SUPPORTED: 'token-extended',
  ERR_JWS_INVALID: 'token-malformed',
  ERR_JWT_INVALID: 'token-malformed',
};

/** By code, never by text. Other errors are about a key that does not fit, such as a short one. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return 'token-malformed';
  if ('claim' in error) return claimProblems[String(error.claim)] ?? 'token-malformed';
  return ('code' in error ? problems[String(error.code)] : undefined) ?? 'key-unsuitable';
}
