import { expect, test } from 'vitest';
import { createClock } from '../../../../test/support/credentials.js';
import { type IssuerOptions, startIssuer } from '../../../../test/support/issuer.js';
import { teamOf } from '../../../../test/support/team-identity.js';
import { fetchKeys, findKeysUrl, metadataUrls } from './issuer-document.js';

test.each([
  ['https://a.example', ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']],
  ['https://a.example/', ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']],
  [
    'https://a.example/tenant/1',
    [
      '/.well-known/oauth-authorization-server/tenant/1',
      '/.well-known/openid-configuration/tenant/1',
      '/tenant/1/.well-known/openid-configuration',
    ],
  ],
  [
    'https://a.example/tenant/',
    [
      '/.well-known/oauth-authorization-server/tenant',
      '/.well-known/openid-configuration/tenant',
      '/tenant/.well-known/openid-configuration',
    ],
  ],
])('the metadata of the issuer %s is looked for at the places of RFC 8414 and OpenID Connect', (issuer, paths) => {
  expect(metadataUrls(issuer)).toEqual(paths.map((path) => `https://a.example${path}`));
});

async function asked(options: IssuerOptions, configured?: (url: string) => string) {
  const clock = createClock();
  const issuer = await startIssuer({ now: clock.now, ...options });
  const url = configured?.(issuer.url) ?? issuer.url;
  const team = teamOf(url, clock);
  const answer = await team.who(issuer.token({ claims: { iss: url } }));
  return { answer, issuer, warnings: team.warnings };
}

test.each([
  ['oauth', ''],
  ['openid', ''],
  ['oauth', '/tenant'],
  ['openid', '/tenant'],
  ['openid before', '/tenant'],
] as const)('an issuer may have its metadata where it wants: %s, behind the origin: "%s"', async (metadata, path) => {
  expect(await asked({ metadata, path })).toMatchObject({ answer: 'ada', warnings: [] });
});

const refused: Readonly<Record<string, readonly [reason: string, Readonly<Record<string, unknown>>]>> = {
  'another issuer': ['is the metadata of another issuer', { issuer: 'https://other.example.com' }],
  'no issuer': ['is the metadata of another issuer', { issuer: undefined }],
  'no keys': ['names no keys (jwks_uri)', { jwks_uri: undefined }],
  'keys without https': [
    'http://login.example.com/keys is not https',
    { jwks_uri: 'http://login.example.com/keys?a=b' },
  ],
  'keys in a file': ['is not https', { jwks_uri: 'file:///etc/passwd' }],
  'keys at no URL': ['The URL of its keys is not https', { jwks_uri: 'keys' }],
  'keys at the metadata service of a cloud': ['is not https', { jwks_uri: 'http://169.254.169.254/keys' }],
  'keys at the metadata service of a cloud, with https': [
    'its address is link-local or a metadata service',
    { jwks_uri: 'https://169.254.169.254/keys' },
  ],
};

test.each(Object.entries(refused))(
  'metadata that names %s is not used, and a warning says why',
  async (_, [reason, says]) => {
    const { answer, issuer, warnings } = await asked({ says });
    expect(answer).toBe('401 keys-unavailable');
    expect(warnings).toEqual([expect.stringContaining(reason)]);
    expect(issuer.keysFetched()).toBe(0);
  },
);

test('an issuer that is configured with one slash more than it names itself is not used', async () => {
  const { answer, warnings } = await asked({}, (url) => `${url}/`);
  expect(answer).toBe('401 keys-unavailable');
  expect(warnings).toEqual([expect.stringContaining('is the metadata of another issuer')]);
});

test('an issuer without metadata is not used, and a warning names the first place', async () => {
  const { answer, warnings } = await asked({ path: '/tenant' }, (url) => url.replace('/tenant', '/other'));
  expect(answer).toBe('401 keys-unavailable');
  expect(warnings).toEqual([
    expect.stringMatching(
      /\/\.well-known\/oauth-authorization-server\/other answered 404; no request can be verified$/,
    ),
  ]);
});

test('an issuer without https is used only on this computer', async () => {
  const clock = createClock();
  const team = teamOf('http://login.example.com', clock);
  expect(await team.who((await startIssuer()).token())).toBe('401 keys-unavailable');
  expect(team.warnings).toEqual([
    expect.stringContaining('http://login.example.com/.well-known/oauth-authorization-server is not https'),
  ]);
});

test('an issuer elsewhere cannot name keys on this computer without https', async () => {
  const issuer = 'https://login.example.com';
  const urls: string[] = [];
  const fetch = async (url: string) => {
    urls.push(url);
    return { status: 200, body: Buffer.from(JSON.stringify({ issuer, jwks_uri: 'http://127.0.0.1/keys' })) };
  };
  const { signal } = new AbortController();
  const url = await findKeysUrl(issuer, fetch, signal);
  await expect(fetchKeys(url, issuer, fetch, signal)).rejects.toThrow('http://127.0.0.1/keys is not https');
  expect(urls).toEqual([`${issuer}/.well-known/oauth-authorization-server`]);
});
