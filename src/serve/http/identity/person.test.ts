import { describe, expect, test } from 'vitest';
import { createClock, requestWith } from '../../../../test/support/credentials.js';
import { newToken } from '../../../platform/token.js';
import { localUser } from '../../../session/principal.js';
import type { Credentials } from './identify.js';
import { createPersonIdentity } from './person.js';

const token = newToken(32);

/** A service of one person, whose token file the test edits. */
function service() {
  const clock = createClock();
  const warnings: string[] = [];
  const state: { stored: string | Error | undefined; reads: number } = { stored: token, reads: 0 };
  const identity = createPersonIdentity({
    token,
    reread() {
      state.reads += 1;
      if (state.stored instanceof Error) throw state.stored;
      return state.stored;
    },
    warn: (message) => warnings.push(message),
    now: clock.now,
  });
  return { ...identity, clock, warnings, state, accepts: (given: string) => 'principal' in asked(given) };
  function asked(given: string) {
    const identified = identity.identify(requestWith(`Bearer ${given}`));
    if (identified instanceof Promise) throw new Error('a token of one person needs no wait');
    return identified;
  }
}

test.each(['Bearer', 'bearer', 'BEARER'])(
  'the one person with the token is the user of this computer: %s',
  (scheme) => {
    expect(service().identify(requestWith(`${scheme} ${token}`))).toEqual({ principal: localUser });
  },
);

const refused: Readonly<Record<string, readonly [Credentials, why: string, challenge?: string]>> = {
  'no token': [requestWith(), 'token-missing'],
  'a wrong token': [requestWith(`Bearer ${newToken(32)}`), 'token-wrong', 'Bearer error="invalid_token"'],
  'the beginning of the token': [
    requestWith(`Bearer ${token.slice(0, -1)}`),
    'token-wrong',
    'Bearer error="invalid_token"',
  ],
  'the token and one character': [requestWith(`Bearer ${token}A`), 'token-wrong', 'Bearer error="invalid_token"'],
  'the token in another case': [
    requestWith(`Bearer ${token.toUpperCase()}`),
    'token-wrong',
    'Bearer error="invalid_token"',
  ],
  'the token as a password': [requestWith(`Basic ${Buffer.from(`any:${token}`).toString('base64')}`), 'token-missing'],
  'the token without a scheme': [requestWith(token), 'token-missing'],
  'the token in the query alone': [{ ...requestWith(), url: `/mcp?access_token=${token}` }, 'token-in-query'],
  'the token in the query under another name': [{ ...requestWith(), url: `/mcp?token=${token}` }, 'token-missing'],
  'the token in the query and in the header': [
    { ...requestWith(`Bearer ${token}`), url: `/mcp?access_token=${token}` },
    'token-in-query',
  ],
  'the token in two headers': [requestWith(`Bearer ${token}`, `Bearer ${token}`), 'token-repeated'],
  'the token, then a wrong one': [requestWith(`Bearer ${token}`, 'Bearer any'), 'token-repeated'],
};

test.each(Object.entries(refused))(
  'a request with %s is refused with 401',
  (_, [request, why, challenge = 'Bearer']) => {
    expect(service().identify(request)).toEqual({ refused: { status: 401, challenge, why } });
  },
);

test('a service of one person is ready at once, and names no issuer', () => {
  const { isReady, metadata } = service();
  expect([isReady(), metadata]).toEqual([true, undefined]);
});

describe('a token that was replaced', () => {
  test('counts after a second, and the former one no longer, without a restart', () => {
    const { accepts, clock, state } = service();
    const next = newToken(32);
    state.stored = next;
    clock.forward(1_000);
    expect([accepts(token), accepts(next)]).toEqual([false, true]);
  });

  test('is read at most once a second, however many wrong tokens come', () => {
    const { accepts, clock, state } = service();
    for (let at = 0; at < 3_500; at += 1) {
      accepts('wrong');
      clock.forward(1);
    }
    expect(state.reads).toBe(3);
  });

  test('is read also after the clock was set back', () => {
    const { accepts, clock, state } = service();
    const next = newToken(32);
    state.stored = next;
    clock.forward(-3_600_000);
    expect(accepts(next)).toBe(true);
  });

  test.each([
    ['is gone', undefined],
    ['cannot be used', new Error('/data/http-token is a symbolic link.')],
  ])('leaves the former one valid while its file %s, with one warning that has neither', (_, stored) => {
    const { accepts, clock, state, warnings } = service();
    state.stored = stored;
    for (let second = 0; second < 5; second += 1) {
      clock.forward(1_000);
      expect(accepts(token)).toBe(true);
    }
    expect(warnings).toEqual([expect.stringMatching(/(?:is gone|symbolic link).*stays valid\.$/)]);
    expect(warnings.join()).not.toContain(token);
    state.stored = newToken(32);
    clock.forward(1_000);
    expect(accepts(token)).toBe(false);
  });
});
