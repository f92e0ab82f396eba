import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { until } from '../../../test/support/until.js';
import { readInSlices } from './read-in-slices.js';

/** Reads one byte at a time, each of which takes a while. */
function slowReader(read: number[], ms: number) {
  return (chunk: Buffer, isOver: () => boolean) => {
    for (let at = 0; at < chunk.length; at++) {
      const begun = performance.now();
      while (performance.now() - begun < ms);
      read.push(chunk[at] ?? 0);
      if (isOver()) return at + 1;
    }
    return chunk.length;
  };
}

test('reads everything in order, over several turns of the event loop, before it has ended', async () => {
  const stream = new PassThrough();
  const read: number[] = [];
  let turns = 0;
  const count = () => {
    turns++;
    if (read.length < 100) setImmediate(count);
  };
  const { ended } = readInSlices(stream, slowReader(read, 1));
  count();
  const bytes = Buffer.from(Array.from({ length: 100 }, (_, index) => index));
  stream.write(bytes.subarray(0, 30));
  stream.end(bytes.subarray(30));
  await ended;
  expect(read).toEqual([...bytes]);
  // At most five fit into a slice.
  expect(turns).toBeGreaterThanOrEqual(15);
});

test('reads nothing while it is paused, and the rest when it is resumed', async () => {
  const stream = new PassThrough();
  const read: number[] = [];
  const reading = readInSlices(stream, slowReader(read, 0));
  reading.pause();
  stream.end(Buffer.from([1, 2, 3]));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(read).toEqual([]);
  reading.resume();
  await reading.ended;
  expect(read).toEqual([1, 2, 3]);
});

test('is over with a stream that is destroyed while it is paused: no turn of the event loop is taken any more', async () => {
  const stream = new PassThrough();
  const { ended } = readInSlices(stream, slowReader([], 2));
  stream.write(Buffer.from([1, 2, 3, 4, 5, 6]));
  await until(() => stream.isPaused());
  stream.destroy();
  await ended;
  let looks = 0;
  stream.isPaused = () => {
    looks++;
    return true;
  };
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(looks).toBeLessThanOrEqual(1);
});
