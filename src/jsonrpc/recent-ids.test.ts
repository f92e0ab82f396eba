import { expect, test } from 'vitest';
import { RecentIds } from './recent-ids.js';

test('the number of a recent request is found by its id, that of the last one if the id was used again', () => {
  const recent = new RecentIds();
  expect(recent.numberOf(1)).toBeUndefined();
  recent.add(1, 10);
  recent.add('1', 11);
  recent.add(1, 12);
  expect([recent.numberOf(1), recent.numberOf('1'), recent.numberOf(2)]).toEqual([12, 11, undefined]);
});

test('the last 256 requests are known, however many there were', () => {
  const recent = new RecentIds();
  for (let id = 0; id < 1_000; id++) recent.add(id, id + 5_000);
  expect([743, 744, 999].map((id) => recent.numberOf(id))).toEqual([undefined, 5_744, 5_999]);
});
