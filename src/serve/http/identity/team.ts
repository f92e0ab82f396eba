import type { HttpAuth } from '../../../config/http/settings.js';
import { crypto } from '../../../platform/crypto.js';
import { bearerOf } from './bearer.js';
import { challengeFor } from './challenge.js';
import { hasRequired, hasScopes, principalOf } from './claims.js';
import type { Identified, Identifier } from './identify.js';
import type { FetchDocument } from './issuer-document.js';
import { createTokenCheck } from './jwt.js';
import { createIssuerKeys } from './keys.js';
import { longestToken } from './limits.js';
import { createRemembered } from './remembered.js';

/** Whose tokens are accepted, and which of them. */
export interface TeamSettings extends Omit<HttpAuth, 'login'> {
  /** The URL of the service, as clients know it. */
  readonly resource: string;
  /** Where `metadata` is served. */
  readonly metadataUrl: string;
}

export interface TeamOptions {
  readonly fetch: FetchDocument;
  readonly warn: (message: string) => void;
  /** In ms since 1970. */
  readonly now?: () => number;
}

/** The users of an issuer, by their access tokens: an OAuth resource server. */
export function createTeamIdentity(settings: TeamSettings, { fetch, warn, now = Date.now }: TeamOptions): Identifier {
  const { issuer, audience, algorithms } = settings;
  const keys = createIssuerKeys({ issuer, algorithms, fetch, warn, now });
  const check = createTokenCheck({ issuer, audience, algorithms, keys, now });
  const remembered = createRemembered(now);
  const refuse = createRefusals(settings);

  async function verify(token: string, digest: string): Promise<Identified> {
    const verified = await check(token);
    if ('why' in verified)
      return verified.why === 'keys-unavailable' ? refuse.unknown(verified.why) : refuse.bad(verified.why);
    const { claims } = verified;
    const principal = principalOf(issuer, claims, settings.claims);
    if (principal === undefined) return refuse.bad('subject-wrong');
    if (!hasScopes(claims, settings.scopes)) return refuse.scope;
    if (!hasRequired(claims, settings.require)) return refuse.required;
    const identified = { principal };
    remembered.add(digest, identified, Number(claims['exp']) * 1_000);
    return identified;
  }

  // The first request need not wait for it.
  keys.isKnown();
  return {
    identify(credentials) {
      const bearer = bearerOf(credentials);
      if ('problem' in bearer) {
        return bearer.problem === 'token-malformed' ? refuse.bad(bearer.problem) : refuse.unknown(bearer.problem);
      }
      const { token } = bearer;
      if (token.length > longestToken) return refuse.bad('token-long');
      const digest = crypto().hash('sha256', token, 'base64');
      return remembered.find(digest) ?? verify(token, digest);
    },
    isReady: () => keys.isKnown(),
    metadata: metadataOf(settings),
    close: () => keys.close(),
  };
}

function createRefusals(settings: TeamSettings) {
  const [none, bad] = [challengeFor(settings), challengeFor(settings, 'invalid_token')];
  const refusal = (status: 401 | 403, why: string, challenge?: string): Identified => ({
    refused: { status, challenge, why },
  });
  return {
    /** Without a token, or while it cannot be judged. */
    unknown: (why: string) => refusal(401, why, none),
    bad: (why: string) => refusal(401, why, bad),
    scope: refusal(403, 'scope-missing', challengeFor(settings, 'insufficient_scope')),
    /** Without a hint: another login would not change it. */
    required: refusal(403, 'claim-required'),
  };
}

/** RFC 9728. */
function metadataOf({ resource, issuer, scopes }: TeamSettings): object {
  return {
    resource,
    authorization_servers: [issuer],
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
  };
}
