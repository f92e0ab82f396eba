import { expect, test } from 'vitest';
import { nextTurn } from './slices.js';
import { createTurns } from './turns.js';

test('the first has its turn at once, the others one after the other, in their order', async () => {
  const turns = createTurns();
  const order: string[] = [];
  const take = async (name: string) => {
    await turns.next();
    order.push(name);
  };
  const all = Promise.all(['a', 'b', 'c'].map(take));
  await Promise.resolve();
  await Promise.resolve();
  expect(order).toEqual(['a']);
  for (const expected of [
    ['a', 'b'],
    ['a', 'b', 'c'],
  ]) {
    await nextTurn();
    expect(order).toEqual(expected);
  }
  await all;
  await nextTurn();
  await nextTurn();
  const late = take('d');
  await Promise.resolve();
  await Promise.resolve();
  expect(order.at(-1)).toBe('d');
  await late;
});

test('timers fire between two turns, however much each takes', async () => {
  const turns = createTurns();
  let done = 0;
  const work = async () => {
    await turns.next();
    const ends = performance.now() + 20;
    while (performance.now() < ends);
    done++;
  };
  const all = Promise.all(Array.from({ length: 20 }, work));
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(done).toBeLessThan(20);
  await all;
});
