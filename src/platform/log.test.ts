import { expect, test } from 'vitest';
import { withoutQuote } from './log.js';

test.each([
  [
    'Received a response for an unknown message ID: {"id":1,"result":{"password":"x"}}',
    'Received a response for an unknown message ID',
  ],
  ['Several:\n[1,\n2]', 'Several'],
  ['Parse error: a line on stdin is not JSON', 'Parse error: a line on stdin is not JSON'],
  ['', ''],
])('%j is logged as %j', (message, logged) => {
  expect(withoutQuote(message)).toBe(logged);
});
