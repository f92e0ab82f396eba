import { expect, test } from 'vitest';
import { createLearnedSecrets, withLearned } from './learned-secrets.js';
import { createMask } from './mask.js';

test('secrets that come up later are masked as well, in masks that were made before', () => {
  const learned = createLearnedSecrets();
  const { text, names } = withLearned(createMask(new Map([['configured-1', 'named']])), learned);
  expect(text('configured-1 token-abc123')).toBe('*** token-abc123');
  learned.add(['token-abc123', '']);
  expect(text('configured-1 token-abc123')).toBe('*** ***');
  expect(names('token-abc123')).toBe('***');
  expect(text(Buffer.from('token-abc123').toString('base64'))).toBe('***');
});

test('only the latest are kept', () => {
  const learned = createLearnedSecrets();
  const { text } = withLearned(createMask(new Map()), learned);
  for (let index = 0; index < 30; index++) learned.add([`token-number-${index}-x`]);
  expect(text('token-number-0-x token-number-29-x')).toBe('token-number-0-x ***');
});
