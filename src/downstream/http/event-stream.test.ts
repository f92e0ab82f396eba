import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEventReader } from './event-stream.js';

interface Read {
  readonly events: (readonly [name: string, data: string])[];
  readonly ids: string[];
  readonly retries: number[];
  readonly dropped: { readonly bytes: number; readonly id: unknown }[];
}

/** Reads a stream in pieces of the given length. */
function read(text: string | Buffer, length = Number.POSITIVE_INFINITY, maxBytes = 1_000_000): Read {
  const found: Read = { events: [], ids: [], retries: [], dropped: [] };
  const reader = createEventReader(
    { maxBytes: () => maxBytes, keepsStart: () => false },
    {
      event(name, data) {
        if ('tooLong' in data) found.dropped.push({ bytes: data.tooLong, id: data.id });
        else found.events.push([name, data.bytes.toString('utf8')]);
      },
      id: (id) => found.ids.push(id),
      retry: (ms) => found.retries.push(ms),
    },
  );
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += length) reader(bytes.subarray(at, at + length));
  return found;
}

const stream = [
  ': a comment',
  'retry: 250',
  'id: 1',
  'data:',
  '',
  'event: endpoint',
  'data: /messages?id=1',
  '',
  'id: 2',
  'event: message',
  'data: {"a":',
  'data:  "b: c"}',
  'unknown: field',
  '',
  'data:{"ü":1}',
  '',
  'data: without an end',
].join('\n');

const expected = {
  events: [
    ['endpoint', '/messages?id=1'],
    ['message', '{"a":\n "b: c"}'],
    ['message', '{"ü":1}'],
  ],
  ids: ['1', '2'],
  retries: [250],
  dropped: [],
};

describe('a stream of events', () => {
  test.each([
    ['line feeds', '\n'],
    ['carriage returns and line feeds', '\r\n'],
    ['carriage returns', '\r'],
  ])('is read with %s as the ends of lines, in pieces of any length', (_, end) => {
    const text = stream.replaceAll('\n', end);
    for (const length of [1, 2, 3, 7, 64, 1000]) expect(read(text, length)).toEqual(expected);
  });

  test('may begin with a byte order mark', () => {
    expect(read(`\u{FEFF}data: 1\n\n`, 1).events).toEqual([['message', '1']]);
  });

  test('gives the data as the bytes that were sent, also if they are not UTF-8', () => {
    const found: Buffer[] = [];
    const reader = createEventReader(
      { maxBytes: () => 100, keepsStart: () => false },
      {
        event: (_, data) => 'bytes' in data && found.push(data.bytes),
        id: () => {},
        retry: () => {},
      },
    );
    reader(Buffer.concat([Buffer.from('data: '), Buffer.of(0xff, 0xfe, 0x00), Buffer.from('\n\n')]));
    expect(found).toEqual([Buffer.of(0xff, 0xfe, 0x00)]);
  });

  test('is read in the same way however it is cut into pieces', () => {
    const line = fc.oneof(
      fc.constantFrom('', '', 'data: {"id":1}', 'data', 'data:x', 'id: 7', 'event: e', ':c', 'retry: 5', 'retry: x'),
      fc.string({ maxLength: 12 }),
    );
    const anyStream = fc
      .array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')))
      .map((lines) => lines.flat().join(''));
    fc.assert(
      fc.property(anyStream, fc.integer({ min: 1, max: 9 }), (text, length) => {
        expect(read(text, length)).toEqual(read(text));
      }),
    );
  });

  test('drops an event over the limit, says which message it was, and goes on', () => {
    const large = `{"jsonrpc":"2.0","id":7,"result":"${'x'.repeat(500)}"}`;
    for (const length of [1, 50, 5000]) {
      const found = read(`data: ${large}\n\ndata: {}\n\n`, length, 100);
      expect(found.dropped).toEqual([{ bytes: large.length, id: 7 }]);
      expect(found.events).toEqual([['message', '{}']]);
    }
  });

  test('keeps nothing of lines that are no data, however long they are', () => {
    expect(read(`${'x'.repeat(100_000)}\nid: ${'y'.repeat(100_000)}\ndata: 1\n\n`, 999, 10).events).toEqual([
      ['message', '1'],
    ]);
  });

  test('reads the bytes of an id, which go into a header, in any pieces', () => {
    const bytes = (text: string) => Buffer.from(text).toString('latin1');
    for (const size of [1, 2, 3, 100]) expect(read('id: ✓é\ndata: 1\n\n', size).ids).toEqual([bytes('✓é')]);
  });
});
