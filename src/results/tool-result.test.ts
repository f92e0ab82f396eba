import { expect, test } from 'vitest';
import type { CallToolResult } from '../contract/types.js';
import { BytesResult } from './bytes-result.js';
import { type ToolResult, ValueResult } from './tool-result.js';

const content = [{ type: 'text', text: 'ä' }];
const value: CallToolResult = { content, structuredContent: [1] };
const held: readonly [string, ToolResult][] = [
  ['as a value', new ValueResult(value)],
  ['as bytes', new BytesResult([Buffer.from(JSON.stringify(value))], ['text'], false)],
];

test.each(held)('a result held %s reads the same', (_, result) => {
  expect(result.value()).toEqual(value);
  expect(JSON.parse(JSON.stringify({ result }))).toEqual({ result: value });
  expect([result.everyKind((kind) => kind === 'text'), result.everyKind(() => false)]).toEqual([true, false]);
  expect([result.isError, result.isInputRequired, result.hasObject]).toEqual([false, false, false]);
  expect([result.meta, result.resources()]).toEqual([{}, []]);
});

test.each(held)('adding fields to a result held %s does not change the original', (_, result) => {
  const more = result.with({ resultType: 'complete', _meta: { by: 'us' } });
  expect(more.value()).toEqual({ ...value, resultType: 'complete', _meta: { by: 'us' } });
  expect(result.value()).toEqual(value);
});

test('only a result held as bytes has bytes to write', () => {
  expect(held.map(([, result]) => result.bytes()?.length)).toEqual([undefined, 1]);
});

test('a value of any shape is read without an error', () => {
  const shapes: unknown[] = [undefined, null, 'text', 7, {}, [null, 7, {}, { type: 7 }, { type: 'resource' }]];
  const results = shapes.map((shape) => new ValueResult({ content: shape, _meta: shape } as CallToolResult));
  expect(results.map((result) => result.everyKind(() => true))).toEqual([...Array(5).fill(false), true]);
  expect(results.flatMap((result) => result.resources())).toEqual([]);
  expect(results.map((result) => result.meta)).toEqual(shapes.map(() => ({})));
});

test('a value lists the resources that it contains or links to', () => {
  const blocks = [
    { type: 'resource_link', uri: 'a:1' },
    { type: 'resource', resource: { uri: 'b:2' } },
    { type: 'text', uri: 'c:3' },
  ];
  expect(new ValueResult({ content: blocks }).resources()).toEqual(['a:1', 'b:2']);
});
