import type { NamedValue, OAuthSettings } from '../config.js';
import type { ServerFileEntry } from '../schema/schema.js';
import type { Expand, Problems } from '../values/problems.js';

export interface ResolvedOAuth {
  readonly oauth: OAuthSettings | undefined;
  readonly secrets: readonly NamedValue[];
}

/** How an entry wants to log in. Where that is incomplete, the server is unavailable and says why. */
export function resolveOAuth({ oauth }: ServerFileEntry, expand: Expand, problems: Problems): ResolvedOAuth {
  if (oauth === undefined) return { oauth, secrets: [] };
  const text = (key: 'clientId' | 'clientSecret' | 'clientMetadataUrl' | 'issuer') =>
    expand(oauth[key] ?? '', 'oauth', key).trim() || undefined;
  const clientId = text('clientId');
  const clientSecret = text('clientSecret');
  const clientMetadataUrl = text('clientMetadataUrl');
  const { callbackPort, grant = 'authorization_code' } = oauth;
  const scopes = oauth.scopes?.map((scope, index) => expand(scope, 'oauth', 'scopes', index));
  const hosts = oauth.hosts?.map((host, index) => expand(host, 'oauth', 'hosts', index).trim().toLowerCase());
  const isMachine = grant === 'client_credentials';
  if (problems.reason() === undefined) {
    if (clientMetadataUrl !== undefined && !/^https:\/\/[^/]+\/./.test(clientMetadataUrl))
      problems.report('Not an https URL with a path.', 'oauth', 'clientMetadataUrl');
    for (const [index, host] of hosts?.entries() ?? [])
      if (!isHost(host)) problems.report('Not a host, such as login.example.com.', 'oauth', 'hosts', index);
    if ((isMachine && clientSecret === undefined) || ((isMachine || clientSecret) && clientId === undefined))
      problems.report(`Needs clientId${isMachine ? ' and clientSecret' : ''}.`, 'oauth');
  }
  return {
    oauth: { clientId, clientSecret, clientMetadataUrl, issuer: text('issuer'), hosts, callbackPort, scopes, grant },
    secrets: clientSecret === undefined ? [] : [{ name: 'clientSecret', value: clientSecret }],
  };
}

/** As `URL` writes it. */
function isHost(text: string): boolean {
  return URL.canParse(`https://${text}`) && new URL(`https://${text}`).host === text;
}
