import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFrameReader, createFrameWriter, type Frame, type FrameKind, textOf } from './frames.js';

const contents = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.integer({ min: 0, max: 40_000 }).map((length) => 'x'.repeat(length)),
  ),
);
const frames = fc.array(fc.record({ kind: fc.integer({ min: 1, max: 7 }), number: fc.nat(2 ** 32 - 1), contents }));

/** What arrives of these frames if the stream is cut into chunks of this size. */
async function sent(written: { kind: number; number: number; contents: string[] }[], chunkSize: number) {
  const stream = new PassThrough({ highWaterMark: 2 ** 26 });
  const writer = createFrameWriter(stream);
  for (const { kind, number, contents: pieces } of written) {
    writer.write(
      kind as FrameKind,
      number,
      pieces.map((text, index) => (index % 2 === 0 ? text : Buffer.from(text))),
    );
  }
  writer.flush();
  stream.end();
  const bytes = Buffer.concat(await stream.toArray());
  const read: Frame[] = [];
  const reader = createFrameReader(2 ** 26, (frame) => read.push(frame));
  for (let at = 0; at < bytes.length; at += chunkSize) reader(bytes.subarray(at, at + chunkSize));
  return read.map((frame) => ({ kind: frame.kind, number: frame.number, text: textOf(frame) }));
}

test('frames arrive as they were written, however the stream is cut', async () => {
  await fc.assert(
    fc.asyncProperty(frames, fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constant(65_536)), async (written, size) => {
      const total = written.flatMap((frame) => frame.contents).join('').length;
      expect(await sent(written, total > 2_000 ? 65_536 : size)).toEqual(
        written.map(({ kind, number, contents: pieces }) => ({ kind, number, text: pieces.join('') })),
      );
    }),
  );
});

test('a frame over the limit is not read', () => {
  const reader = createFrameReader(100, () => {});
  const head = Buffer.alloc(9);
  head.writeUInt32LE(101, 0);
  expect(() => reader(head)).toThrow('a frame of 101 bytes');
});
