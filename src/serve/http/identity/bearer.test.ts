import { expect, test } from 'vitest';
import { requestWith } from '../../../../test/support/credentials.js';
import { bearerOf } from './bearer.js';

test.each(['Bearer abc', 'bearer abc', 'BEARER   abc'])('a token is read from one header: %s', (header) => {
  expect(bearerOf(requestWith(header))).toEqual({ token: 'abc' });
});

test.each([
  ['no header', [], 'token-missing'],
  ['an empty header', [''], 'token-missing'],
  ['another scheme', ['Basic YTpi'], 'token-missing'],
  ['a scheme that only begins like ours', ['Bearers abc'], 'token-missing'],
  ['no token after the scheme', ['Bearer'], 'token-malformed'],
  ['two tokens in one header', ['Bearer abc def'], 'token-malformed'],
  ['two schemes in one header', ['Bearer abc, Basic YTpi'], 'token-malformed'],
  ['a character that no token has', ['Bearer ab"c'], 'token-malformed'],
  ['two headers with the same token', ['Bearer abc', 'Bearer abc'], 'token-repeated'],
  ['a second header that is empty', ['Bearer abc', ''], 'token-repeated'],
] as const)('a request has no token if it has %s', (_, headers, problem) => {
  expect(bearerOf(requestWith(...headers))).toEqual({ problem });
});

test('two headers are noticed however their names are written', () => {
  const request = requestWith('Bearer abc');
  const rawHeaders = [...request.rawHeaders, 'aUTHORIZATION', 'Bearer def'];
  expect(bearerOf({ ...request, rawHeaders })).toEqual({ problem: 'token-repeated' });
});

test('a header whose value is the name of the header is not a second one', () => {
  const request = requestWith('Bearer abc');
  const rawHeaders = [...request.rawHeaders, 'X-Any', 'Authorization'];
  expect(bearerOf({ ...request, rawHeaders })).toEqual({ token: 'abc' });
});

test.each(['/mcp?access_token=abc', '/mcp?a=1&access%5Ftoken=abc', '/mcp?access_token'])(
  'a token in the query is refused, with and without the header: %s',
  (url) => {
    expect(bearerOf({ ...requestWith(), url })).toEqual({ problem: 'token-in-query' });
    expect(bearerOf({ ...requestWith('Bearer abc'), url })).toEqual({ problem: 'token-in-query' });
  },
);

test('a query without a token does not matter', () => {
  expect(bearerOf({ ...requestWith('Bearer abc'), url: '/mcp?window=2' })).toEqual({ token: 'abc' });
});
