import { expect, test } from 'vitest';
import { partOf } from './answer.js';

test('a command gets the selected part whole, however large it is', () => {
  const list = Array.from({ length: 9 }, () => '漢'.repeat(1_000_000));
  const { result, note } = partOf({ content: [{ type: 'text', text: JSON.stringify(list) }] }, { select: '@' });
  expect(note).toBeUndefined();
  expect(String(result.content?.[0]?.['text']).length).toBe(JSON.stringify(list).length);
});
