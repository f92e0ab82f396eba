import { computeScopeUnion, isStrictScopeSuperset } from '@modelcontextprotocol/client';
import type { OAuthSettings } from '../../config/config.js';
import type { Discovered } from './discovery.js';

/** What to ask for: the configured scopes, those of the challenge or of the server; and what a call was refused for before. */
export function scopeToRequest(
  settings: OAuthSettings | undefined,
  challenged: string | undefined,
  { scope, metadata }: Discovered,
  wanted: string | undefined,
): string | undefined {
  const base = settings?.scopes?.join(' ') || (challenged ?? scope);
  const all = computeScopeUnion(base, wanted);
  const offline = 'offline_access';
  // Without it, some authorization servers issue no token to renew the login with.
  const isOffered = metadata?.scopes_supported?.includes(offline) === true;
  return all !== undefined && isOffered ? computeScopeUnion(all, offline) : all;
}

/** Whether a login that was made with `given` has to be widened to get `challenged`. */
export function needsMore(challenged: string | undefined, given: string | undefined): boolean {
  return isStrictScopeSuperset(challenged, given);
}

export { computeScopeUnion as together } from '@modelcontextprotocol/client';
