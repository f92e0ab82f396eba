import { describe, expect, test } from 'vitest';
import { isMessage, parseMessage } from './parse-message.js';

const version = { jsonrpc: '2.0' };

describe('a JSON-RPC message', () => {
  test.each([
    ['request', { ...version, id: 1, method: 'ping' }],
    ['request with a text as its id', { ...version, id: '', method: 'x', params: {} }],
    ['notification', { ...version, method: 'notifications/progress', params: { progress: 1 } }],
    ['result', { ...version, id: 0, result: {} }],
    ['result that is null', { ...version, id: 0, result: null }],
    ['result beside an error of null', { ...version, id: 0, result: {}, error: null }],
    ['error', { ...version, id: 0, error: { code: -1, message: '' } }],
    ['error beside a result of null', { ...version, id: 0, result: null, error: { code: -1, message: 'x', data: 1 } }],
  ])('is a %s', (_, message) => {
    expect(isMessage(message)).toBe(true);
    expect(parseMessage(Buffer.from(JSON.stringify(message)))).toEqual(message);
  });
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
    ['an error that is a text', { ...version, id: 1, error: 'no' }],
    ['an error without a code', { ...version, id: 1, error: { message: 'no' } }],
  ])('is %s', (_, value) => {
    expect(isMessage(value)).toBe(false);
    expect(parseMessage(Buffer.from(JSON.stringify(value)))).toBeUndefined();
  });

  test.each(['', '{', 'Listening on port 3000', '{"jsonrpc":"2.0","id":1,"result":{}'])('is the text %j', (text) => {
    expect(parseMessage(Buffer.from(text))).toBeUndefined();
  });
});
