import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstItem, outlineValue } from './outline.js';

const issues = Array.from({ length: 212 }, (_, n) => ({
  number: n + 1,
  title: `Question about module ${n}`,
  state: n % 3 === 0 ? 'open' : 'closed',
  labels: n % 2 === 0 ? [] : [{ name: n % 4 === 1 ? 'bug' : 'timeout', 'is-new': true }],
  body: 'x'.repeat(616 + n),
  assignee: n % 2 === 0 ? null : { login: `user${n}` },
  ...(n % 5 === 0 && { draft: true }),
  url: `https://example.org/${n}`,
  html_url: `https://example.org/${n}`,
  events_url: `https://example.org/${n}`,
}));

const shapeOfIssues =
  '{number: number, title: string, state: "closed"|"open", labels: [≤1 × {name: "bug"|"timeout", "is-new": boolean}], ' +
  'body: string≤655, assignee: {login: string}|null, draft?: boolean, and 3 links: url, html_url, …}';

describe('the outline of a value', () => {
  test('has the types of the first 40 items of a list, merged', () => {
    expect(outlineValue(issues)).toBe(`[212 × ${shapeOfIssues}]`);
    expect(outlineValue({ total: 3, items: issues })).toBe(`{total: number, items: [212 × ${shapeOfIssues}]}`);
  });

  test('has an object of more than 30 like values as a table', () => {
    const of = (value: (n: number) => unknown) =>
      Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`user ${n}`, value(n)]));
    expect(outlineValue(of((n) => ({ age: n, ...(n % 2 === 0 && { vip: true }) })))).toBe(
      '{100 keys, such as "user 0", "user 1": {age: number, vip?: boolean}}',
    );
    expect(outlineValue(of((n) => (n % 2 === 0 ? n : 'text')))).toMatch(
      /^\{"user 0": number, "user 1": string, .*, …\}$/,
    );
  });

  test.each([
    [5, 'number'],
    ['text', 'string'],
    ['x'.repeat(100), 'string≤100'],
    [[], '[]'],
    [{}, '{}'],
    [null, 'null'],
    [[1, 'a', null, [[]], {}], '[5 × string|number|[1 × []]|{}|null]'],
    [[[1, 2], [3]], '[2 × [≤2 × number]]'],
    [{ '': 1, 'a b': { c: [true] } }, '{"": number, "a b": {c: [1 × boolean]}}'],
  ])('of %j is %s', (value, outline) => {
    expect(outlineValue(value)).toBe(outline);
  });

  test('shows less depth until it fits', () => {
    const inner = Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`field_${n}`, { aaa: { bbb: n } }]));
    const outline = outlineValue({ one: inner, two: inner, three: inner });
    expect(outline.length).toBeLessThanOrEqual(1_400);
    expect(outline).toContain('one: {field_0: {…}, ');
  });

  test('is never longer than wanted', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 20, max: 200 }), (value, max) => {
        expect(outlineValue(value, max).length).toBeLessThanOrEqual(max);
      }),
    );
    const wide = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, n) => [`${n} ${'k'.repeat(5_000)}`, n % 2 === 0 ? n : '']),
    );
    expect(outlineValue(wide, 99_999).length).toBeLessThanOrEqual(1_400);
  });
});

describe('the first item', () => {
  test('is that of the list, or of the longest list in an object', () => {
    expect(firstItem([{ a: 1, b: [] }, 2])).toEqual({ path: '[0]', text: '{"a":1,"b":[]}' });
    expect(firstItem({ a: [1], 'b c': [[2], 3] })).toEqual({ path: '"b c"[0]', text: '[2]' });
    expect([firstItem([]), firstItem({ a: 1 }), firstItem('text')]).toEqual([undefined, undefined, undefined]);
  });

  test('has its long strings, lists and objects shortened', () => {
    const item = { text: 'x'.repeat(500), list: [1, 2, 3], deep: { a: { b: { c: { d: 1 } } } } };
    expect(firstItem([item])?.text).toBe(`{"text":"${'x'.repeat(59)}…","list":[1, …],"deep":{"a":{"b":{…}}}}`);
    const wide = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`key${n}`, n]));
    expect(firstItem([wide])?.text).toMatch(/^\{"key0":0,"key1":1,.*, …\}$/);
  });

  test('is never longer than wanted', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 100, max: 400 }), (value, max) => {
        expect(firstItem([value], max)?.text.length).toBeLessThanOrEqual(max);
      }),
    );
  });
});
