import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCollector } from './collector.js';

const limitedTo = (bytes: number, keeps = false) => ({ maxBytes: () => bytes, keepsStart: () => keeps });
const unlimited = limitedTo(Number.POSITIVE_INFINITY);

describe('a message', () => {
  test('is the bytes of its parts, whatever their sizes', () => {
    const sizes = fc.array(fc.oneof(fc.nat(100), fc.nat(40_000), fc.constant(16_384), fc.constant(65_536)), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(fc.array(sizes, { maxLength: 3 }), (messages) => {
        const collector = createCollector(unlimited);
        for (const message of messages) {
          const parts = message.map((size, index) => Buffer.alloc(size, index + 1));
          for (const part of parts) collector.add(part);
          const taken = collector.take();
          expect('bytes' in taken && taken.bytes.equals(Buffer.concat(parts))).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('in one part is not copied', () => {
    const collector = createCollector(unlimited);
    const part = Buffer.from('{}');
    collector.add(part);
    expect(collector.take()).toEqual({ bytes: part });
    collector.add(part);
    const taken = collector.take();
    expect('bytes' in taken && taken.bytes).toBe(part);
  });

  test('in a million parts does not take much more memory than its bytes', () => {
    const collector = createCollector(unlimited);
    const memory = () => process.memoryUsage().heapUsed + process.memoryUsage().external;
    const before = memory();
    for (let index = 0; index < 1_000_000; index++) collector.add(Buffer.alloc(1, index));
    expect(memory() - before).toBeLessThan(100_000_000);
    expect(collector.take()).toMatchObject({ bytes: { length: 1_000_000 } });
  });

  test('over the limit is not kept, and its id is found across parts', () => {
    const collector = createCollector(limitedTo(40));
    const text = `{"jsonrpc":"2.0","id":12,"result":{"x":"${'y'.repeat(100)}"}}`;
    for (const character of text) collector.add(Buffer.from(character));
    expect(collector.take()).toEqual({ tooLong: text.length, id: 12, isRequest: false });
    collector.add(Buffer.from('{}'));
    expect(collector.take()).toEqual({ bytes: Buffer.from('{}') });
  });

  test('over the limit has its first bytes, where they are of use', () => {
    const collector = createCollector(limitedTo(4, true));
    for (const part of ['ab', 'cd', 'ef', 'gh']) collector.add(Buffer.from(part));
    expect(collector.take()).toMatchObject({ tooLong: 8, start: Buffer.from('abcd') });
    collector.add(Buffer.from('{}'));
    expect(collector.take()).toEqual({ bytes: Buffer.from('{}') });
  });
});
