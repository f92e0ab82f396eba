import { describe, expect, test } from 'vitest';
import { createClock, requestWith } from '../../../../test/support/credentials.js';
import { audience, type Issuer, startIssuer, type TokenChanges } from '../../../../test/support/issuer.js';
import { encoded, makeKey, signToken, textOfPublicKey } from '../../../../test/support/sign-token.js';
import { metadataUrl, teamOf } from '../../../../test/support/team-identity.js';
import type { TeamSettings } from './team.js';

const rsa = makeKey('RS256', 'rsa');
const shortRsa = makeKey('RS256 of 1,024 bits', 'short');
const ed = makeKey('EdDSA', 'ed');
const ec = makeKey('ES256', 'ec');

/** An issuer that signs with P-256, publishes all keys above, and the service that trusts it. */
async function trusted(changes: Partial<TeamSettings> = {}) {
  const clock = createClock();
  const issuer = await startIssuer({ keys: [ec, rsa, ed, shortRsa], now: clock.now });
  return { issuer, clock, team: teamOf(issuer, clock, changes) };
}

const seconds = (clock: { now(): number }) => Math.floor(clock.now() / 1_000);
const plain = `Bearer resource_metadata="${metadataUrl}", scope="workbench"`;
const invalid = `${plain}, error="invalid_token"`;

const accepted: Readonly<Record<string, TokenChanges>> = {
  'signed with P-256': {},
  'signed with RSA of 2,048 bits': { key: rsa },
  'signed with Ed25519': { key: ed },
  'of type JWT': { header: { typ: 'JWT' } },
  'of type application/at+jwt': { header: { typ: 'application/AT+JWT' } },
  'without a type': { header: { typ: undefined } },
  'for several audiences': { claims: { aud: ['https://other.example.com', audience] } },
  'with its scopes in scp, as a list': { claims: { scope: undefined, scp: ['other', 'workbench'] } },
  'with its scopes in scp, as a text': { claims: { scope: undefined, scp: 'other workbench' } },
  'with a subject of 255 characters': { claims: { sub: 'é'.repeat(255) } },
  'that names a place for its key, from which nothing is fetched': {
    header: { jku: 'http://127.0.0.1:9/keys', x5u: 'http://127.0.0.1:9/key' },
  },
};

test.each(Object.entries(accepted))('a token %s is accepted', async (_, changes) => {
  const { issuer, team } = await trusted();
  expect(await team.who(issuer.token(changes))).toBe(changes.claims?.['sub'] ?? 'ada');
});

type Forge = (issuer: Issuer, second: number) => string;
const forged = makeKey('ES256', 'ec');

const refused: Readonly<Record<string, readonly [why: string, forge: Forge]>> = {
  'without a signature (alg none)': [
    'algorithm-refused',
    (issuer) => issuer.token({ header: { alg: 'none' } }).replace(/[^.]*$/, ''),
  ],
  'that says alg none but has a signature': [
    'algorithm-refused',
    (issuer) => issuer.token({ header: { alg: 'none' } }),
  ],
  'with alg HS256 and the public key as its secret': [
    'algorithm-refused',
    (issuer, now) => signToken({ alg: 'HS256', kid: 'rsa' }, claimsOf(issuer, now), { secret: textOfPublicKey(rsa) }),
  ],
  'with an algorithm that is not listed': ['algorithm-refused', (issuer) => issuer.token({ header: { alg: 'PS256' } })],
  'with a listed algorithm that is not that of its key': [
    'key-unsuitable',
    (issuer) => issuer.token({ header: { alg: 'RS256' } }),
  ],
  'for another audience': [
    'audience-wrong',
    (issuer) => issuer.token({ claims: { aud: 'https://other.example.com' } }),
  ],
  'for an audience that begins with ours': [
    'audience-wrong',
    (issuer) => issuer.token({ claims: { aud: `${audience}/` } }),
  ],
  'without an audience': ['audience-wrong', (issuer) => issuer.token({ claims: { aud: undefined } })],
  'of an issuer with one slash more': ['issuer-wrong', (issuer) => issuer.token({ claims: { iss: `${issuer.url}/` } })],
  'of an issuer in another case': [
    'issuer-wrong',
    (issuer) => issuer.token({ claims: { iss: issuer.url.toUpperCase() } }),
  ],
  'of a list of issuers': ['issuer-wrong', (issuer) => issuer.token({ claims: { iss: [issuer.url] } })],
  'without an issuer': ['issuer-wrong', (issuer) => issuer.token({ claims: { iss: undefined } })],
  'that expired 30 s ago': ['token-expired', (issuer, now) => issuer.token({ claims: { exp: now - 30 } })],
  'without an end': ['token-expired', (issuer) => issuer.token({ claims: { exp: undefined } })],
  'whose end is a text': ['token-expired', (issuer, now) => issuer.token({ claims: { exp: String(now + 60) } })],
  'that is valid in 31 s': ['token-early', (issuer, now) => issuer.token({ claims: { nbf: now + 31 } })],
  'without a subject': ['subject-wrong', (issuer) => issuer.token({ claims: { sub: undefined } })],
  'with an empty subject': ['subject-wrong', (issuer) => issuer.token({ claims: { sub: '' } })],
  'with a subject of 256 characters': ['subject-wrong', (issuer) => issuer.token({ claims: { sub: 'x'.repeat(256) } })],
  'whose subject is a number': ['subject-wrong', (issuer) => issuer.token({ claims: { sub: 7 } })],
  'with a control character in its subject': ['subject-wrong', (issuer) => issuer.token({ claims: { sub: 'ada\0' } })],
  'with half a character in its subject': ['subject-wrong', (issuer) => issuer.token({ claims: { sub: 'ada\uD800' } })],
  'with a key of an unknown name': ['key-unknown', (issuer) => issuer.token({ header: { kid: 'other' } })],
  'that names no key of several': ['key-unnamed', (issuer) => issuer.token({ header: { kid: undefined } })],
  'whose name of the key is a number': ['token-malformed', (issuer) => issuer.token({ header: { kid: 7 } })],
  'signed with RSA of 1,024 bits': ['key-unsuitable', (issuer) => issuer.token({ key: shortRsa })],
  'signed with another key of the same name': ['signature-wrong', (issuer) => issuer.token({ key: forged })],
  'with a key of its own in its head': [
    'key-embedded',
    (issuer) => issuer.token({ key: forged, header: { kid: undefined, jwk: forged.published } }),
  ],
  'with a key of its own beside a right signature': [
    'key-embedded',
    (issuer) => issuer.token({ header: { jwk: forged.published } }),
  ],
  'whose key is where it says': [
    'signature-wrong',
    (issuer) => issuer.token({ key: forged, header: { jku: `${issuer.url}/forged`, x5u: `${issuer.url}/forged` } }),
  ],
  'with an unknown critical extension': ['token-extended', (issuer) => issuer.token({ header: { crit: ['x'], x: 1 } })],
  'with a critical extension that is known': [
    'token-extended',
    (issuer) => issuer.token({ header: { crit: ['b64'], b64: true } }),
  ],
  'whose content is not encoded (b64)': [
    'token-extended',
    (issuer) => issuer.token({ header: { crit: ['b64'], b64: false } }),
  ],
  'that says b64 without making it critical': ['token-extended', (issuer) => issuer.token({ header: { b64: false } })],
  'of another type': ['token-type', (issuer) => issuer.token({ header: { typ: 'logout+jwt' } })],
  'whose type is a list': ['token-type', (issuer) => issuer.token({ header: { typ: ['JWT'] } })],
  'whose claims were changed': [
    'signature-wrong',
    (issuer, now) => {
      const [head, , signature] = issuer.token().split('.');
      return `${head}.${encoded({ ...claimsOf(issuer, now), sub: 'eve' })}.${signature}`;
    },
  ],
  'whose head was changed': [
    'signature-wrong',
    (issuer) => issuer.token().replace(/^[^.]*/, encoded({ alg: 'ES256', kid: 'ec', typ: 'JWT' })),
  ],
  'with two signatures': ['token-malformed', (issuer) => `${issuer.token()}.x`],
  'that is encrypted': ['token-malformed', () => `${encoded({ alg: 'RSA-OAEP', enc: 'A256GCM' })}.a.b.c.d`],
  'whose claims are a list': ['token-malformed', (issuer) => signToken(headOf(issuer), ['claims'], issuer.key())],
  'whose claims are not JSON': ['token-malformed', (issuer) => signToken(headOf(issuer), 'claims', issuer.key())],
  'that is only a word': ['token-malformed', () => 'opaque'],
  'of more than 8 KiB': ['token-long', (issuer) => issuer.token({ claims: { more: 'x'.repeat(8_192) } })],
};

const headOf = (issuer: Issuer) => ({ alg: issuer.key().alg, kid: issuer.key().kid });
const claimsOf = ({ url }: Issuer, now: number) => ({
  iss: url,
  sub: 'ada',
  aud: audience,
  exp: now + 300,
  scope: 'workbench',
});

test.each(Object.entries(refused))('a token %s is refused with 401', async (_, [why, forge]) => {
  const { issuer, team, clock } = await trusted();
  const token = forge(issuer, seconds(clock));
  expect(await team.ask(token)).toEqual({ refused: { status: 401, challenge: invalid, why } });
  // The service is none the worse for it.
  expect(await team.who(issuer.token())).toBe('ada');
  // Nothing that it names was fetched.
  expect(new Set(issuer.requests)).toEqual(new Set(['/.well-known/oauth-authorization-server', '/jwks']));
});

test('an algorithm that no issuer may use is refused even if it is listed', async () => {
  const { issuer, team, clock } = await trusted({ algorithms: ['HS256', 'none', 'ES256'] });
  const secret = textOfPublicKey(ec);
  const token = signToken({ alg: 'HS256', kid: 'ec' }, claimsOf(issuer, seconds(clock)), { secret });
  expect(await team.who(token)).toBe('401 algorithm-refused');
  expect(await team.who(issuer.token({ header: { alg: 'none' } }))).toBe('401 algorithm-refused');
});

test('the clocks of issuer and service may differ by 30 s', async () => {
  const { issuer, team, clock } = await trusted();
  const now = seconds(clock);
  expect(await team.who(issuer.token({ claims: { exp: now - 29 } }))).toBe('ada');
  expect(await team.who(issuer.token({ claims: { nbf: now + 30 } }))).toBe('ada');
});

test('a token of 8 KiB is accepted', async () => {
  const { issuer, team } = await trusted();
  const tokenWith = (padding: number) => issuer.token({ claims: { more: 'x'.repeat(padding) } });
  let padding = 5_000;
  while (tokenWith(padding + 1).length <= 8_192) padding += 1;
  const token = tokenWith(padding);
  expect(token.length).toBeGreaterThan(8_188);
  expect(await team.who(token)).toBe('ada');
});

describe('a request without a token of the issuer', () => {
  test('is refused with 401, the metadata and the scopes, and no error', async () => {
    const { team } = await trusted();
    const refusal = (why: string) => ({ refused: { status: 401, challenge: plain, why } });
    expect(await team.identify(requestWith())).toEqual(refusal('token-missing'));
    expect(await team.identify(requestWith('Basic YTpi'))).toEqual(refusal('token-missing'));
  });

  test('costs no wait and no fetch', async () => {
    const { issuer, team } = await trusted();
    await team.who(issuer.token());
    const before = issuer.requests.length;
    expect(team.identify(requestWith())).not.toBeInstanceOf(Promise);
    expect(issuer.requests).toHaveLength(before);
  });
});

test('a token in two headers or in the query is refused with 401, although it is right', async () => {
  const { issuer, team } = await trusted();
  const token = issuer.token();
  const header = `Bearer ${token}`;
  const why = async (request: ReturnType<typeof requestWith>) => {
    const identified = await team.identify(request);
    return 'refused' in identified && [identified.refused.status, identified.refused.why];
  };
  expect(await why(requestWith(header, header))).toEqual([401, 'token-repeated']);
  expect(await why({ ...requestWith(header), url: `/mcp?access_token=${token}` })).toEqual([401, 'token-in-query']);
  expect(await why({ ...requestWith(), url: `/mcp?access_token=${token}` })).toEqual([401, 'token-in-query']);
});

describe('scopes', () => {
  const missing = {
    refused: {
      status: 403,
      challenge: `Bearer resource_metadata="${metadataUrl}", scope="workbench admin", error="insufficient_scope"`,
      why: 'scope-missing',
    },
  };

  test.each([
    ['none', {}],
    ['one of two', { scope: 'workbench' }],
    ['one that begins like it', { scope: 'workbench administrator' }],
    ['a number', { scope: 7 }],
  ])('that are missing are refused with 403 and all that are needed: the token has %s', async (_, claims) => {
    const { issuer, team } = await trusted({ scopes: ['workbench', 'admin'] });
    expect(await team.ask(issuer.token({ claims: { scope: undefined, ...claims } }))).toEqual(missing);
  });

  test('may be spread over scope and scp', async () => {
    const { issuer, team } = await trusted({ scopes: ['workbench', 'admin'] });
    expect(await team.who(issuer.token({ claims: { scope: 'admin', scp: ['workbench'] } }))).toBe('ada');
  });

  test('are neither asked for nor named if none are set', async () => {
    const { issuer, team } = await trusted({ scopes: [] });
    expect(await team.who(issuer.token({ claims: { scope: undefined } }))).toBe('ada');
    expect(await team.identify(requestWith())).toMatchObject({
      refused: { challenge: `Bearer resource_metadata="${metadataUrl}"` },
    });
    expect(team.metadata).not.toHaveProperty('scopes_supported');
  });
});

describe('required claims', () => {
  const require = new Map([
    ['groups', ['dev', 'ops']],
    ['plan', ['team']],
  ]);

  test.each([
    ['a list with one of its values, and a text', { groups: ['hr', 'ops'], plan: 'team' }],
    ['texts', { groups: 'dev', plan: 'team' }],
  ])('are met by %s', async (_, claims) => {
    const { issuer, team } = await trusted({ require });
    expect(await team.who(issuer.token({ claims }))).toBe('ada');
  });

  test.each([
    ['one of them is missing', { groups: ['dev'] }],
    ['the list has other values', { groups: ['hr', 'developers'], plan: 'team' }],
    ['the value is inside of a text', { groups: 'dev ops', plan: 'team' }],
    ['the value is inside of another list', { groups: [['dev']], plan: 'team' }],
    ['the value is a number', { groups: ['dev'], plan: 1 }],
  ])('that are not met are refused with 403 and without a hint: %s', async (_, claims) => {
    const { issuer, team } = await trusted({ require });
    expect(await team.ask(issuer.token({ claims }))).toEqual({
      refused: { status: 403, challenge: undefined, why: 'claim-required' },
    });
  });

  test('are not those that every object has', async () => {
    const { issuer, team } = await trusted({ require: new Map([['constructor', ['Object']]]) });
    expect(await team.who(issuer.token())).toBe('403 claim-required');
  });
});

describe('a principal', () => {
  test('has a key of issuer and subject, and of the claims those that are listed', async () => {
    const { issuer, team } = await trusted({ claims: ['email', 'groups', 'missing', '__proto__'] });
    const claims = { email: 'ada@example.com', groups: ['dev'], secret: 'not listed' };
    const identified = await team.ask(issuer.token({ claims }));
    expect(identified).toEqual({
      principal: {
        key: expect.stringMatching(/^[0-9a-f]{32}$/),
        identity: {
          issuer: issuer.url,
          subject: 'ada',
          issuedAt: expect.any(Number),
          claims: new Map<string, unknown>([
            ['email', 'ada@example.com'],
            ['groups', ['dev']],
          ]),
        },
      },
    });
  });

  test('is another one for the same subject of another issuer, and the same one for another token', async () => {
    const [one, other] = [await trusted(), await trusted()];
    const keyOf = async ({ issuer, team }: typeof one, changes: TokenChanges = {}) => {
      const identified = await team.ask(issuer.token(changes));
      return 'principal' in identified ? identified.principal.key : undefined;
    };
    const key = await keyOf(one);
    expect(await keyOf(one, { claims: { jti: 'another' } })).toBe(key);
    expect(await keyOf(one, { claims: { sub: 'eve' } })).not.toBe(key);
    expect(await keyOf(other)).not.toBe(key);
  });

  test('of one issuer is nobody at a service that trusts another, although both sign with the same key', async () => {
    const [one, other] = [await trusted(), await trusted()];
    expect(await other.team.who(one.issuer.token())).toBe('401 issuer-wrong');
  });

  test('has nothing of its token, and neither has a refusal or a warning', async () => {
    const { issuer, team, clock } = await trusted({ claims: ['email'] });
    const tokens = Object.values(refused).map(([, forge]) => forge(issuer, seconds(clock)));
    const answers = await Promise.all([...tokens, issuer.token()].map((token) => team.ask(token)));
    issuer.behave('away');
    clock.forward(600_000);
    answers.push(await team.ask(issuer.token()));
    const text = JSON.stringify([answers, team.warnings]);
    const parts = [...tokens, issuer.token()].flatMap((token) => token.split('.')).filter((part) => part.length > 10);
    expect(parts.filter((part) => text.includes(part))).toEqual([]);
    expect(team.warnings).toHaveLength(1);
  });
});

test('the metadata names the service, its issuer and its scopes', async () => {
  const { issuer, team } = await trusted();
  expect(team.metadata).toEqual({
    resource: audience,
    authorization_servers: [issuer.url],
    scopes_supported: ['workbench'],
    bearer_methods_supported: ['header'],
  });
});

describe('a token that was verified', () => {
  test('is known without a wait for 60 s, and then verified again', async () => {
    const { issuer, team, clock } = await trusted();
    const token = issuer.token();
    const request = requestWith(`Bearer ${token}`);
    const first = await team.identify(request);
    clock.forward(59_999);
    expect(team.identify(request)).toBe(first);
    clock.forward(1);
    expect(team.identify(request)).toBeInstanceOf(Promise);
    expect(await team.identify(request)).toEqual(first);
  });

  test('is verified again from its end on, and refused 30 s after it', async () => {
    const { issuer, team, clock } = await trusted();
    const token = issuer.token({ claims: { exp: seconds(clock) + 10 } });
    const request = requestWith(`Bearer ${token}`);
    await team.identify(request);
    clock.forward(9_999);
    expect(team.identify(request)).not.toBeInstanceOf(Promise);
    clock.forward(1);
    expect(team.identify(request)).toBeInstanceOf(Promise);
    expect(await team.who(token)).toBe('ada');
    clock.forward(30_000);
    expect(await team.who(token)).toBe('401 token-expired');
  });

  test('does not vouch for another one with the same beginning', async () => {
    const { issuer, team } = await trusted();
    const token = issuer.token();
    await team.who(token);
    expect(await team.who(token.slice(0, -1))).toMatch(/^401 /);
  });
});

test('an ID token of the same issuer is no access token: its audience is the client that users log in with', async () => {
  const { issuer, team } = await trusted();
  const tokens = await logIn(issuer, 'grace');
  expect(await team.who(String(tokens['access_token']))).toBe('grace');
  expect(await team.who(String(tokens['id_token']))).toBe('401 audience-wrong');
});

/** The code flow of OpenID Connect as a browser and a client do it. */
async function logIn(issuer: Issuer, user: string): Promise<Record<string, unknown>> {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const verifier = 'v'.repeat(43);
  const redirect = 'http://127.0.0.1:9/login/callback';
  issuer.signIn(user);
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'workbench',
    redirect_uri: redirect,
    state: 'state',
    nonce: 'nonce',
    scope: 'openid',
    code_challenge_method: 'S256',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  });
  const approved = await fetch(`${issuer.url}/authorize?${query.toString()}`, { redirect: 'manual' });
  const { searchParams } = new URL(approved.headers.get('location') ?? '');
  expect(searchParams.get('state')).toBe('state');
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: 'workbench',
    code: searchParams.get('code') ?? '',
    redirect_uri: redirect,
    code_verifier: verifier,
  });
  const send = () => fetch(`${issuer.url}/token`, { method: 'POST', body });
  const tokens = (await (await send()).json()) as Record<string, unknown>;
  expect((await send()).status).toBe(400);
  return tokens;
}
