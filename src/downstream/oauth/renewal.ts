import { ClientCredentialsProvider, fetchToken, refreshAuthorization } from '@modelcontextprotocol/client';
import type { Challenge } from './challenge.js';
import { assertIssuer, clientInformation, isCurrent } from './client.js';
import { withoutLogin } from './code-grant.js';
import { discover, stillNames } from './discovery.js';
import { type Flow, type LoginContext, withFlow } from './login-context.js';
import { isClientRefusal, isRefusal, loginFailure } from './login-failures.js';
import type { StoredLogin, StoredTokens } from './login-file.js';
import { withLoginLock } from './login-lock.js';
import { scopeToRequest } from './scopes.js';
import { storedTokens } from './tokens.js';

/**
 * Gets another token in place of `used`, without the user: one that another process has got by now, or a new one.
 * Undefined if the user has to log in. Fails if that cannot be known now.
 */
export async function renew(
  context: LoginContext,
  used: string | undefined,
  challenge: Challenge,
  signal: AbortSignal,
): Promise<StoredLogin | undefined> {
  try {
    // One process at a time: an authorization server may take the second use of a refresh token for theft.
    return await withLoginLock(context.file.path, signal, async () => {
      const stored = context.file.read();
      if (stored?.tokens !== undefined && stored.tokens.access !== used) return stored;
      return await withFlow(context, signal, (flow) =>
        context.target.oauth?.grant === 'client_credentials'
          ? requestToken(context, stored, challenge, flow)
          : refresh(context, stored, challenge, flow),
      );
    });
  } catch (error) {
    throw loginFailure(error, context.mask, [context.target.oauth?.clientSecret ?? '', used ?? '']);
  }
}

async function refresh(
  context: LoginContext,
  stored: StoredLogin | undefined,
  challenge: Challenge,
  { fetch }: Flow,
): Promise<StoredLogin | undefined> {
  const { target } = context;
  const token = stored?.tokens?.refresh;
  if (stored === undefined || token === undefined || !isCurrent(stored, target.oauth)) return undefined;
  const { authorizationServer, issuer, client, resource, scope, metadata } = stored;
  context.learned([token]);
  // Never to another one than it was issued by.
  const isNamed = await stillNames(new URL(target.url), challenge, authorizationServer, fetch);
  if (!isNamed) return without(context, stored);
  try {
    const issued = await refreshAuthorization(authorizationServer, {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was valid when it was stored
      metadata: metadata as Parameters<typeof refreshAuthorization>[1]['metadata'],
      clientInformation: clientInformation(client, target.oauth, issuer),
      refreshToken: token,
      resource,
      fetchFn: fetch,
    });
    return save(context, stored, storedTokens(issued, stored.tokens?.scope ?? scope));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (!isClientRefusal(error) || client.origin !== 'registered') return without(context, stored);
    context.file.remove();
    return undefined;
  }
}

/** For machines: the client itself is authorized. */
async function requestToken(
  context: LoginContext,
  stored: StoredLogin | undefined,
  challenge: Challenge,
  { fetch }: Flow,
): Promise<StoredLogin> {
  const { target, key } = context;
  const discovered = await discover(new URL(target.url), challenge, fetch);
  if (discovered === undefined) throw withoutLogin();
  const { authorizationServer, issuer, metadata, resource } = discovered;
  const { clientId = '', clientSecret = '' } = target.oauth ?? {};
  const scope = scopeToRequest(target.oauth, challenge.scope, discovered, stored?.wanted);
  assertIssuer(discovered, target.oauth, stored);
  const expectedIssuer = issuer;
  const provider = new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer, ...(scope && { scope }) });
  const issued = await fetchToken(provider, authorizationServer, { metadata, resource, scope, fetchFn: fetch });
  const login: StoredLogin = {
    ...key,
    issuer,
    authorizationServer,
    resource,
    client: { origin: 'configured', id: clientId },
    scope,
    since: new Date().toISOString(),
  };
  return save(context, login, storedTokens(issued, scope));
}

function save(context: LoginContext, login: StoredLogin, tokens: StoredTokens): StoredLogin {
  const renewed = { ...login, tokens };
  context.learned([tokens.access, tokens.refresh ?? '']);
  context.file.write(renewed);
  return renewed;
}

/** The client stays: the next login need not register again. */
function without(context: LoginContext, stored: StoredLogin): undefined {
  context.file.write({ ...stored, tokens: undefined });
}

/** Remembers what the next login has to ask for. */
export async function rememberWanted(context: LoginContext, wanted: string, signal: AbortSignal): Promise<void> {
  await withLoginLock(context.file.path, signal, async () => {
    const stored = context.file.read();
    if (stored !== undefined) context.file.write({ ...stored, wanted });
  });
}
