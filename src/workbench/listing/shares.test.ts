import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shareOut } from './shares.js';

test.each([
  [[10, 10, 10], 30, [0, 1, 2]],
  [[10, 11, 10], 30, [0, 2]],
  [[5, 12, 13], 30, [0, 1, 2]],
  [[1, 1, 100], 30, [0, 1]],
  [[20, 20], 30, []],
  [[Number.POSITIVE_INFINITY, 3], 30, [1]],
])('of %j in %i, %j are within their share', (sizes, room, expected) => {
  const all = sizes.map((_, index) => index);
  const { within, over } = shareOut(all, sizes, room);
  expect(within).toEqual(expected);
  expect([...within, ...over].sort((a, b) => a - b)).toEqual(all);
});

test('those within their share fit together, and whoever needs no more than an equal part is among them', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 100 }), { minLength: 1, maxLength: 8 }), fc.nat({ max: 300 }), (sizes, room) => {
      const all = sizes.map((_, index) => index);
      const { within } = shareOut(all, sizes, room);
      expect(within.reduce((sum, index) => sum + (sizes[index] ?? 0), 0)).toBeLessThanOrEqual(room);
      for (const index of all) if ((sizes[index] ?? 0) <= room / all.length) expect(within).toContain(index);
    }),
  );
});
