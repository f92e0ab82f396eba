import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRecord } from './json.js';
import { keepRaw, rawJson, resultBytes } from './raw-result.js';

const json = fc.dictionary(fc.string(), fc.jsonValue());

function received(result: object, write: (result: string) => string): Record<string, unknown> {
  const line = Buffer.from(write(JSON.stringify(result)));
  const message: unknown = JSON.parse(line.toString());
  if (!isRecord(message) || !isRecord(message['result'])) throw new Error('no result');
  const bytes = resultBytes(line, message);
  if (bytes !== undefined) keepRaw(message['result'], bytes);
  return message['result'];
}

const mostServers = (result: string) => `{"jsonrpc":"2.0","id":7,"result":${result}}`;
const typescriptSdk = (result: string) => `{"result":${result},"jsonrpc":"2.0","id":7}`;
const asText = (pieces: readonly (string | Buffer)[] | undefined) => pieces?.map(String).join('');

describe('a result passed on as bytes', () => {
  test.each([
    ['most servers', mostServers],
    ['the TypeScript SDK', typescriptSdk],
  ])('says what it said, as written by %s', (_, write) => {
    fc.assert(
      fc.property(json, (result) => {
        expect(asText(rawJson(received(result, write)))).toBe(JSON.stringify(result));
      }),
    );
  });

  test('says what was added on the way, and nothing else is changed', () => {
    fc.assert(
      fc.property(json, (result) => {
        const copy = { ...received(result, mostServers), resultType: 'complete', _meta: { by: 'us' } };
        const pieces = asText(rawJson(copy));
        if ('_meta' in result || 'resultType' in result) expect(pieces).toBeUndefined();
        else expect(JSON.parse(pieces ?? '')).toEqual(JSON.parse(JSON.stringify(copy)));
      }),
    );
  });

  test('is not believed once a copy differs', () => {
    const result = received({ content: [], isError: true }, mostServers);
    expect(rawJson({ ...result, content: [1] })).toBeUndefined();
    expect(rawJson({ ...result, extra: 1 })).toBeUndefined();
    const { isError: _, ...less } = result;
    expect(rawJson(less)).toBeUndefined();
    expect(rawJson({ content: [] })).toBeUndefined();
  });

  test.each([
    ['another order', '{"id":7,"jsonrpc":"2.0","result":{"a":1}}'],
    ['spaces', '{ "jsonrpc":"2.0","id":7,"result":{"a":1}}'],
    ['spaces at the end', '{"jsonrpc":"2.0","id":7,"result":{"a":1} }'],
    ['another key', '{"jsonrpc":"2.0","id":7,"result":{"a":1},"more":{}}'],
    ['an escaped key', '{"jsonrpc":"2.0","id":7,"r\\u0065sult":{"a":1}}'],
  ])('is left to be written anew for %s', (_, text) => {
    const message: unknown = JSON.parse(text);
    expect(isRecord(message) && resultBytes(Buffer.from(text), message)).toBeUndefined();
  });

  test('bears the end of a line that Windows writes', () => {
    const line = Buffer.from(`${mostServers('{"a":1}')}\r`);
    expect(resultBytes(line, { jsonrpc: '2.0', id: 7, result: {} })?.toString()).toBe('{"a":1}');
  });
});
