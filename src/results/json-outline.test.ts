import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outlineOf } from './json-outline.js';

/** Inside a larger buffer, at any offset. */
function placed(text: string, offset: number): Buffer {
  const bytes = Buffer.from(text);
  const memory = Buffer.alloc(bytes.length + offset + 8, '"');
  bytes.copy(memory, offset);
  return memory.subarray(offset, offset + bytes.length);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const long = fc.string({ unit: 'binary', minLength: 300, maxLength: 900 });
const short = fc.string({ unit: 'binary', maxLength: 60 });
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(
      long,
      short,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(null, true),
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(short, tie('value'), { maxKeys: 4 }),
  ),
}));

/** The expected outline of a value; lengths are those of the JSON in bytes. */
function elided(of: unknown): unknown {
  if (typeof of === 'string')
    return Buffer.byteLength(JSON.stringify(of)) > 257 ? '' : Buffer.from(of).toString('latin1');
  if (Array.isArray(of)) return of.map(elided);
  if (typeof of !== 'object' || of === null) return of;
  return Object.fromEntries(
    Object.entries(of).map(([key, held]) => [Buffer.from(key).toString('latin1'), elided(held)]),
  );
}

describe('a JSON text without its long strings', () => {
  test('has the same structure, at any memory offset', () => {
    fc.assert(
      fc.property(value, fc.nat(7), (held, offset) => {
        const left = outlineOf(placed(JSON.stringify(held), offset))?.text;
        expect(JSON.parse(left ?? '')).toEqual(JSON.parse(JSON.stringify(elided(held))));
      }),
    );
  });

  test('is well-formed if and only if the original was', () => {
    const slips = ['', '"', '\\', '\n', '\t', '\\u12', '\\x', '\\u12G4', '\0', ',', '}', 'é', '\u{1f600}'];
    fc.assert(
      fc.property(value, fc.nat(), fc.constantFrom(...slips), fc.nat(7), (held, where, slip, offset) => {
        const whole = JSON.stringify(held);
        const at = where % (whole.length + 1);
        const text = whole.slice(0, at) + slip + whole.slice(at + (where % 2));
        const left = outlineOf(placed(text, offset))?.text;
        expect(left !== undefined && isJson(left)).toBe(isJson(Buffer.from(text).toString('latin1')));
      }),
      { numRuns: 2_000 },
    );
  });

  test('is short, however long the strings were', () => {
    const text = JSON.stringify({ content: [{ type: 'text', text: 'x'.repeat(1_000_000) }] });
    expect(outlineOf(Buffer.from(text))?.text).toBe('{"content":[{"type":"text","text":""}]}');
  });

  test('counts the keys of the outermost object and of those directly inside of it, duplicates too', () => {
    const keysOf = (text: string) => outlineOf(Buffer.from(text))?.keys;
    fc.assert(
      fc.property(fc.dictionary(short, value), (held) => {
        const inner = Object.values(held).filter(
          (one) => typeof one === 'object' && one !== null && !Array.isArray(one),
        );
        const inside = inner.map((one) => Object.keys(one ?? {}).length).reduce((sum, count) => sum + count, 0);
        expect(keysOf(JSON.stringify(held))).toEqual([Object.keys(held).length, inside]);
      }),
    );
    expect(keysOf('{"a":{"b":1,"\\u0062":":","c":[{"d":{}}]},"a":2}')).toEqual([2, 3]);
  });
});
