import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { beginningOf, type Page, pageOfText, pageOfValue } from './page.js';

/** All pages from the first on. */
function pagesOf(page: (from: number) => Page): Page[] {
  const pages: Page[] = [];
  for (let from: number | undefined = 0; from !== undefined; ) {
    const one: Page = page(from);
    pages.push(one);
    from = one.next;
  }
  return pages;
}

describe('pages of a text', () => {
  test('joined are the text, none is too long, and no character is cut in halves', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 2, max: 60 }), (text, max) => {
        const pages = pagesOf((from) => pageOfText(text, from, max));
        expect(pages.map((page) => page.text).join('')).toBe(text);
        const isRight = ({ text: one, count, total }: Page) =>
          one.length <= max && one.isWellFormed() && count === one.length && total === text.length;
        expect(pages.filter((page) => !isRight(page))).toEqual([]);
      }),
    );
  });

  test('begin before a character whose second half was asked for', () => {
    expect(pageOfText('a😀b', 2, 100).text).toBe('😀b');
    expect(pageOfText('a😀b', 1, 1)).toMatchObject({ text: '😀', next: 3 });
  });

  test('past the end are empty', () => {
    expect(pageOfText('abc', 3, 100)).toMatchObject({ text: '', count: 0, total: 3, next: undefined });
    expect(pageOfText('abc', 999, 100)).toMatchObject({ text: '', count: 0, total: 3, next: undefined });
  });
});

describe('the beginning of a text', () => {
  test.each([
    ['one\ntwo\nthree\nfour', 12, 'one\ntwo\n', 8],
    ['one\ntwo\n', 8, 'one\ntwo\n', undefined],
    ['short', 100, 'short', undefined],
    ['a\n0123456789', 10, 'a\n01234567', 10],
    ['0123456789', 4, '0123', 4],
  ])('%j within %i characters is %j', (text, max, beginning, next) => {
    expect(beginningOf(text, max)).toMatchObject({ text: beginning, next, total: text.length });
  });

  test('and the pages after it are the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\n', '😀'), maxLength: 80 }), (text) => {
        const first = beginningOf(text, 20);
        const rest = first.next === undefined ? '' : text.slice(first.next);
        expect(first.text + rest).toBe(text);
        expect(first.text.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('pages of a list', () => {
  test('have every item once and in order, and the outline of an item that is too large', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 3 })), fc.integer({ min: 100, max: 400 }), (list, max) => {
        const items: unknown[] = JSON.parse(JSON.stringify(list));
        const pages = pagesOf((from) => pageOfValue(items, from, max));
        expect(pages.filter(({ text }) => text.length > max)).toEqual([]);
        const seen: unknown[] = pages.flatMap(({ text, largeItem }) => {
          if (largeItem === undefined) return JSON.parse(text);
          expect(JSON.stringify(items[largeItem]).length).toBeGreaterThan(max - 2);
          return [items[largeItem]];
        });
        expect(JSON.stringify(seen)).toBe(JSON.stringify(items));
      }),
    );
  });

  test('hold as many whole items as fit', () => {
    const items = Array.from({ length: 100 }, (_, n) => ({ n }));
    expect(pageOfValue(items, 10, 99)).toEqual({
      text: '[{"n":10},{"n":11},{"n":12},{"n":13},{"n":14},{"n":15},{"n":16},{"n":17},{"n":18},{"n":19}]',
      unit: 'items',
      total: 100,
      count: 10,
      next: 20,
      largeItem: undefined,
    });
    expect(pageOfValue([1, 2, 3], 0, 7)).toMatchObject({ text: '[1,2,3]', next: undefined });
    expect(pageOfValue([1, 2, 3], 0, 6)).toMatchObject({ text: '[1,2]', next: 2 });
  });

  test('past the end are an empty list', () => {
    expect(pageOfValue([1, 2], 2, 100)).toMatchObject({ text: '[]', count: 0, total: 2, next: undefined });
    expect(pageOfValue([], 0, 100)).toMatchObject({ text: '[]', count: 0, total: 0, next: undefined });
  });

  test('give an item that is larger than a page by its outline and its index', () => {
    const items = [1, { name: 'x'.repeat(500) }, 3];
    expect(pageOfValue(items, 0, 100)).toMatchObject({ text: '[1]', next: 1 });
    expect(pageOfValue(items, 1, 100)).toMatchObject({ text: '{name: string≤500}', count: 0, largeItem: 1, next: 2 });
    expect(pageOfValue(items.slice(0, 2), 1, 100)).toMatchObject({ largeItem: 1, next: undefined });
  });
});

test('pages of a JSON object joined are its compact JSON', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
      fc.integer({ min: 20, max: 60 }),
      (held, max) => {
        const value: unknown = JSON.parse(JSON.stringify(held));
        const pages = pagesOf((from) => pageOfValue(value, from, max));
        expect(pages.map(({ text }) => text).join('')).toBe(JSON.stringify(value));
        expect(pages.at(-1)?.total).toBe(JSON.stringify(value).length);
      },
    ),
  );
});
