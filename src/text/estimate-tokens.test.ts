import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { realTools } from '../../test/support/real-tools.js';
import { estimateTokens } from './estimate-tokens.js';

test('the estimate is seldom below and never far above the count of a tokenizer, for descriptions and names of real tools', () => {
  const tools = Object.values(realTools).flat();
  const descriptions = tools.map(({ description = '' }) => description);
  const names = [JSON.stringify(tools.map(({ name }) => name))];
  for (const texts of [descriptions, names]) {
    const ratios = texts.map((text) => estimateTokens(text) / countTokens(text));
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(0.95);
    expect(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length).toBeLessThan(1.6);
  }
});

test('random letters cost more than words', () => {
  const words = 'search the files of this project for a text';
  const noise = 'xqkwzj vbq fjxzk qq kzwvxj pqzx kd jx vwx q zxkv';
  expect(estimateTokens(noise)).toBeGreaterThan(2 * estimateTokens(words));
  expect(estimateTokens(noise)).toBeGreaterThanOrEqual(countTokens(noise));
});

test('an empty text costs nothing', () => {
  expect(estimateTokens(' ')).toBe(0);
});
