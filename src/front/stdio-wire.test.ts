import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isRecord } from '../jsonrpc/json.js';
import { readBytes } from '../results/read-bytes.js';
import { createStdioWire } from './stdio-wire.js';

test('an answer goes out under the id of its request, whatever the server put into its bytes', async () => {
  const line = Buffer.from(
    '{"jsonrpc":"2.0","id":7,"result":{"content":[]},"id":7,"result":{"content":[{"type":"b"}]}}',
  );
  const outline: unknown = JSON.parse(line.toString());
  const result = isRecord(outline) ? readBytes(line, outline) : undefined;
  expect(result).toBeDefined();
  const output = new PassThrough();
  const wire = createStdioWire(new PassThrough(), output, () => {});
  wire.send({ jsonrpc: '2.0', id: 'of the agent', result });
  await turn();
  const sent = JSON.parse(String(output.read()));
  expect(sent).toMatchObject({ jsonrpc: '2.0', id: 'of the agent', result: { content: [{ type: 'b' }] } });
});

test('an answer that cannot be written is answered with that, and a question that cannot fails', async () => {
  let deep: unknown = {};
  for (let level = 0; level < 100_000; level++) deep = [deep];
  const output = new PassThrough();
  const wire = createStdioWire(new PassThrough(), output, () => {});
  const errors: Error[] = [];
  wire.onerror = (error) => void errors.push(error);
  wire.send({ jsonrpc: '2.0', id: 7, result: { deep } });
  expect(() => wire.send({ jsonrpc: '2.0', id: 8, method: 'x', params: { deep } })).toThrow(RangeError);
  await turn();
  expect(JSON.parse(String(output.read()))).toMatchObject({ id: 7, error: { code: -32_603 } });
  expect(errors).toHaveLength(1);
});
