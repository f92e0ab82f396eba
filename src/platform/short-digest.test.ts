import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortDigest } from './short-digest.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('the digest of any text is its SHA-256', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300, unit: 'grapheme' }), (text) => {
      expect(shortDigest(text)).toBe(sha256(text));
    }),
  );
});

test('the digest is right at every length around the ends of blocks', () => {
  for (let length = 0; length < 200; length++) expect(shortDigest('x'.repeat(length))).toBe(sha256('x'.repeat(length)));
});
