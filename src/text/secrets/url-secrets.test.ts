import { expect, test } from 'vitest';
import { secretsInUrl } from './url-secrets.js';

test.each([
  ['https://example.com/path', {}],
  ['https://me:p%40ss@example.com/', { user: 'me', password: 'p@ss' }],
  ['https://example.com/?a=1%202&b=x', { a: '1 2', b: 'x', query: 'a=1%202&b=x' }],
  ['https://example.com/#code', { fragment: 'code' }],
  ['redis://:p%zz@example.com', { password: 'p%zz' }],
  ['https://example.com/@scope/name?key=x', { key: 'x', query: 'key=x' }],
  ['pg://me:1/2@example.com/db', undefined],
  ['not a url', undefined],
  ['/path', undefined],
])('in %s these are secrets: %j', (url, expected) => {
  const found = secretsInUrl(url);
  expect(found && Object.fromEntries(found.map(({ name, value }) => [name, value]))).toEqual(expected);
});
