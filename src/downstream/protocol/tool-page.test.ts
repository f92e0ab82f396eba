import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readPageStart, readToolPage } from './tool-page.js';

const isListing = (id: unknown) => id === 1_000_001;
const read = (text: string) => readToolPage(Buffer.from(text), isListing);
const parsed = (page: ReturnType<typeof read>) =>
  page?.page?.tools.map((bytes): unknown => JSON.parse(bytes.toString()));

test('has the same tools and cursor as the parsed response, however it is written', () => {
  const tools = fc.array(fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }), { maxLength: 8 });
  const indent = fc.constantFrom(undefined, 1, '\t');
  const others = fc.dictionary(fc.constantFrom('tools', 'x', 'id', '_meta'), fc.jsonValue({ maxDepth: 2 }));
  fc.assert(
    fc.property(tools, indent, others, fc.boolean(), (list, space, other, isIdLast) => {
      const result = { other, tools: list, nextCursor: 'next', other2: [other] };
      const id = { id: 1_000_001 };
      const message = isIdLast ? { jsonrpc: '2.0', result, ...id } : { jsonrpc: '2.0', ...id, result };
      const page = read(JSON.stringify(message, undefined, space));
      expect(parsed(page)).toEqual(JSON.parse(JSON.stringify(list)));
      expect(page).toMatchObject({ id: 1_000_001, page: { others: 0, nextCursor: 'next' } });
    }),
  );
});

test('is nothing for other messages', () => {
  for (const other of [
    { jsonrpc: '2.0', id: 7, result: { tools: [1] } },
    { jsonrpc: '2.0', id: '1000001', result: { tools: [1] } },
    { jsonrpc: '2.0', method: 'x', params: { id: 1_000_001 } },
  ]) {
    expect(read(JSON.stringify(other))).toBeUndefined();
  }
  for (const text of ['', 'garbage', '{', '[]', '{"id":', '"']) expect(read(text)).toBeUndefined();
});

test('is unusable if what is beside the tools is large, not an object or not JSON', () => {
  const response = (result: string) => `{"jsonrpc":"2.0","id":1000001,"result":${result}}`;
  for (const result of [
    `{"tools":[],"x":"${'x'.repeat(70_000)}"}`,
    `{"\\u0074ools":[${'{},'.repeat(40_000)}{}]}`,
    '[{"tools":[]}]',
    '{"tools":[1,2}',
    'null',
  ]) {
    expect(read(response(result))).toEqual({ id: 1_000_001, page: undefined });
  }
});

test('has the bytes of the first 2,000 tools and the number of the others', () => {
  const page = read(`{"jsonrpc":"2.0","id":1000001,"result":{"tools":[${'{},'.repeat(9_999)}{}]}}`)?.page;
  expect([page?.tools.length, page?.others]).toEqual([2_000, 8_000]);
});

test('the start of a page has the tools that are whole in it', () => {
  const start = readPageStart(Buffer.from('{"result":{"tools":[{"name":"a"},{"name":"b"},{"na'));
  expect(start?.tools.map(String)).toEqual(['{"name":"a"}', '{"name":"b"}']);
  expect(start?.isCut).toBe(true);
  expect(readPageStart(Buffer.from('{"result":{"tools":[{"na'))).toBeUndefined();
});
