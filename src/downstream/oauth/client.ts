import {
  type FetchLike,
  type OAuthClientMetadata,
  registerClient,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import type { OAuthSettings } from '../../config/config.js';
import { WorkbenchError } from '../../contract/errors.js';
import type { Discovered } from './discovery.js';
import type { StoredClient, StoredLogin } from './login-file.js';

export interface ClientRequest {
  readonly settings: OAuthSettings | undefined;
  readonly discovered: Discovered;
  readonly redirect: string;
  readonly scope: string | undefined;
  readonly stored: StoredLogin | undefined;
}

/** How the workbench is known to the authorization server: as configured, by its document, as before, or registered now. */
export async function chooseClient(request: ClientRequest, fetch: FetchLike): Promise<StoredClient> {
  const { settings, discovered, redirect, stored } = request;
  if (settings?.clientId !== undefined) return { origin: 'configured', id: settings.clientId };
  const { metadata, issuer } = discovered;
  if (settings?.clientMetadataUrl !== undefined && metadata?.client_id_metadata_document_supported === true) {
    return { origin: 'document', id: settings.clientMetadataUrl };
  }
  const known = stored?.issuer === issuer ? stored.client : undefined;
  if (known?.origin === 'registered' && known.redirect === redirect) return known;
  if (metadata !== undefined && metadata.registration_endpoint === undefined) throw cannotRegister();
  return register(request, fetch);
}

async function register({ discovered, redirect, scope }: ClientRequest, fetch: FetchLike): Promise<StoredClient> {
  const { authorizationServer, metadata } = discovered;
  const supported = metadata?.token_endpoint_auth_methods_supported ?? [];
  const isPublic = supported.length === 0 || supported.includes('none');
  const method = isPublic ? 'none' : (methods.find((each) => supported.includes(each)) ?? 'none');
  const clientMetadata: OAuthClientMetadata = {
    client_name: 'MCP Workbench',
    redirect_uris: [redirect],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    // By the rules of OpenID Connect only a native client may have a redirect to its own computer, and no other one.
    application_type: isOnThisComputer(redirect) ? 'native' : 'web',
  };
  const parts = { metadata, clientMetadata, scope, fetchFn: fetch };
  // oxlint-disable-next-line typescript/no-deprecated -- most authorization servers have nothing newer
  const registered = await registerClient(authorizationServer, parts);
  return {
    origin: 'registered',
    id: registered.client_id,
    secret: registered.client_secret,
    method: registered.token_endpoint_auth_method,
    redirect,
  };
}

/** Of the redirects that we make. */
function isOnThisComputer(redirect: string): boolean {
  return new URL(redirect).protocol === 'http:';
}

const methods = ['client_secret_basic', 'client_secret_post'] as const;

/** As the SDK takes it. The secret of a configured client is never stored. */
export function clientInformation(
  { origin, id, secret, method }: StoredClient,
  settings: OAuthSettings | undefined,
  issuer: string,
): StoredOAuthClientInformation {
  const ownSecret = origin === 'configured' ? settings?.clientSecret : secret;
  return {
    client_id: id,
    issuer,
    ...(ownSecret !== undefined && { client_secret: ownSecret }),
    ...(method !== undefined && { token_endpoint_auth_method: method }),
  };
}

/** Whether a login is by the client, and at the issuer, that the configuration names now. */
export function isCurrent({ client, issuer }: StoredLogin, settings: OAuthSettings | undefined): boolean {
  if (settings?.issuer !== undefined && withoutSlash(settings.issuer) !== withoutSlash(issuer)) return false;
  if (settings?.clientId !== undefined) return client.id === settings.clientId;
  return client.origin !== 'configured';
}

/**
 * A server must not choose who gets the secret of a configured client: only the configured issuer does, or, if none is
 * configured, the one that was used first.
 */
export function assertIssuer(
  { issuer }: Discovered,
  settings: OAuthSettings | undefined,
  stored: StoredLogin | undefined,
): void {
  const isBound = settings?.clientSecret !== undefined && stored?.client.id === settings.clientId;
  const expected = settings?.issuer ?? (isBound ? stored?.issuer : undefined);
  if (expected === undefined || withoutSlash(expected) === withoutSlash(issuer)) return;
  const text =
    settings?.issuer === undefined
      ? `the server names another authorization server than before, ${issuer}; if that is right, set it as "oauth.issuer"`
      : `the server names the authorization server ${issuer}, which is not "oauth.issuer"`;
  throw new WorkbenchError('LOGIN_FAILED', text);
}

function withoutSlash(issuer: string): string {
  return issuer.endsWith('/') ? issuer.slice(0, -1) : issuer;
}

function cannotRegister(): WorkbenchError {
  const text = 'the authorization server registers no clients by itself; register one there, and set "oauth.clientId"';
  return new WorkbenchError('LOGIN_UNSUPPORTED', text);
}
