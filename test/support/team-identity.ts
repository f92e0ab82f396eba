import { onTestFinished } from 'vitest';
import { createDocumentFetcher } from '../../src/serve/http/identity/fetch-json.js';
import type { Identified, Identifier } from '../../src/serve/http/identity/identify.js';
import { createTeamIdentity, type TeamSettings } from '../../src/serve/http/identity/team.js';
import { type Clock, requestWith } from './credentials.js';
import { audience, type Issuer } from './issuer.js';

export interface Team extends Identifier {
  /** Who sends this token, or the code of the refusal. */
  who(token: string): Promise<string>;
  ask(token: string): Promise<Identified>;
  readonly warnings: string[];
}

export const metadataUrl = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';

/** The identity of a service that trusts this issuer, over the real network on loopback. */
export function teamOf(issuer: Issuer | string, clock: Clock, changes: Partial<TeamSettings> = {}): Team {
  const url = typeof issuer === 'string' ? issuer : issuer.url;
  const warnings: string[] = [];
  const fetcher = createDocumentFetcher(url, { env: {} });
  const settings = {
    issuer: url,
    audience,
    algorithms: ['RS256', 'ES256', 'EdDSA'],
    scopes: ['workbench'],
    require: new Map(),
    claims: [],
    resource: audience,
    metadataUrl,
    ...changes,
  };
  const identity = createTeamIdentity(settings, {
    fetch: fetcher.fetch,
    warn: (text) => warnings.push(text),
    now: clock.now,
  });
  onTestFinished(() => {
    identity.close();
    fetcher.close();
  });
  const ask = async (token: string) => identity.identify(requestWith(`Bearer ${token}`));
  return {
    ...identity,
    ask,
    async who(token) {
      const identified = await ask(token);
      if ('principal' in identified) return identified.principal.identity?.subject ?? identified.principal.key;
      return `${identified.refused.status} ${identified.refused.why}`;
    },
    warnings,
  };
}
