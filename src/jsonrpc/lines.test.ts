import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { createLineReader } from './lines.js';
import type { RequestId } from './messages.js';

function read(bytes: Buffer, maxBytes: number, cuts: readonly number[] = []) {
  const lines: string[] = [];
  const tooLong: { bytes: number; id: RequestId | undefined }[] = [];
  const feed = createLineReader(maxBytes, {
    line: (line) => lines.push(line.toString('utf8')),
    tooLong: (size, id) => tooLong.push({ bytes: size, id }),
  });
  let start = 0;
  for (const cut of [...cuts.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    feed(bytes.subarray(start, cut));
    start = cut;
  }
  return { lines, tooLong };
}

describe('the line reader', () => {
  test('returns the same lines however the bytes are split', () => {
    const text = fc.array(fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', '')));
    fc.assert(
      fc.property(text, fc.array(fc.nat()), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        expect(read(bytes, 1e6, cuts).lines).toEqual(lines.filter((line) => line !== '' && line !== '\r'));
      }),
    );
  });

  test('holds back a line that has not ended', () => {
    expect(read(Buffer.from('{"a":1}\n{"b"'), 100).lines).toEqual(['{"a":1}']);
  });

  test('skips a line over the limit, reports its size and id, and continues with the next', () => {
    const big = JSON.stringify({ result: { id: 3, text: 'x'.repeat(500) }, jsonrpc: '2.0', id: 7 });
    const { lines, tooLong } = read(Buffer.from(`${big}\n{"ok":1}\n`), 100, [3, 50, 120, 400]);
    expect(lines).toEqual(['{"ok":1}']);
    expect(tooLong).toEqual([{ bytes: Buffer.byteLength(big), id: 7 }]);
  });

  test('finds the id of any skipped message, at any position, and no nested id', () => {
    const json = fc.dictionary(
      fc.string().filter((key) => key !== 'id' && key !== '__proto__'),
      fc.jsonValue(),
    );
    const id = fc.oneof(fc.integer(), fc.string({ maxLength: 50 }));
    fc.assert(
      fc.property(json, json, id, fc.array(fc.nat()), (before, after, value, cuts) => {
        const message = `{"p":${JSON.stringify({ id: 'deeper', ...before })},"id":${JSON.stringify(value)},"q":${JSON.stringify(after)}}`;
        expect(read(Buffer.from(`${message}\n`), 1, cuts).tooLong).toEqual([
          { bytes: Buffer.byteLength(message), id: value },
        ]);
      }),
    );
    expect(read(Buffer.from('{"params":{"id":1}}\n'), 1).tooLong[0]?.id).toBeUndefined();
  });

  test('copies each byte of a line that comes in many chunks only once', () => {
    const concat = vi.spyOn(Buffer, 'concat');
    const chunk = Buffer.alloc(65_536, 0x61);
    const feed = createLineReader(1e9, { line: () => {}, tooLong: () => {} });
    for (let i = 0; i < 100; i++) feed(chunk);
    feed(Buffer.from('\n'));
    const copied = concat.mock.results.map(({ value }) => (Buffer.isBuffer(value) ? value.length : 0));
    concat.mockRestore();
    // Joining with every chunk would copy 50 times as many.
    expect(copied.reduce((sum, bytes) => sum + bytes, 0)).toBe(100 * chunk.length);
  });
});
