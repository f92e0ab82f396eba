import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createReplaceAny, shortestFound } from './replace-any.js';

test('no text that is looked for is left, and everything else stays as it is', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '$'), minLength: shortestFound, maxLength: 9 });
  fc.assert(
    fc.property(fc.array(letters, { minLength: 1 }), fc.array(fc.string(), { minLength: 1 }), (wanted, others) => {
      const replace = createReplaceAny(wanted, '***');
      const between = others.filter((other) => !/[abé$*]/.test(other));
      const text = wanted.map((one, index) => `${between[index] ?? '|'}|${one}|`).join('');
      expect(replace(text)).toBe(wanted.map((_, index) => `${between[index] ?? '|'}|***|`).join(''));
    }),
  );
});

test.each([
  ['the longest of several', ['abcdef', 'abcdefgh'], 'xabcdefghx', 'x***x'],
  ['two side by side', ['abcdef', 'uvwxyz'], 'abcdefuvwxyz', '******'],
  ['overlapping ones as one', ['abcdef', 'defghi', 'ghijkl'], 'xabcdefghijklx', 'x***x'],
  ['one inside of another as one', ['abcdefghij', 'cdefgh'], 'xabcdefghijx', 'x***x'],
  ['none that is too short', ['abcde'], 'abcde', 'abcde'],
])('%s', (_, wanted, text, expected) => {
  expect(createReplaceAny(wanted, '***')(text)).toBe(expected);
});

test('a text that was cut loses the beginning of one at its end', () => {
  const replace = createReplaceAny(['abcdefghij'], '***');
  expect(replace('x abcdefg', true)).toBe('x ***');
  expect(replace('x abcdefg')).toBe('x abcdefg');
  expect(replace('x abcdefgx', true)).toBe('x abcdefgx');
});

test('the time hardly depends on how many texts are looked for', () => {
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(20_000);
  const cpuOf = (count: number) => {
    const replace = createReplaceAny(
      Array.from({ length: count }, (_, index) => `secret-${index}-${index}`),
      '***',
    );
    const rounds = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage();
      replace(text);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    });
    return Math.min(...rounds);
  };
  // Ten thousand times as many: one after the other they would take thousands of times as long.
  expect(cpuOf(100_000)).toBeLessThan(200 * Math.max(1_000, cpuOf(10)));
});
