import { expect, test } from 'vitest';
import { begin, Reply, rejected } from './reply.js';

test('the listener of a reply is called as soon as there is a result, also if that was before', () => {
  const seen: number[] = [];
  const reply = new Reply<number>();
  reply.then((result) => seen.push(result));
  reply.resolve(1);
  expect(seen).toEqual([1]);
  const early = new Reply<number>();
  early.resolve(2);
  early.then((result) => seen.push(result));
  expect(seen).toEqual([1, 2]);
});

test('a reply can be awaited, and chained like a promise', async () => {
  const reply = new Reply<number>();
  const chained = reply.then((result) => result + 1).then(async (result) => result * 10);
  reply.resolve(1);
  expect(await chained).toBe(20);
});

test('a failure passes by listeners for results, and a listener can replace it', async () => {
  const failure = new Error('no');
  const passed = rejected(failure).then(() => 'never');
  await expect(Promise.resolve(passed)).rejects.toBe(failure);
  expect(await rejected(failure).then(undefined, () => 'handled')).toBe('handled');
});

test('what a listener throws is the outcome of the reply that its `then` returned', async () => {
  const reply = new Reply<number>();
  const next = reply.then(() => {
    throw new Error('thrown');
  });
  expect(() => reply.resolve(1)).not.toThrow();
  await expect(Promise.resolve(next)).rejects.toThrow('thrown');
});

test('only the first outcome counts', async () => {
  const reply = new Reply<number>();
  reply.resolve(1);
  reply.reject(new Error('late'));
  reply.resolve(2);
  expect(await reply).toBe(1);
});

test('a value that looks like a promise in JSON is a result', async () => {
  const reply = new Reply<unknown>();
  reply.resolve(JSON.parse('{"then":"x"}'));
  expect(await reply.then((result) => JSON.stringify(result))).toBe('{"then":"x"}');
});

test('a second listener is refused: it would never be called', () => {
  const reply = new Reply<number>();
  reply.then();
  expect(() => reply.then()).toThrow('one listener');
});

test('what a call throws at its beginning is its outcome', async () => {
  const begun = begin(() => {
    throw new Error('at once');
  });
  await expect(Promise.resolve(begun)).rejects.toThrow('at once');
});
