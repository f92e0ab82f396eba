import { expect, test } from 'vitest';
import { createPieceReader } from './piece-reader.js';
import { readResultLine } from './result-line.js';

const text = (pieces: readonly (Buffer | string)[] = []) =>
  Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString('utf8');

test.each([
  ['{"jsonrpc":"2.0","id":7,"result":{"content":[]}}', 7, '{"content":[]}'],
  ['{"result":{"a":"x"},"jsonrpc":"2.0","id":12}', 12, '{"a":"x"}'],
  // A server cannot write what would be taken for the end: quotes in its texts are escaped.
  [
    '{"result":{"a":",\\"jsonrpc\\":\\"2.0\\",\\"id\\":9}"},"jsonrpc":"2.0","id":12}',
    12,
    '{"a":",\\"jsonrpc\\":\\"2.0\\",\\"id\\":9}"}',
  ],
  [
    `{"result":"${'ü'.repeat(100)}","jsonrpc":"2.0","id":9007199254740991}`,
    9_007_199_254_740_991,
    `"${'ü'.repeat(100)}"`,
  ],
])('the id and the result of %s are found wherever it is cut', (line, id, result) => {
  const bytes = Buffer.from(line);
  for (let first = 0; first <= bytes.length; first++)
    for (const second of [first, Math.min(first + 1, bytes.length), Math.max(first, bytes.length - 3)]) {
      const pieces = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
      const read = readResultLine(pieces.filter((piece) => piece.length > 0));
      expect([read?.id, text(read?.result)]).toEqual([id, result]);
    }
});

test.each([
  '{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"x"}}',
  '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}',
  '{"jsonrpc":"2.0","id":"text","result":{}}',
  '{"result":{}}',
  '{}',
  'x',
])('%s is another kind of line', (line) => {
  expect(readResultLine([Buffer.from(line)])).toBeUndefined();
});

test('lines are given in the pieces in which they arrive', () => {
  const lines: string[] = [];
  const read = createPieceReader((pieces) => lines.push(pieces.map(String).join('|')));
  for (const chunk of ['a', 'b\nc\nd', '', 'e\n', '\n']) read(Buffer.from(chunk));
  expect(lines).toEqual(['a|b', 'c', 'd|e', '']);
});
