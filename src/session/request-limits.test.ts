import { expect, test } from 'vitest';
import { longestAgentMessage, maxMessageDepth, maxMessageParts } from '../limits.js';
import { excessIn } from './request-limits.js';

const nested = (levels: number, inside = '') => Buffer.from(`${'['.repeat(levels)}${inside}${']'.repeat(levels)}`);
const commas = (count: number) => Buffer.from(`[${'1,'.repeat(count)}1]`);
/** A text as long as messages of which only the brackets are counted. */
const long = `"${'x'.repeat(10_000)}"`;

test.each([
  ['as many bytes as are allowed', Buffer.alloc(longestAgentMessage, 'x')],
  ['as many levels', nested(maxMessageDepth)],
  ['as many levels around a long text', nested(maxMessageDepth, long)],
  ['as many values', commas(maxMessageParts - 1)],
  ['more brackets, but in a text', Buffer.from(JSON.stringify('[{'.repeat(maxMessageParts)))],
  ['more brackets, but beside each other', Buffer.from(`[${'[],'.repeat(1_000)}${long}]`)],
  ['nothing', Buffer.alloc(0)],
])('a message with %s is not refused', (_, line) => {
  expect(excessIn(line)).toBeUndefined();
});

test.each([
  ['bytes', Buffer.alloc(longestAgentMessage + 1), 'has 8388609 bytes, the limit is 8388608'],
  ['levels', nested(maxMessageDepth + 1), 'is nested deeper than the limit of 100 levels'],
  ['levels around a long text', nested(maxMessageDepth + 1, long), 'is nested deeper than the limit of 100 levels'],
  [
    'levels, half of them objects, around a long text',
    Buffer.from(`${'[{"a":'.repeat(51)}${long}${'}]'.repeat(51)}`),
    'is nested deeper than the limit of 100 levels',
  ],
  ['values', commas(maxMessageParts), 'has 1000003 bytes and more than the limit of 500000 values'],
])('a message with one more of %s is refused, with the limit', (_, line, problem) => {
  expect(excessIn(line)).toBe(problem);
});
