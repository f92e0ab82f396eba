import { expect, test } from 'vitest';
import { principalKeyOf, principalOf } from './claims.js';

// Directories of users are named by it: another key would be another user, without logins and files.
test('the key of a principal is the beginning of SHA-256 over issuer, NUL and subject', () => {
  expect(principalKeyOf('https://login.example.com', 'ada')).toBe('c51778330975bcfabad37cf51e5e60d7');
});

test('no two pairs of issuer and subject have the same key because of where one of them ends', () => {
  expect(principalKeyOf('https://a.example/b', 'c')).not.toBe(principalKeyOf('https://a.example/', 'bc'));
});

test('a claim is kept as the token has it, and one that every object has is not taken for one', () => {
  const listed = ['nested', 'toString'];
  const principal = principalOf('https://a.example', { sub: 'ada', nested: { deep: [1] }, other: 1 }, listed);
  expect(principal?.identity?.claims).toEqual(new Map([['nested', { deep: [1] }]]));
});
