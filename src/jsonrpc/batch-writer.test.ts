import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBatchWriter } from './batch-writer.js';

function collecting() {
  const writes: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      writes.push(chunk.toString());
      done();
    },
    writev(chunks, done) {
      writes.push(chunks.map(({ chunk }) => String(chunk)).join(''));
      done();
    },
  });
  return { stream, writes };
}

test('lines written in one tick are sent in order and at once', async () => {
  const { stream, writes } = collecting();
  const writer = createBatchWriter(stream);
  writer.write(['a\n']);
  writer.write(['b', Buffer.from('é'), 'c\n']);
  writer.write(['d\n']);
  expect(writer.backlog).toBeGreaterThan(0);
  expect(writes).toEqual([]);
  await turn();
  expect(writes.join('')).toBe('a\nbéc\nd\n');
  expect(writes).toHaveLength(1);
  expect(writer.backlog).toBe(0);
  writer.write(['e\n']);
  await turn();
  expect(writes).toHaveLength(2);
});

test('what is flushed is written at once and not again', async () => {
  const { stream, writes } = collecting();
  const writer = createBatchWriter(stream);
  writer.write(['a\n', Buffer.from('b\n')]);
  writer.flush();
  stream.end();
  await turn();
  expect(writes.join('')).toBe('a\nb\n');
});
