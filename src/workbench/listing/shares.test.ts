import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byServer, divide, fairShares } from './shares.js';

const infinite = Number.POSITIVE_INFINITY;
const rounded = (sizes: readonly number[]) => sizes.map((size) => Math.round(size * 1_000) / 1_000);

describe('the room', () => {
  test.each([
    [[10, 10, 10], 30, [], [10, 10, 10]],
    [[10, 12, 10], 30, [], [10, 10, 10]],
    [[5, 12, 13], 30, [], [5, 12, 13]],
    [[1, 1, 100], 30, [], [1, 1, 28]],
    [[100, 1, 100], 31, [], [15, 1, 15]],
    [[infinite, 3, infinite], 30, [], [13.5, 3, 13.5]],
    [[2, 3], 30, [], [2, 3]],
    [[], 30, [], []],
    [[100, 8, 8], 30, [20, 1, 1], [20, 5, 5]],
    [[100, 3, 3], 30, [20, 1, 1], [24, 3, 3]],
  ])('for needs of %j: %i, of which each has at least %j, is shared as %j', (needs, room, least, expected) => {
    expect(rounded(fairShares(needs, room, least))).toEqual(expected);
  });

  test('is never exceeded, and whoever needs no more than an equal part gets all of it', () => {
    const needs = fc.array(fc.nat({ max: 100 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(needs, fc.nat({ max: 300 }), (sizes, room) => {
        const shares = fairShares(sizes, room);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(room);
        for (const [index, size] of sizes.entries())
          if (size <= room / sizes.length) expect(shares[index]).toBeCloseTo(size);
      }),
    );
  });

  test('that is left over, or not used, is divided among the others, the smallest first', async () => {
    const given: [string, number][] = [];
    const claim = (name: string, need: number, share: number, used = 1) => ({
      need,
      share,
      use(room: number) {
        given.push([name, room]);
        return room * used;
      },
    });
    await divide([claim('large', infinite, 10), claim('middle', 30, 10, 0), claim('small', 11, 10)], 36);
    expect(given).toEqual([
      ['small', 11],
      ['middle', 12.5],
      ['large', 25],
    ]);
  });
});

test('tools are grouped by toolbox and server, in order', () => {
  const tool = { name: 't', inputSchema: { type: 'object' as const } };
  const entries = [
    { toolbox: 'a', server: 'b', tool },
    { toolbox: '__proto__', server: 'b', tool },
    { toolbox: 'a', server: 'c', tool },
    { toolbox: 'a', server: 'b', tool },
  ];
  const [first, second, third, fourth] = entries;
  expect(byServer(entries)).toEqual([[first, fourth], [third], [second]]);
});
