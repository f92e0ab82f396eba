import type { NamedValue, OAuthSettings } from './config.js';
import type { Expand, Problems } from './problems.js';
import type { ServerFileEntry } from './schema.js';

export interface ResolvedOAuth {
  readonly oauth: OAuthSettings | undefined;
  readonly secrets: readonly NamedValue[];
}

/** How an entry wants to log in. Where it is incomplete, the server is unavailable and says why. */
export function resolveOAuth({ oauth }: ServerFileEntry, expand: Expand, problems: Problems): ResolvedOAuth {
  if (oauth === undefined) return { oauth, secrets: [] };
  const text = (key: 'clientId' | 'clientSecret' | 'clientMetadataUrl' | 'issuer') => {
    const written = oauth[key];
    return written === undefined ? undefined : expand(written, 'oauth', key).trim();
  };
  const settings: OAuthSettings = {
    clientId: text('clientId'),
    clientSecret: text('clientSecret'),
    clientMetadataUrl: text('clientMetadataUrl'),
    issuer: text('issuer'),
    callbackPort: oauth.callbackPort,
    scopes: oauth.scopes?.map((scope, index) => expand(scope, 'oauth', 'scopes', index)),
    grant: oauth.grant ?? 'authorization_code',
  };
  if (problems.reason() === undefined) report(settings, problems);
  const { clientSecret } = settings;
  return { oauth: settings, secrets: clientSecret ? [{ name: 'clientSecret', value: clientSecret }] : [] };
}

function report({ clientId, clientSecret, clientMetadataUrl, grant }: OAuthSettings, problems: Problems): void {
  if (clientId === '') problems.report('The client id is empty after its variables are expanded.', 'oauth', 'clientId');
  if (clientSecret === '')
    problems.report('The client secret is empty after its variables are expanded.', 'oauth', 'clientSecret');
  if (clientMetadataUrl !== undefined && !isDocumentUrl(clientMetadataUrl)) {
    problems.report('The URL of a Client ID Metadata Document is https and has a path.', 'oauth', 'clientMetadataUrl');
  }
  if (grant === 'client_credentials' && (clientId === undefined || clientSecret === undefined)) {
    problems.report('The grant client_credentials needs clientId and clientSecret.', 'oauth', 'grant');
  } else if (clientSecret !== undefined && clientId === undefined) {
    problems.report('A client secret needs a clientId.', 'oauth', 'clientSecret');
  }
}

function isDocumentUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname } = new URL(text);
  return protocol === 'https:' && pathname !== '/';
}
