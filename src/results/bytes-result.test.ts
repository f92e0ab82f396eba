import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRecord } from '../jsonrpc/json.js';
import { outlineOf } from './json-outline.js';
import { readBytes } from './read-bytes.js';
import type { ToolResult } from './tool-result.js';

const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.string({ unit: 'binary' }) }),
  fc.record({ type: fc.constant('image'), data: fc.base64String(), annotations: fc.jsonValue() }),
);
const result = fc.record(
  { content: fc.array(block), structuredContent: fc.jsonValue(), isError: fc.constant(false) },
  { requiredKeys: ['content'] },
);

function inBytes(text: string): ToolResult | undefined {
  const line = Buffer.from(text);
  const outline: unknown = JSON.parse(line.toString('latin1'));
  return isRecord(outline) ? readBytes(line, outline, outlineOf(line)?.keys ?? [0, 0]) : undefined;
}

const mostServers = (text: string) => `{"jsonrpc":"2.0","id":7,"result":${text}}`;
const typescriptSdk = (text: string) => `{"result":${text},"jsonrpc":"2.0","id":7}`;
const jsonOf = (one: ToolResult | undefined) => one && Buffer.concat(one.bytes() ?? []).toString();

function kindsOf(one: ToolResult | undefined): (string | undefined)[] {
  const kinds: (string | undefined)[] = [];
  one?.everyKind((kind) => kinds.push(kind) > 0);
  return kinds;
}

describe('a result in bytes', () => {
  test.each([
    ['most servers', mostServers],
    ['the TypeScript SDK', typescriptSdk],
  ])('has the same value, as written by %s', (_, write) => {
    fc.assert(
      fc.property(result, (value) => {
        const one = inBytes(write(JSON.stringify(value)));
        expect(jsonOf(one)).toBe(JSON.stringify(value));
        expect(one?.value()).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('includes added fields, and nothing else changes', () => {
    fc.assert(
      fc.property(result, (value) => {
        const added = { resultType: 'complete', _meta: { by: 'us' } };
        const one = inBytes(mostServers(JSON.stringify(value)))?.with(added);
        expect(JSON.parse(jsonOf(one) ?? '')).toEqual(JSON.parse(JSON.stringify({ ...added, ...value })));
        expect(one?.value()).toEqual(JSON.parse(JSON.stringify({ ...added, ...value })));
      }),
    );
  });

  test('omits the keys of the connection', () => {
    fc.assert(
      fc.property(result, fc.string({ unit: 'binary' }), (value, name) => {
        const signed = { ...value, resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': { name } } };
        const one = inBytes(typescriptSdk(JSON.stringify(signed)));
        expect(jsonOf(one)).toBe(JSON.stringify(value));
      }),
    );
  });

  test('reports its kinds of content, and whether older agents can read its structured content', () => {
    const kinds = inBytes(mostServers('{"content":[{"type":"text"},{"type":"audio"}]}'));
    expect(kindsOf(kinds)).toEqual(['text', 'audio']);
    expect(kinds?.hasObject).toBe(true);
    expect(inBytes(mostServers('{"content":[],"structuredContent":[1]}'))?.hasObject).toBe(false);
    expect(inBytes(mostServers('{"content":[],"structuredContent":{}}'))?.hasObject).toBe(true);
  });

  test.each([
    ['an error', '{"content":[],"isError":true}'],
    ['a link to a resource', '{"content":[{"type":"text","text":""},{"type":"resource_link","uri":"a:b"}]}'],
    ['a resource', '{"content":[{"type":"resource","resource":{"uri":"a:b"}}]}'],
    ['a question', '{"content":[],"resultType":"input_required"}'],
    ['an unknown key', '{"content":[],"vendor":1}'],
    ['more in its _meta than a name', '{"content":[],"_meta":{"a":1}}'],
    ['a name that is not written last', '{"resultType":"complete","content":[]}'],
    ['no content', '{"structuredContent":{}}'],
    ['content of no kind', '{"content":[{"text":"a"}]}'],
    ['content that is not an object', '{"content":["a"]}'],
    ['a key twice', '{"content":[],"content":[]}'],
    ['a key twice, once escaped', '{"content":[],"c\\u006fntent":[]}'],
    [
      'two identities',
      '{"_meta":{"io.modelcontextprotocol/serverInfo":{}},"content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{}}}',
    ],
  ])('is not made of %s', (_, text) => {
    expect(inBytes(mostServers(text))).toBeUndefined();
  });

  test.each([
    ['another order', '{"id":7,"jsonrpc":"2.0","result":{"content":[]}}'],
    ['spaces', '{ "jsonrpc":"2.0","id":7,"result":{"content":[]}}'],
    ['spaces at the end', '{"jsonrpc":"2.0","id":7,"result":{"content":[]} }'],
    ['another key', '{"jsonrpc":"2.0","id":7,"result":{"content":[]},"more":{}}'],
    ['its result twice', '{"jsonrpc":"2.0","id":7,"result":{"content":[]},"id":7,"result":{"content":[]}}'],
    ['an escaped key', '{"jsonrpc":"2.0","id":7,"r\\u0065sult":{"content":[]}}'],
  ])('is not made of a response with %s', (_, text) => {
    expect(inBytes(text)).toBeUndefined();
  });

  test('accepts the end of a line after it', () => {
    for (const end of ['\r', '\n', '\r\n']) {
      expect(jsonOf(inBytes(`${mostServers('{"content":[]}')}${end}`))).toBe('{"content":[]}');
    }
  });
});
