import { describe, expect, test } from 'vitest';
import { BytesResult } from '../../results/bytes-result.js';
import { parseMessage } from './parse-message.js';

const version = { jsonrpc: '2.0' };

describe('a JSON-RPC message', () => {
  test.each([
    ['request', { ...version, id: 1, method: 'ping' }],
    ['request with a text as its id', { ...version, id: '', method: 'x', params: {} }],
    ['notification', { ...version, method: 'notifications/progress', params: { progress: 1 } }],
    ['result', { ...version, id: 0, result: {} }],
    ['result that is null', { ...version, id: 0, result: null }],
    ['error', { ...version, id: 0, error: { code: -1, message: '' } }],
  ])('is a %s', (_, message) => {
    expect(parseMessage(Buffer.from(JSON.stringify(message)))).toEqual(message);
  });
});

const internalError = -32_603;

test.each([
  ['null beside the result', { result: {}, error: null }, { result: {} }],
  ['null beside the error', { result: null, error: { code: 1, message: 'x' } }, { error: { code: 1, message: 'x' } }],
  ['a text as the error', { error: 'no' }, { error: { code: internalError, message: 'no' } }],
  ['an error without a code', { error: { message: 'no' } }, { error: { code: internalError, message: 'no' } }],
  [
    'an error whose message cannot become a text',
    { error: { code: 1.5, message: { toString: 1 }, data: 7 } },
    { error: { code: internalError, message: 'the error has no message', data: 7 } },
  ],
])('a response with %s ends its request all the same', (_, response, expected) => {
  const message = parseMessage(Buffer.from(JSON.stringify({ ...version, id: 7, ...response })));
  expect(message).toEqual({ ...version, id: 7, ...expected });
});

describe('not a JSON-RPC message', () => {
  test.each([
    ['a text', 'hello'],
    ['an array', [{ ...version, id: 1, method: 'ping' }]],
    ['null', null],
    ['another version', { jsonrpc: '1.0', id: 1, result: {} }],
    ['a request with an id of null', { ...version, id: null, method: 'ping' }],
    ['params that are an array', { ...version, id: 1, method: 'ping', params: [] }],
    ['a response without an id', { ...version, result: {} }],
    ['a response with an id that is an object', { ...version, id: {}, result: {} }],
    ['neither result nor error', { ...version, id: 1 }],
    ['a request with an id that is infinite once parsed', '{"jsonrpc":"2.0","id":1e400,"method":"ping"}'],
    ['a response with such an id', '{"jsonrpc":"2.0","id":-1e400,"result":{}}'],
    ['a request with an endless id', { ...version, id: 'x'.repeat(4_097), method: 'ping' }],
  ])('is %s', (_, value) => {
    expect(parseMessage(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)))).toBeUndefined();
  });

  test.each(['', '{', 'Listening on port 3000', '{"jsonrpc":"2.0","id":1,"result":{}'])('is the text %j', (text) => {
    expect(parseMessage(Buffer.from(text))).toBeUndefined();
  });
});

test.each(['\r', '\n', '\r\n'])('a large result with %j between its tokens is parsed, and not kept as bytes', (end) => {
  const large = JSON.stringify('x'.repeat(20_000));
  const within = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":${large}}],${end}"structuredContent":{}}}`;
  const result = (line: string) => parseMessage(Buffer.from(line)) as { readonly result?: unknown } | undefined;
  expect(result(within)?.result).not.toBeInstanceOf(BytesResult);
  expect(result(within.replace(end, ''))?.result).toBeInstanceOf(BytesResult);
  expect(result(within.replace(end, '') + end)?.result).toBeInstanceOf(BytesResult);
});
