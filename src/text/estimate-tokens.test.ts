import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { listedTools } from '../../test/support/real-tools.js';
import { toolTokens } from '../results/tool-tokens.js';
import { estimateTokens, tokensAtMost } from './estimate-tokens.js';

test.each(Object.entries(listedTools))('the tokens of the tools of %s are estimated within 10 %%', (_, tools) => {
  const texts = tools.map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }));
  const counted = texts.reduce((sum, text) => sum + countTokens(text), 0);
  const estimated = tools.reduce((sum, tool) => sum + toolTokens(tool), 0);
  expect(estimated / counted).toBeGreaterThan(0.9);
  expect(estimated / counted).toBeLessThan(1.1);
});

test('what decides where texts are cut is seldom below the count of a tokenizer, and not far above it', () => {
  const { everything, filesystem, memory, github } = listedTools;
  const tools = [everything, filesystem, memory, github].flat();
  const texts = [...tools.map(({ description = '' }) => description), JSON.stringify(tools.map(({ name }) => name))];
  const ratios = texts.map((text) => tokensAtMost(text) / countTokens(text));
  expect(Math.min(...ratios)).toBeGreaterThan(0.9);
  expect(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length).toBeLessThan(1.4);
});

test('random letters cost more than words', () => {
  const words = 'search the files of this project for a text';
  const noise = 'xqkwzj vbq fjxzk qq kzwvxj pqzx kd jx vwx q zxkv';
  expect(estimateTokens(noise)).toBeGreaterThan(2 * estimateTokens(words));
  expect(tokensAtMost(noise) / countTokens(noise)).toBeGreaterThan(0.9);
});

test('an empty text costs nothing', () => {
  expect(estimateTokens(' ')).toBe(0);
});
