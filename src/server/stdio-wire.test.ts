import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { isRecord } from '../json.js';
import { keepRaw, resultBytes } from '../raw-result.js';
import { createStdioWire } from './stdio-wire.js';

test('an answer goes out under the id of its request, whatever the server put into its bytes', async () => {
  const line = Buffer.from('{"jsonrpc":"2.0","id":7,"result":{"a":1},"id":7,"result":{"b":2}}');
  const message: unknown = JSON.parse(line.toString());
  if (!isRecord(message) || !isRecord(message['result'])) throw new Error('no result');
  const bytes = resultBytes(line, message);
  if (bytes !== undefined) keepRaw(message['result'], bytes);
  const output = new PassThrough();
  const wire = createStdioWire(new PassThrough(), output, () => {});
  await wire.send({ jsonrpc: '2.0', id: 'of the agent', result: message['result'] });
  const sent = JSON.parse(String(output.read()));
  expect(sent).toMatchObject({ jsonrpc: '2.0', id: 'of the agent' });
});
