import { expect, test } from 'vitest';
import { shorten, shortenAtWord } from './shorten.js';

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['abcd', 1, '…'],
  ['abcd', 0, ''],
  ['a🚀bc', 3, 'a…'],
])('%j in %i characters is %j', (text, length, expected) => {
  expect(shorten(text, length)).toBe(expected);
});

test.each([
  ['one two three', 13, 'one two three'],
  ['one two three', 10, 'one two…'],
  ['a nevertheless', 10, 'a neverth…'],
])('%j in %i characters, cut at a word, is %j', (text, length, expected) => {
  expect(shortenAtWord(text, length)).toBe(expected);
});
