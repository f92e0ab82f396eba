import { expect, test } from 'vitest';
import { createTail } from './tail.js';

test('the last lines are kept, however the text is cut and however much passes', () => {
  const tail = createTail(3);
  for (let i = 0; i < 10_000; i++) tail.push(Buffer.from(`line ${i}\r\n`));
  tail.push(Buffer.from('half a '));
  tail.push(Buffer.from('line'));
  expect(tail.lines()).toEqual(['line 9998', 'line 9999', 'half a line']);
});

test('a line without end does not fill the memory', () => {
  const tail = createTail(3);
  for (let i = 0; i < 1_000; i++) tail.push(Buffer.alloc(10_000, 'x'));
  expect(tail.lines().join('').length).toBeLessThanOrEqual(500);
});
