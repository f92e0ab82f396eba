import {
  Client,
  ClientCredentialsProvider,
  type OAuthClientProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Authorization, type AuthorizationSettings, startAuthorization } from '../support/authorization.js';

// The authorization server is a fixture of other tests: the official client shows that it is one as others are.
const redirectUrl = 'http://127.0.0.1:47110/callback';
const documentUrl = 'https://app.example.com/client.json';

interface Login extends OAuthClientProvider {
  readonly address: () => string;
  readonly saved: { tokens?: StoredOAuthTokens; client?: StoredOAuthClientInformation };
}

function login(known?: StoredOAuthClientInformation, clientMetadataUrl?: string): Login {
  const saved: { tokens?: StoredOAuthTokens; client?: StoredOAuthClientInformation } = known ? { client: known } : {};
  let verifier = '';
  let address = '';
  return {
    redirectUrl,
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    clientMetadata: {
      redirect_uris: [redirectUrl],
      client_name: 'oracle',
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => saved.client,
    saveClientInformation: (client) => void (saved.client = client),
    tokens: () => saved.tokens,
    saveTokens: (tokens) => void (saved.tokens = tokens),
    state: () => 'a-state',
    redirectToAuthorization: (url) => void (address = url.href),
    saveCodeVerifier: (text) => void (verifier = text),
    codeVerifier: () => verifier,
    address: () => address,
    saved,
  };
}

function createClient(era: 'legacy' | 'modern'): Client {
  const mode = era === 'modern' ? { pin: '2026-07-28' as const } : 'legacy';
  return new Client({ name: 'oracle', version: '1' }, { versionNegotiation: { mode } });
}

async function connect(url: string, authProvider: OAuthClientProvider, era: 'legacy' | 'modern' = 'modern') {
  const client = createClient(era);
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
  return client;
}

/** Consents once, then connects. */
async function logIn(server: Authorization, provider: Login, era?: 'legacy' | 'modern'): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(server.url), { authProvider: provider });
  await expect(createClient(era ?? 'modern').connect(transport)).rejects.toThrow(UnauthorizedError);
  const answer = new URL(await server.consent(provider.address()));
  expect(answer.searchParams.get('state')).toBe('a-state');
  await transport.finishAuth(answer.searchParams);
  return connect(server.url, provider, era);
}

const echo = { name: 'echo', arguments: { message: 'hello' } };
const hello = { content: [{ type: 'text', text: 'hello' }] };

describe.each(['legacy', 'modern'] as const)('the official client, %s', (era) => {
  test('gets a token by consent and uses the server', async () => {
    const server = await startAuthorization();
    const client = await logIn(server, login(), era);
    expect(await client.callTool(echo)).toMatchObject(hello);
    const [asked] = await server.sent('/authorize');
    expect(asked?.query).toMatchObject({ code_challenge_method: 'S256', scope: 'read', resource: server.url });
  });
});

test.each<[string, AuthorizationSettings]>([
  ['OpenID Connect discovery', { metadata: 'oidc' }],
  ['an issuer with a path', { issuerPath: '/tenant' }],
  ['an issuer with a path and OpenID Connect discovery', { issuerPath: '/tenant', metadata: 'oidc' }],
  ['resource metadata at the well-known path', { resourceMetadata: 'path' }],
  ['resource metadata at the root', { resourceMetadata: 'root' }],
  ['no resource metadata', { resourceMetadata: 'none' }],
  ['no metadata at all', { resourceMetadata: 'none', metadata: 'none' }],
])('the official client finds its way with %s', async (_, settings) => {
  const server = await startAuthorization(settings);
  expect(await (await logIn(server, login())).callTool(echo)).toMatchObject(hello);
});

test('a client may be described by a document, or registered before', async () => {
  const document = { client_id: documentUrl, client_name: 'By document', redirect_uris: [redirectUrl] };
  const clients = { known: { secret: 'a-secret', redirectUris: [redirectUrl] } };
  const server = await startAuthorization({ cimd: true, documents: { [documentUrl]: document }, clients });
  await logIn(server, login(undefined, documentUrl));
  await logIn(server, login({ client_id: 'known', client_secret: 'a-secret' }));
  expect(await server.sent('/register')).toEqual([]);
  expect((await server.control()).clients).toBe(0);
});

test('a machine gets a token with its own credentials, and with wrong ones none', async () => {
  const clients = { robot: { secret: 'a-secret', grantTypes: ['client_credentials'] } };
  const server = await startAuthorization({ clients });
  const robot = (clientSecret: string) =>
    new ClientCredentialsProvider({ clientId: 'robot', clientSecret, scope: 'read', expectedIssuer: server.issuer });
  expect(await (await connect(server.url, robot('a-secret'))).callTool(echo)).toMatchObject(hello);
  await expect(connect(server.url, robot('another'))).rejects.toThrow();
});

test('an expired token is refreshed; the refresh token is replaced, and its second use ends everything', async () => {
  const server = await startAuthorization();
  const provider = login();
  const client = await logIn(server, provider);
  const first = provider.saved.tokens;
  await server.control({ revokeAccess: true });
  expect(await client.callTool(echo)).toMatchObject(hello);
  expect(provider.saved.tokens?.refresh_token).not.toBe(first?.refresh_token);
  expect(await server.control()).toMatchObject({ accessTokens: 1, refreshTokens: 1, reuses: 0 });
  if (first !== undefined) await provider.saveTokens(first);
  await server.control({ revokeAccess: true });
  await expect(client.callTool(echo)).rejects.toThrow();
  expect(await server.control()).toMatchObject({ accessTokens: 0, refreshTokens: 0, reuses: 1 });
});

test('a tool that needs more is refused until more was granted', async () => {
  const server = await startAuthorization({ toolScopes: { echo: 'write' } });
  const provider = login();
  const client = await logIn(server, provider);
  await expect(client.callTool(echo)).rejects.toThrow();
  expect(new URL(provider.address()).searchParams.get('scope')).toBe('read write');
});

test.each<[string, AuthorizationSettings, (answer: URLSearchParams) => unknown, unknown]>([
  ['a wrong iss', { iss: 'wrong' }, (answer) => answer.get('iss'), 'https://another.example.com'],
  ['no iss', { iss: 'omitted' }, (answer) => answer.get('iss'), null],
  ['a wrong state', { state: 'wrong' }, (answer) => answer.get('state'), 'of-another-request'],
  ['a refusal', { consent: 'deny' }, (answer) => answer.get('error'), 'access_denied'],
])('the redirect has %s on demand', async (_, settings, read, expected) => {
  const server = await startAuthorization({ ...settings });
  const provider = login();
  await expect(connect(server.url, provider)).rejects.toThrow(UnauthorizedError);
  expect(read(new URL(await server.consent(provider.address())).searchParams)).toBe(expected);
});

test('the authorization server leaves and comes back with what it had', async () => {
  const server = await startAuthorization();
  const provider = login();
  const client = await logIn(server, provider);
  await server.control({ listening: false, revokeAccess: true });
  await expect(fetch(server.issuer)).rejects.toThrow();
  await expect(client.callTool(echo)).rejects.toThrow();
  await server.control({ listening: true });
  expect(await client.callTool(echo)).toMatchObject(hello);
});

test.each([
  ['without PKCE', { code_challenge: undefined }, 'invalid_request'],
  ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['for another resource', { resource: 'https://another.example.com/mcp' }, 'invalid_target'],
  ['for a scope that does not exist', { scope: 'everything' }, 'invalid_scope'],
])('a request %s is refused', async (_, changes, error) => {
  const server = await startAuthorization({ consent: 'allow' });
  const provider = login();
  await expect(connect(server.url, provider)).rejects.toThrow(UnauthorizedError);
  const address = new URL(provider.address());
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) address.searchParams.delete(name);
    else address.searchParams.set(name, value);
  }
  expect(new URL(await server.consent(address.href)).searchParams.get('error')).toBe(error);
});
