import { expect, test } from 'vitest';
import { plainWords, splitWords } from './shell-script.js';

test.each([
  ['npx -y server', ['npx', '-y', 'server']],
  [`exec npx 'a b' "c d"e`, ['npx', 'a b', 'c de']],
  ['npx $HOME', undefined],
  ['a && b', undefined],
])('%j has the words %j', (script, words) => {
  expect(plainWords(script)).toEqual(words);
});

test('a long word before something that only a shell understands is read in one pass', () => {
  const word = `test -e /${'directory-'.repeat(10_000)}`;
  expect(splitWords(`${word} && exec "$@"; exit 1`)).toBeUndefined();
  expect(splitWords(word)).toHaveLength(3);
});
