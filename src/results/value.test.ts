import { expect, test } from 'vitest';
import { contentOf, otherBlocks } from './value.js';

const text = (...texts: string[]) => texts.map((each) => ({ type: 'text', text: each }));
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

test.each([
  ['one JSON object', { content: text(' {"a": 1}\n') }, { a: 1 }],
  ['one JSON list', { content: text('[1]') }, [1]],
  ['several JSON texts', { content: text('{"a": 1}', '[2]') }, [{ a: 1 }, [2]]],
  ['JSON text before structured content', { content: text('{"a": 1}'), structuredContent: { b: 2 } }, { a: 1 }],
  ['text beside other structured content', { content: text('done'), structuredContent: { b: 2 } }, { b: 2 }],
  [
    'text beside two keys, one of which has it again',
    { content: text('x'), structuredContent: { a: 'x', b: 1 } },
    { a: 'x', b: 1 },
  ],
  ['structured content alone', { structuredContent: [1] }, [1]],
  ['100 levels', { content: text(nested(100)) }, JSON.parse(nested(100))],
  [
    'brackets inside of strings',
    { content: text(`["${'['.repeat(200)}\\\\\\"${'{'.repeat(200)}\\\\"]`) },
    [`${'['.repeat(200)}\\"${'{'.repeat(200)}\\`],
  ],
])('the value of a result is JSON: %s', (_, result, value) => {
  expect(contentOf(result)).toEqual({ isText: false, value });
});

test.each([
  ['a plain text', { content: text('hello') }, 'hello'],
  ['a number or string as JSON', { content: text('12') }, '12'],
  ['broken JSON', { content: text('{"a": 1') }, '{"a": 1'],
  ['JSON and other text', { content: text('{"a": 1}', 'done') }, '{"a": 1}\ndone'],
  ['text that structured content repeats', { content: text('x'), structuredContent: { content: 'x' } }, 'x'],
  ['101 levels', { content: text(nested(101)) }, nested(101)],
  ['an open string', { content: text('["a') }, '["a'],
  ['nothing', {}, ''],
  ['content of another type', { content: JSON.parse('[null, 5, {"type": "text"}]') }, ''],
])('the value of a result is text: %s', (_, result, value) => {
  expect(contentOf(result)).toEqual({ isText: true, value });
});

test('blocks that are not text are no part of the value', () => {
  const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
  const link = { type: 'resource_link', uri: 'file:///a', name: 'a' };
  const result = { content: [image, ...text('[1]'), link] };
  expect(contentOf(result)).toEqual({ isText: false, value: [1] });
  expect(otherBlocks(result)).toEqual([image, link]);
});
