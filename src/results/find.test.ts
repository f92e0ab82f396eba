import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findIn } from './find.js';
import { evaluate } from './select/evaluate.js';
import { parseExpression } from './select/parse.js';

const inText = (value: string, text: string, maxChars = 8_000) => findIn({ isText: true, value }, text, maxChars);
const inValue = (value: unknown, text: string, maxChars = 8_000) => findIn({ isText: false, value }, text, maxChars);

describe('a search in JSON', () => {
  test('gives strings, numbers and keys by their paths, ignoring case', () => {
    const value = {
      items: [{ title: 'A Timeout, twice: timeout' }, { 'time-out': 5, n: 1234 }],
      TIMEOUTMS: [1, { a: 2 }],
      ok: true,
    };
    expect(inValue(value, 'TIMEOUT')).toMatchObject({
      lines: ['items[0].title: A Timeout, twice: timeout', 'TIMEOUTMS: [1,{"a":2}]'],
      count: 2,
    });
    expect(inValue(value, 'time-')).toMatchObject({ lines: ['items[1]."time-out": 5'] });
    expect(inValue(value, '23')).toMatchObject({ lines: ['items[1].n: 1234'] });
    expect(inValue(value, 'absent')).toMatchObject({ lines: [], count: 0 });
    expect(inValue('Hello', 'hell')).toMatchObject({ lines: ['@: Hello'] });
  });

  test('gives paths that select the value', () => {
    const key = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom('__proto__', 'constructor', 'a.b', '"'),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(key, fc.nat(3)), { minLength: 1, maxLength: 5 }), (path) => {
        const value = path.reduceRight<unknown>((inner, step) => {
          return typeof step === 'number' ? [...Array(step).fill(null), inner] : Object.fromEntries([[step, inner]]);
        }, 'the needle');
        const [line = ''] = inValue(value, 'needle').lines.slice(-1);
        expect(evaluate(parseExpression(line.slice(0, line.lastIndexOf(': '))), value)).toBe('the needle');
      }),
    );
  });

  test('shows 20 places and counts all', () => {
    const found = inValue(
      Array.from({ length: 500 }, () => 'x'),
      'x',
    );
    expect(found.lines).toHaveLength(20);
    expect(found.count).toBe(500);
  });

  test('shows what stands around the text, in one line', () => {
    const [line] = inValue([`${'a'.repeat(500)}\n\tneedle\n${'b'.repeat(500)}`], 'needle').lines;
    expect(line).toBe(`[0]: …${'a'.repeat(58)} needle ${'b'.repeat(59)}…`);
  });
});

describe('a search in text', () => {
  test('gives lines by their numbers, ignoring case', () => {
    expect(inText('one\nTwo two\r\nthree\n\ntwo', 'two')).toMatchObject({
      lines: ['line 2: Two two', 'line 5: two'],
      count: 2,
    });
    expect(inText('', 'two')).toMatchObject({ lines: [], count: 0 });
    expect(inText('two', '')).toMatchObject({ lines: [], count: 0 });
  });

  test('gives each place in a long line, with the character to read from', () => {
    const text = `first\n${'a'.repeat(3_000)}needle${'b'.repeat(3_000)}needle`;
    expect(inText(text, 'NEEDLE').lines).toEqual([
      `line 2, character 3006: …${'a'.repeat(60)}needle${'b'.repeat(60)}…`,
      `line 2, character 6012: …${'b'.repeat(60)}needle`,
    ]);
    expect(text.slice(6_012)).toBe('needle');
  });

  test('finds a text in which lower case is longer', () => {
    expect(inText('İİİİ needle', 'needle').lines).toEqual(['line 1: i̇i̇i̇i̇ needle']);
  });

  test('stays within the characters that are wanted, and counts all places', () => {
    const text = Array.from({ length: 100 }, (_, n) => `needle ${n} ${'x'.repeat(80)}`).join('\n');
    const found = inText(text, 'needle', 300);
    expect(found.lines.join('\n').length).toBeLessThanOrEqual(300);
    expect(found.lines).toHaveLength(3);
    expect(found.count).toBe(100);
  });
});
