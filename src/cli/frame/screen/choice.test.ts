import { expect, test } from 'vitest';
import { type Choice, type Key, numbersIn, pressed, type Selection } from './choice.js';

const one: Choice = {
  question: 'Write?',
  options: ['Yes', 'Yes, but', 'Show', 'No'],
  chosen: new Set([0]),
  isMany: false,
};
const many: Choice = { ...one, options: ['A', 'B', 'C'], chosen: new Set([0, 2]), isMany: true };

function after(keys: readonly Key[], choice: Choice): [number, number[]] {
  let now: Selection = { at: 0, chosen: choice.chosen };
  for (const key of keys) now = pressed(key, choice, now) ?? now;
  return [now.at, [...now.chosen].toSorted((a, b) => a - b)];
}

test('arrows, numbers and first letters move the answer, round and round', () => {
  expect(after([{ name: 'down' }, { name: 'down' }], one)).toEqual([2, [2]]);
  expect(after([{ name: 'up' }], one)).toEqual([3, [3]]);
  expect(after([{ name: 'n', sequence: 'n' }], one)).toEqual([3, [3]]);
  expect(after([{ name: '2', sequence: '2' }], one)).toEqual([1, [1]]);
  expect(after([{ name: '9', sequence: '9' }, { name: 'q', sequence: 'q' }, { name: 'f1' }], one)).toEqual([0, [0]]);
});

test('space switches one of many, a all of them', () => {
  expect(after([{ name: 'space', sequence: ' ' }, { name: 'down' }, { name: 'space', sequence: ' ' }], many)).toEqual([
    1,
    [1, 2],
  ]);
  expect(after([{ name: 'a', sequence: 'a' }], many)).toEqual([0, [0, 1, 2]]);
  expect(
    after(
      [
        { name: 'a', sequence: 'a' },
        { name: 'a', sequence: 'a' },
      ],
      many,
    ),
  ).toEqual([0, []]);
});

test('a line with numbers is an answer, anything else is not', () => {
  expect(numbersIn('2', one)).toEqual(new Set([1]));
  for (const line of ['0', '5', '1 2', 'yes', '']) expect(numbersIn(line, one)).toBeUndefined();
  expect(numbersIn('1, 3', many)).toEqual(new Set([0, 2]));
  expect(numbersIn('all', many)).toEqual(new Set([0, 1, 2]));
  expect(numbersIn('None', many)).toEqual(new Set());
});
