import {
  exchangeAuthorization,
  OAuthError,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import { WorkbenchError } from '../../contract/errors.js';
import { crypto } from '../../platform/crypto.js';
import type { Challenge } from './challenge.js';
import { assertIssuer, chooseClient, clientInformation } from './client.js';
import { assertPkce, assumed, type Discovered, discover } from './discovery.js';
import { assertOneParty } from './endpoint-hosts.js';
import type { Flow, LoginContext } from './login-context.js';
import { isClientRefusal, mismatch } from './login-failures.js';
import type { StoredClient, StoredLogin } from './login-file.js';
import { withLoginLock } from './login-lock.js';
import { scopeToRequest } from './scopes.js';
import { storedTokens } from './tokens.js';

/** What the user was sent to the browser with. */
export interface Pending {
  readonly discovered: Discovered;
  readonly client: StoredClient;
  readonly redirect: string;
  readonly scope: string | undefined;
  readonly state: string;
  readonly url: URL;
  readonly verifier: string;
}

export interface Preparation {
  readonly challenge: Challenge;
  /** Whether a server without any metadata is taken for one of 2025-03-26, whose endpoints have default paths. */
  readonly assumesDefaults: boolean;
  readonly redirect: string;
  readonly stored: StoredLogin | undefined;
}

export async function prepareLogin({ target }: LoginContext, flow: Flow, options: Preparation): Promise<Pending> {
  const { challenge, redirect, stored, assumesDefaults } = options;
  const server = new URL(target.url);
  const discovered = (await discover(server, challenge, flow.fetch)) ?? (assumesDefaults ? assumed(server) : undefined);
  if (discovered === undefined) throw withoutLogin();
  assertPkce(discovered);
  assertOneParty(discovered, target.oauth);
  assertIssuer(discovered, target.oauth, stored);
  const wanted = stored?.issuer === discovered.issuer ? stored.wanted : undefined;
  const scope = scopeToRequest(target.oauth, challenge.scope, discovered, wanted);
  const client = await chooseClient({ settings: target.oauth, discovered, redirect, scope, stored }, flow.fetch);
  const state = crypto().randomBytes(32).toString('base64url');
  const { authorizationUrl: url, codeVerifier: verifier } = await startAuthorization(discovered.authorizationServer, {
    metadata: discovered.metadata,
    clientInformation: clientInformation(client, target.oauth, discovered.issuer),
    redirectUrl: redirect,
    scope,
    state,
    resource: discovered.resource,
  });
  const problem = flow.problemOf(url);
  if (problem !== undefined) throw new WorkbenchError('LOGIN_FAILED', `the login page is refused: ${problem}`);
  return { discovered, client, redirect, scope, state, url, verifier };
}

interface Exchange {
  readonly flow: Flow;
  readonly signal: AbortSignal;
  /** Collects what must not be in any text. */
  readonly secrets: Set<string>;
}

/** Checks whose answer it is, exchanges its code for tokens and stores them. */
export async function exchangeCode(
  pending: Pending,
  parameters: URLSearchParams,
  context: LoginContext,
  exchange: Exchange,
): Promise<StoredLogin> {
  try {
    return await exchangeOnce(pending, parameters, context, exchange);
  } catch (error) {
    if (isClientRefusal(error)) await forgetClient(context, pending.client, exchange.signal);
    throw error;
  }
}

/** So that the next login registers another one. */
async function forgetClient({ file }: LoginContext, client: StoredClient, signal: AbortSignal): Promise<void> {
  if (client.origin !== 'registered') return;
  await withLoginLock(file.path, signal, async () => {
    if (file.read()?.client.id === client.id) file.remove();
  });
}

async function exchangeOnce(
  { discovered, client, redirect, scope, verifier }: Pending,
  parameters: URLSearchParams,
  context: LoginContext,
  { flow: { fetch }, signal, secrets }: Exchange,
): Promise<StoredLogin> {
  const { metadata, issuer, authorizationServer, resource } = discovered;
  const iss = parameters.get('iss') ?? undefined;
  const issParameterSupported = metadata?.authorization_response_iss_parameter_supported === true;
  // Before anything else of it is read: the texts may be another's.
  validateAuthorizationResponseIssuer({ iss, expectedIssuer: metadata?.issuer, issParameterSupported });
  const error = parameters.get('error');
  if (error !== null) throw new OAuthError(error, parameters.get('error_description') ?? error);
  const code = parameters.get('code');
  if (code === null || code === '') throw mismatch();
  secrets.add(code);
  const { oauth: settings } = context.target;
  const issued = await exchangeAuthorization(authorizationServer, {
    metadata,
    clientInformation: clientInformation(client, settings, issuer),
    authorizationCode: code,
    ...(iss !== undefined && { iss }),
    codeVerifier: verifier,
    redirectUri: redirect,
    resource,
    fetchFn: fetch,
  });
  const tokens = storedTokens(issued, scope);
  const login: StoredLogin = {
    ...context.key,
    issuer,
    authorizationServer,
    metadata,
    resource,
    client,
    tokens,
    scope,
    since: new Date().toISOString(),
  };
  context.learned([tokens.access, tokens.refresh ?? '', client.secret ?? '']);
  await withLoginLock(context.file.path, signal, async () => {
    // A cancelled login stores nothing.
    signal.throwIfAborted();
    context.file.write(login);
  });
  return login;
}

export function withoutLogin(): WorkbenchError {
  return new WorkbenchError(
    'LOGIN_UNSUPPORTED',
    'the server describes no login (OAuth); most such servers take a key in "headers"',
  );
}
