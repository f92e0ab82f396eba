import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type FetchLike,
  type OAuthProtectedResourceMetadata,
  resourceUrlFromServerUrl,
} from '@modelcontextprotocol/client';
import { WorkbenchError } from '../../contract/errors.js';
import { shownUrl } from '../http/network/network.js';
import type { Challenge } from './challenge.js';

/** Who issues tokens for a server, and how. */
export interface Discovered {
  /** As the server names it. */
  readonly authorizationServer: string;
  readonly issuer: string;
  /** Undefined for a server of 2025-03-26 without any: the endpoints have their default paths. */
  readonly metadata: AuthorizationServerMetadata | undefined;
  /** The indicator to request tokens for. */
  readonly resource: string | undefined;
  /** The scopes that the server names. */
  readonly scope: string | undefined;
  /** Whether the metadata must say that PKCE is supported. */
  readonly needsPkce: boolean;
}

/** Undefined if nothing says that the server has a login. */
export async function discover(server: URL, challenge: Challenge, fetch: FetchLike): Promise<Discovered | undefined> {
  const described = await describedResource(server, challenge, fetch);
  const authorizationServer = authorizationServerOf(server, described);
  const metadata = await discoverAuthorizationServerMetadata(authorizationServer, { fetchFn: fetch });
  if (metadata === undefined && described === undefined) return undefined;
  if (metadata === undefined) throw withoutMetadata(authorizationServer);
  return {
    authorizationServer,
    issuer: metadata.issuer,
    metadata,
    resource: described?.resource,
    scope: described?.scopes_supported?.join(' ') || undefined,
    needsPkce: described !== undefined,
  };
}

/** For logins in a browser. Servers of 2025-03-26 did not have to say that they support it. */
export function assertPkce({ metadata, needsPkce }: Discovered): void {
  if (!needsPkce || metadata?.code_challenge_methods_supported !== undefined) return;
  throw new WorkbenchError('LOGIN_UNSUPPORTED', 'the authorization server does not support PKCE');
}

/** The authorization server of a server of 2025-03-26 that has no metadata at all: it is the server itself. */
export function assumed(server: URL): Discovered {
  const authorizationServer = new URL('/', server).href;
  return {
    authorizationServer,
    issuer: authorizationServer,
    metadata: undefined,
    resource: undefined,
    scope: undefined,
    needsPkce: false,
  };
}

/** Whether the server still names this authorization server. One without metadata names none. */
export async function stillNames(
  server: URL,
  challenge: Challenge,
  authorizationServer: string,
  fetch: FetchLike,
): Promise<boolean> {
  const described = await describedResource(server, challenge, fetch);
  const named = described?.authorization_servers ?? [];
  return named.length === 0 || named.includes(authorizationServer);
}

type Described = OAuthProtectedResourceMetadata | undefined;

async function describedResource(server: URL, { resourceMetadata }: Challenge, fetch: FetchLike): Promise<Described> {
  const named = resourceMetadata && (await loadDescription(server, resourceMetadata, fetch));
  const described = named ?? (await loadDescription(server, undefined, fetch));
  if (described === undefined) return undefined;
  const isForIt = checkResourceAllowed({
    requestedResource: resourceUrlFromServerUrl(server),
    configuredResource: described.resource,
  });
  if (isForIt) return described;
  throw new WorkbenchError('LOGIN_FAILED', `the metadata of ${shownUrl(server)} describes another resource`);
}

/** Undefined if there is none; a server that is out of order may have one. */
async function loadDescription(
  server: URL,
  resourceMetadataUrl: URL | undefined,
  fetch: FetchLike,
): Promise<Described> {
  let status = 0;
  const watched: FetchLike = async (url, init) => {
    status = 0;
    const response = await fetch(url, init);
    status = response.status;
    return response;
  };
  try {
    return await discoverOAuthProtectedResourceMetadata(
      server,
      resourceMetadataUrl && { resourceMetadataUrl },
      watched,
    );
  } catch (error) {
    if (status >= 300 && status < 500) return undefined;
    throw error;
  }
}

function authorizationServerOf(server: URL, described: Described): string {
  return described?.authorization_servers?.[0] ?? new URL('/', server).href;
}

function withoutMetadata(authorizationServer: string): WorkbenchError {
  const shown = URL.canParse(authorizationServer) ? shownUrl(new URL(authorizationServer)) : 'that the server names';
  return new WorkbenchError('LOGIN_FAILED', `the authorization server ${shown} has no metadata`);
}
