import { describe, expect, test } from 'vitest';
import { type CursorLimits, excess, JsonCursor, unlimited } from './json-cursor.js';

const everything = { levels: unlimited, longStrings: unlimited, maxDepth: unlimited, maxParts: unlimited };

/** The signs of a text that comes in these pieces; strings as a quote. */
function signsOf(pieces: readonly (string | Buffer)[], limits: Partial<CursorLimits> = {}): string {
  const cursor = new JsonCursor({ ...everything, ...limits });
  let found = '';
  for (const piece of pieces) {
    cursor.feed(Buffer.from(piece));
    for (let sign = cursor.next(); sign !== 0; sign = cursor.next()) {
      if (sign === excess) return `${found}!`;
      found += String.fromCharCode(sign);
    }
  }
  return found;
}

/** The text at any offset in memory: four bytes are read at a time. */
function stringsOf(text: string): {
  readonly found: string[];
  readonly isBroken: boolean;
  readonly isInString: boolean;
} {
  const results = [0, 1, 2, 3].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]).subarray(offset);
    const cursor = new JsonCursor(everything);
    cursor.feed(bytes);
    const found: string[] = [];
    for (let sign = cursor.next(); sign !== 0; sign = cursor.next()) {
      if (sign === 0x22) found.push(bytes.toString('utf8', cursor.at, cursor.end));
    }
    return { found, isBroken: cursor.isBroken, isInString: cursor.isInString };
  });
  const [first] = results;
  if (first === undefined) throw new Error('four offsets');
  for (const result of results) expect(result).toEqual(first);
  return first;
}

const sample = String.raw`{"a": [1, -2.5e3, "x\"y\\", {"b":null}], "\u00e9": "ü{}[],:", "c":{}}`;

describe('the cursor over a JSON text', () => {
  test('finds brackets, commas, colons and whole strings', () => {
    expect(signsOf([sample])).toBe('{":[,,",{":}],":",":{}}');
    expect(stringsOf(sample).found).toEqual([
      '"a"',
      String.raw`"x\"y\\"`,
      '"b"',
      String.raw`"\u00e9"`,
      '"ü{}[],:"',
      '"c"',
    ]);
  });

  test('finds the same however the text is cut into pieces', () => {
    const bytes = Buffer.from(sample);
    const whole = signsOf([bytes]);
    for (let first = 0; first <= bytes.length; first++) {
      for (let second = first; second <= Math.min(bytes.length, first + 9); second++) {
        const pieces = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
        expect(signsOf(pieces)).toBe(whole);
      }
    }
    expect(signsOf(Array.from(bytes, (byte) => Buffer.of(byte)))).toBe(whole);
  });

  test('finds signs down to a level, with the brackets of that level', () => {
    expect(signsOf([sample], { levels: 1 })).toBe('{":,":",":}');
    expect(signsOf([sample], { levels: 2 })).toBe('{":[,,",],":",":{}}');
    expect(signsOf([sample], { levels: 0 })).toBe('');
  });

  test('finds long strings on every level', () => {
    expect(signsOf(['[[["12345678"]],[["123456789"]]]'], { levels: 0, longStrings: 10 })).toBe('"');
  });

  test('stops at more levels than allowed', () => {
    expect(signsOf(['[[]],[[[]]]'], { levels: 1, maxDepth: 2 })).toBe('[],[!');
  });

  test('stops at more objects, arrays and commas than allowed', () => {
    expect(signsOf(['[1,2,3]'], { maxParts: 3 })).toBe('[,,]');
    expect(signsOf(['[1,2,', '3,4]'], { maxParts: 3 })).toBe('[,,!');
    expect(signsOf(['[[[]]]'], { levels: 0, maxParts: 2 })).toBe('!');
  });

  test('goes on whatever is wrong with the text', () => {
    expect(signsOf(['}}]],,::{"'])).toBe('}}]],,::{"');
    expect(signsOf([''])).toBe('');
    expect(signsOf(['\u0000\u00ff nothing'])).toBe('');
  });
});

describe('a string', () => {
  test.each(['', 'a', 'ab', 'abc', 'abcd', 'abcdefghijk', 'ü🎉 ', String.raw`\n\t\b\f\r\/\\\"`, String.raw`\u12aF`])(
    'with %j in it is well-formed',
    (content) => {
      const { found, isBroken, isInString } = stringsOf(`["${content}","next"]`);
      expect(found).toEqual([`"${content}"`, '"next"']);
      expect([isBroken, isInString]).toEqual([false, false]);
    },
  );

  test.each(['\n', 'abcd\u0000', '\u001f', String.raw`\x`, String.raw`\u12`, String.raw`\u12g4`, '\\\n'])(
    'with %j in it is not, but has an end',
    (content) => {
      const { found, isBroken, isInString } = stringsOf(`["${content}","next"]`);
      expect(found).toEqual([`"${content}"`, '"next"']);
      expect([isBroken, isInString]).toEqual([true, false]);
    },
  );

  test.each(['"', '"abc', '"abcdefgh', String.raw`"a\"`, '["a","b', '"\\'])('without an end is known: %j', (text) => {
    expect(stringsOf(text).isInString).toBe(true);
  });
});
