import type { OAuthSettings } from '../../config/config.js';
import { WorkbenchError } from '../../contract/errors.js';
import type { Discovered } from './discovery.js';

/**
 * Providers that document a login page on one host and a token endpoint on another. The endpoint is pinned whole: other paths of an API may store what they are sent.
 * GitHub, Microsoft, Auth0, Okta, Slack, Notion and most others have both on one host and need no entry.
 */
const knownPairs: readonly (readonly [page: string, tokens: string])[] = [
  ['accounts.google.com', 'oauth2.googleapis.com/token'],
  ['mcp.atlassian.com', 'cf.mcp.atlassian.com/v1/token'],
  ['account.box.com', 'api.box.com/oauth2/token'],
  ['www.canva.com', 'api.canva.com/rest/v1/oauth/token'],
  ['app.clickup.com', 'api.clickup.com/api/v2/oauth/token'],
  ['www.dropbox.com', 'api.dropboxapi.com/oauth2/token'],
  ['www.figma.com', 'api.figma.com/v1/oauth/token'],
  ['app.hubspot.com', 'api.hubapi.com/oauth/v1/token'],
  ['appcenter.intuit.com', 'oauth.platform.intuit.com/oauth2/v1/tokens/bearer'],
  ['linear.app', 'api.linear.app/oauth/token'],
  ['miro.com', 'api.miro.com/v1/oauth/token'],
  ['app.netlify.com', 'api.netlify.com/oauth/token'],
  ['vercel.com', 'api.vercel.com/login/oauth/token'],
  ['webflow.com', 'api.webflow.com/oauth/access_token'],
  ['x.com', 'api.x.com/2/oauth2/token'],
  ['login.xero.com', 'identity.xero.com/connect/token'],
];

/**
 * Refuses metadata that join the login page of one party with the token endpoint of another, which would get code and
 * verifier of the login. Where the answer must have `iss`, that check finds it.
 */
export function assertOneParty({ metadata }: Discovered, settings: OAuthSettings | undefined): void {
  if (metadata === undefined || metadata.authorization_response_iss_parameter_supported === true) return;
  const page = new URL(metadata.authorization_endpoint);
  const tokens = new URL(metadata.token_endpoint);
  if (page.origin === tokens.origin || isKnown(page, tokens)) return;
  const allowed = settings?.hosts ?? [];
  if (allowed.includes(page.host) && allowed.includes(tokens.host)) return;
  throw new WorkbenchError(
    'LOGIN_FAILED',
    `its login page is at ${page.host}, and the login would be sent to ${tokens.host}; if one provider has both hosts, allow them with "oauth": { "hosts": ["${page.host}", "${tokens.host}"] }`,
  );
}

function isKnown(page: URL, tokens: URL): boolean {
  return knownPairs.some(([one, other]) => page.origin === `https://${one}` && tokens.href === `https://${other}`);
}
