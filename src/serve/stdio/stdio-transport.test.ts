import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RpcMessage } from '../../jsonrpc/messages.js';
import { createStdioTransport } from './stdio-transport.js';

/** Everything written so far, read chunk by chunk: how much one `read()` returns depends on the version of Node.js. */
function written(output: PassThrough): string {
  const chunks: Buffer[] = [];
  for (let chunk = output.read(); chunk !== null; chunk = output.read()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('a response that cannot be serialized becomes an error response, and such a question throws', async () => {
  // Node.js up to 24 cannot serialize deep nesting; no version can serialize this.
  const endless: Record<string, unknown> = {};
  endless['self'] = endless;
  const output = new PassThrough();
  const transport = createStdioTransport(new PassThrough(), output);
  const errors: Error[] = [];
  transport.onerror = (error) => void errors.push(error);
  transport.send({ jsonrpc: '2.0', id: 7, result: endless });
  expect(() => transport.send({ jsonrpc: '2.0', id: 8, method: 'x', params: endless })).toThrow(TypeError);
  await turn();
  expect(JSON.parse(written(output))).toMatchObject({ id: 7, error: { code: -32_603 } });
  expect(errors).toHaveLength(2);
});

/** A transport with its ends: what was written to the agent, and what arrived from it. */
function connected() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = createStdioTransport(input, output);
  const received: RpcMessage[] = [];
  transport.onmessage = (message) => void received.push(message);
  transport.start();
  const write = async (...messages: object[]) => {
    for (const message of messages) input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    await turn();
    await turn();
  };
  return { transport, received, write, output };
}

test.each([
  ['a result that is a text', { result: 'text' }, { result: 'text' }],
  [
    'an error without a message',
    { error: { code: 'x' } },
    { error: { code: -32_603, message: 'the error has no message' } },
  ],
  [
    'an error and a null result',
    { result: null, error: { code: 1, message: 'no' } },
    { error: { code: 1, message: 'no' } },
  ],
])('a response with %s is delivered: it ends the request it belongs to', async (_, response, expected) => {
  const { received, write, output } = connected();
  await write({ id: 1_000_001, ...response });
  expect(received).toEqual([{ jsonrpc: '2.0', id: 1_000_001, ...expected }]);
  expect(written(output)).toBe('');
});

test('a malformed request under an id in flight gets no response of its own', async () => {
  const { transport, received, write, output } = connected();
  await write(
    { id: 1, method: 'ping' },
    { id: 1, method: 'ping', params: [1] },
    { id: 2, method: 'ping', params: [1] },
  );
  expect(received).toEqual([{ jsonrpc: '2.0', id: 1, method: 'ping' }]);
  expect(written(output)).toMatch(/^\{"jsonrpc":"2.0","id":2,"error":.*\}\n$/);
  transport.send({ jsonrpc: '2.0', id: 1, result: {} });
  await turn();
  expect(written(output)).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\n');
});
