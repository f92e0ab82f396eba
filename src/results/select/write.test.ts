import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beginJson, writeJson } from './write.js';

test('a value is written as JSON.stringify writes it, if it fits', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(200), fc.nat(300), (held, max, skip) => {
      const value: unknown = JSON.parse(JSON.stringify(held));
      const whole = JSON.stringify(value);
      const { length } = whole;
      expect(writeJson(value, max)).toBe(length <= max ? whole : undefined);
      expect(beginJson(value, max)).toEqual({ text: whole.slice(0, max), isWhole: length <= max, skipped: 0 });
      expect(beginJson(value, max, skip)).toEqual({
        text: whole.slice(skip, skip + max),
        isWhole: length <= skip + max,
        skipped: Math.min(skip, length),
      });
    }),
  );
});

test('the beginning of a string is written as the whole is, wherever it ends', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.nat(80), (text, max) => {
      expect(beginJson(text, max).text).toBe(JSON.stringify(text).slice(0, max));
    }),
  );
});

test('a value that shares its parts a billion times is written up to the size that is wanted', () => {
  let value: unknown = ['a'];
  for (let times = 0; times < 100; times++) value = [value, value];
  expect(writeJson(value, 10_000)).toBeUndefined();
  expect(beginJson(value, 205).text).toBe(
    `${'['.repeat(101)}"a"],["a"]],[["a"],["a"]]],[[["a"],["a"]],[["a"],["a"]]]],[[[["a"],["a"]],[["a"],["a"]]],[[["a"],["a"]],[`.slice(
      0,
      205,
    ),
  );
});

test('a value that shares its parts is read from any place on without being written up to there', () => {
  const long = 'x'.repeat(100_000);
  let value: unknown = { a: [long, long] };
  for (let times = 0; times < 40; times++) value = { a: value, b: value };
  expect(beginJson(value, 100, 1e15).text).toMatch(/^x{100}$/);
  expect(beginJson({ a: long }, 100, Number.MAX_SAFE_INTEGER)).toEqual({ text: '', isWhole: true, skipped: 100_008 });
});

test('a value of 200 levels is written, and one of more is refused', () => {
  const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  expect(writeJson(nested(200), 1_000)).toHaveLength(400);
  expect(() => writeJson(nested(202), 1_000)).toThrow('the value is nested more than 200 levels deep');
});
