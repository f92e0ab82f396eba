import { describe, expect, onTestFinished, test } from 'vitest';
import { createClock, requestWith } from '../../../../test/support/credentials.js';
import { type IssuerOptions, startIssuer } from '../../../../test/support/issuer.js';
import { makeKey } from '../../../../test/support/sign-token.js';
import { teamOf } from '../../../../test/support/team-identity.js';
import { until } from '../../../../test/support/until.js';
import type { FetchDocument } from './issuer-document.js';
import { createIssuerKeys } from './keys.js';

const minute = 60_000;
const day = 24 * 60 * minute;

/** A service whose issuer can change, and which verifies every token anew: each is another one. */
async function trusted(options: IssuerOptions = {}) {
  const clock = createClock();
  const issuer = await startIssuer({ now: clock.now, ...options });
  const team = teamOf(issuer, clock);
  let count = 0;
  const newToken = (changes: { kid?: string; key?: ReturnType<typeof makeKey> } = {}) => {
    count += 1;
    const { kid, key } = changes;
    return issuer.token({ claims: { jti: count }, ...(kid !== undefined && { header: { kid } }), ...(key && { key }) });
  };
  return { clock, issuer, team, newToken, who: (changes = {}) => team.who(newToken(changes)) };
}

/** The same after the keys are known. */
async function ready(options: IssuerOptions = {}) {
  const all = await trusted(options);
  await until(() => all.team.isReady());
  return all;
}

const times = <T>(count: number, work: () => Promise<T>) => Promise.all(Array.from({ length: count }, work));

describe('the keys of the issuer', () => {
  test('are fetched when the service starts, before anybody asks for anything', async () => {
    const { issuer } = await trusted();
    await until(() => issuer.keysFetched() === 1);
  });

  test('are fetched once for a hundred requests that come before them, and none of these is refused', async () => {
    const { issuer, who } = await trusted();
    expect(new Set(await times(100, who))).toEqual(new Set(['ada']));
    expect(issuer.requests).toEqual(['/.well-known/oauth-authorization-server', '/jwks']);
  });

  test('are kept for 10 min, then fetched again once for all requests', async () => {
    const { clock, issuer, who } = await ready();
    clock.forward(10 * minute - 1);
    await times(10, who);
    expect(issuer.keysFetched()).toBe(1);
    clock.forward(1);
    await times(10, who);
    expect(issuer.keysFetched()).toBe(2);
  });

  test('are fetched again after the clock was set back', async () => {
    const { clock, issuer, who } = await ready();
    clock.forward(-minute);
    expect(await who()).toBe('ada');
    expect(issuer.keysFetched()).toBe(2);
  });

  test('are fetched again when somebody asks whether the service is ready, so that no request waits', async () => {
    const { clock, issuer, team } = await ready();
    clock.forward(10 * minute);
    expect(team.isReady()).toBe(true);
    await until(() => issuer.keysFetched() === 2);
  });

  test('that are withdrawn count no longer after 10 min, and the service is not ready without any', async () => {
    const { clock, issuer, team, who } = await ready();
    issuer.publish([]);
    clock.forward(10 * minute);
    expect(await who()).toBe('401 keys-unavailable');
    expect(team.isReady()).toBe(false);
    expect(team.warnings).toEqual([expect.stringContaining('none of them is for RS256, ES256, EdDSA')]);
  });

  test.each([
    ['are not for signatures', { use: 'enc' }],
    ['are for signing only', { key_ops: ['sign'] }],
    ['are secret, but were published', { d: 'AAAA' }],
    ['are for another algorithm', { alg: 'ES384' }],
    ['are on another curve', { crv: 'P-384' }],
    ['have a number as their name', { kid: 7 }],
    ['are symmetric', { kty: 'oct', k: 'AAAA', alg: 'HS256' }],
  ])('are not used if they %s', async (_, change) => {
    const key = makeKey();
    const { who, team } = await trusted({ keys: [{ ...key, published: { ...key.published, ...change } }] });
    expect(await who()).toBe('401 keys-unavailable');
    expect(team.isReady()).toBe(false);
  });

  test('are used beside entries of a set that are no keys', async () => {
    const { issuer, who, clock } = await ready();
    issuer.publish(['no key', null, { kty: 7 }, {}, issuer.key().published]);
    clock.forward(10 * minute);
    expect(await who()).toBe('ada');
  });

  test('may share a name if they are of different kinds', async () => {
    const [rsa, ec] = [makeKey('RS256', 'same'), makeKey('ES256', 'same')];
    const { who } = await ready({ keys: [rsa, ec] });
    expect([await who({ key: rsa }), await who({ key: ec })]).toEqual(['ada', 'ada']);
  });

  test('need no name if there is only one', async () => {
    const { issuer, team } = await ready();
    expect(await team.who(issuer.token({ header: { kid: undefined } }))).toBe('ada');
  });
});

describe('a key that is not known', () => {
  test('is looked for once for a thousand requests, whatever they name', async () => {
    const { issuer, team, newToken } = await ready();
    const tokens = Array.from({ length: 1_000 }, (_, at) => newToken({ kid: `unknown ${at}` }));
    const answers = await Promise.all(tokens.map((token) => team.who(token)));
    expect(new Set(answers)).toEqual(new Set(['401 key-unknown']));
    expect(issuer.keysFetched()).toBe(2);
    // One after the other is no different.
    for (const token of tokens.slice(0, 20)) await team.who(token);
    expect(issuer.requests).toEqual(['/.well-known/oauth-authorization-server', '/jwks', '/jwks']);
  });

  test('is looked for again after 30 s', async () => {
    const { clock, issuer, who } = await ready();
    await who({ kid: 'unknown' });
    clock.forward(29_999);
    await who({ kid: 'unknown' });
    expect(issuer.keysFetched()).toBe(2);
    clock.forward(1);
    await who({ kid: 'unknown' });
    expect(issuer.keysFetched()).toBe(3);
  });

  test('costs no second fetch if the keys were fetched for this very request', async () => {
    const { issuer, who } = await trusted();
    expect(await who({ kid: 'unknown' })).toBe('401 key-unknown');
    expect(issuer.keysFetched()).toBe(1);
  });

  test('is not looked for if the token names none, or one of another kind', async () => {
    const { issuer, team } = await ready({ keys: [makeKey(), makeKey()] });
    expect(await team.who(issuer.token({ header: { kid: undefined } }))).toBe('401 key-unnamed');
    expect(await team.who(issuer.token({ header: { alg: 'EdDSA' } }))).toBe('401 key-unsuitable');
    expect(issuer.keysFetched()).toBe(1);
  });

  test('is found at its first use after the issuer has changed its key, and the former one counts no longer', async () => {
    const { issuer, who } = await ready();
    const former = issuer.key();
    issuer.rotate();
    expect(await times(50, who)).toEqual(Array.from({ length: 50 }, () => 'ada'));
    expect(await who({ key: former })).toBe('401 key-unknown');
    expect(issuer.keysFetched()).toBe(2);
  });

  test('is found 30 s later if the issuer changes its key twice', async () => {
    const { clock, issuer, who } = await ready();
    issuer.rotate();
    await who();
    issuer.rotate();
    expect(await who()).toBe('401 key-unknown');
    clock.forward(30_000);
    expect(await who()).toBe('ada');
  });
});

describe('an issuer that is away', () => {
  test.each(['away', 'failing', 'huge', 'redirecting'] as const)(
    '(%s) does not matter for 24 h; then tokens are refused',
    async (how) => {
      const { clock, issuer, team, who } = await ready();
      issuer.behave(how);
      for (const later of [10 * minute, 12 * 60 * minute, day - 12 * 60 * minute - 10 * minute - 1]) {
        clock.forward(later);
        expect([await who(), team.isReady()]).toEqual(['ada', true]);
      }
      clock.forward(1);
      expect([await who(), team.isReady()]).toEqual(['401 keys-unavailable', false]);
      issuer.behave('well');
      clock.forward(5_000);
      expect([await who(), team.isReady()]).toEqual(['ada', true]);
      expect(team.warnings).toHaveLength(1);
    },
  );

  test.each([
    ['away', 'the connection was closed or reset'],
    ['failing', '/.well-known/oauth-authorization-server answered 503'],
    ['huge', '/jwks has more than 1048576 bytes'],
    ['redirecting', 'its address is link-local or a metadata service'],
  ] as const)('(%s) is warned about once, with the reason and the consequence', async (how, reason) => {
    const { clock, issuer, team, who } = await ready();
    issuer.behave(how);
    clock.forward(10 * minute);
    for (let minutes = 0; minutes < 3; minutes += 1) {
      await who();
      clock.forward(minute);
    }
    expect(team.warnings).toEqual([expect.stringMatching(/^the keys of the issuer http.* are used for up to 24 h$/)]);
    expect(team.warnings[0]).toContain(reason);
  });

  test('when the service starts leaves it without keys until it is there, and it is asked every 5 s at most', async () => {
    const { clock, issuer, team, who } = await trusted();
    issuer.behave('failing');
    expect(await who()).toBe('401 keys-unavailable');
    const asked = issuer.requests.length;
    await times(100, who);
    expect([team.isReady(), issuer.requests.length]).toEqual([false, asked]);
    issuer.behave('well');
    clock.forward(5_000);
    await until(() => team.isReady());
    expect(await who()).toBe('ada');
  });

  test('is no fault of a token: the answer says 401 without calling it invalid', async () => {
    const { issuer, team } = await trusted();
    issuer.behave('away');
    const identified = await team.identify(requestWith(`Bearer ${issuer.token()}`));
    expect('refused' in identified && identified.refused).toMatchObject({ status: 401, why: 'keys-unavailable' });
    expect(JSON.stringify(identified)).not.toContain('invalid_token');
  });

  test('is waited for no longer when the service ends', async () => {
    const { issuer, team, who } = await trusted();
    issuer.behave('silent');
    const answer = who();
    await until(() => issuer.requests.length > 0);
    team.close();
    expect(await answer).toBe('401 keys-unavailable');
    expect(await who()).toBe('401 keys-unavailable');
    expect(issuer.requests).toHaveLength(1);
    expect(team.warnings).toEqual([]);
  });
});

/** Keys of an issuer that answers in this way. */
function keysOf(fetch: FetchDocument, now: () => number = Date.now) {
  const keys = createIssuerKeys({ issuer, algorithms: ['ES256'], fetch, warn: () => {}, now });
  onTestFinished(() => keys.close());
  return keys;
}

const issuer = 'https://login.example.com';
const wanted = { alg: 'ES256', kid: 'a' };
const { published } = makeKey('ES256', 'a');
const answer = async (url: string) => {
  const document = url.endsWith('/keys') ? { keys: [published] } : { issuer, jwks_uri: `${issuer}/keys` };
  return { status: 200, body: Buffer.from(JSON.stringify(document)) };
};

test('every document of an issuer is asked for with a limit of 1 MiB and of 5 s', async () => {
  const limits: object[] = [];
  const keys = keysOf((url, limit) => {
    limits.push(limit);
    return answer(url);
  });
  expect(await keys.find(wanted)).toHaveProperty('key');
  expect(limits).toEqual([1, 2].map(() => ({ maxBytes: 1_048_576, timeoutMs: 5_000 })));
});

test('an issuer that is known to be away holds up no request while it is asked again', async () => {
  const clock = createClock();
  let fetch: FetchDocument = answer;
  const keys = keysOf((...all) => fetch(...all), clock.now);
  await keys.find(wanted);
  fetch = () => Promise.reject(new Error('away'));
  clock.forward(10 * minute);
  await keys.find(wanted);
  let asked = 0;
  fetch = () => {
    asked += 1;
    return new Promise(() => {});
  };
  clock.forward(5_000);
  expect(await keys.find(wanted)).toHaveProperty('key');
  expect(await keys.find(wanted)).toHaveProperty('key');
  expect(asked).toBe(1);
});
