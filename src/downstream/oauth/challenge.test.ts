import { expect, test } from 'vitest';
import { growth, superlinear } from '../../../test/support/growth.js';
import { readChallenge } from './challenge.js';

test.each([
  [undefined, {}],
  ['', {}],
  ['Basic realm="x"', {}],
  ['Bearer', {}],
  ['Bearer scope="read write"', { scope: 'read write' }],
  ['bearer error=insufficient_scope, scope=read', { error: 'insufficient_scope', scope: 'read' }],
  ['Basic realm="x", Bearer scope="a"', { scope: 'a' }],
  ['Bearer error_description="needs scope=evil", scope="good"', { scope: 'good' }],
  ['Bearer resource_metadata="not a URL"', {}],
  ['Bearer scope="", error=""', {}],
])('the challenge %j is read', (header, expected) => {
  expect(readChallenge(header)).toEqual({
    resourceMetadata: undefined,
    scope: undefined,
    error: undefined,
    ...expected,
  });
});

test('the address of metadata is a URL', () => {
  const { resourceMetadata } = readChallenge('Bearer resource_metadata="https://a.test/.well-known/x"');
  expect(resourceMetadata?.href).toBe('https://a.test/.well-known/x');
});

test('a long header without any parameter is read in a time that grows with its length, not with the square of it', () => {
  const word = (size: number) => `Bearer ${'a'.repeat(size)}`;
  const wordAndSpaces = (size: number) => `${word(size)}${' '.repeat(size)}`;
  for (const headerOf of [word, wordAndSpaces]) {
    expect(readChallenge(headerOf(1_000)).error).toBeUndefined();
    expect(growth(10_000, headerOf, readChallenge)).toBeLessThan(superlinear);
  }
});
