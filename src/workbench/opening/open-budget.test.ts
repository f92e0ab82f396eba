import { expect, test } from 'vitest';
import { openBudget } from './open-budget.js';

test.each([
  [undefined, undefined, { budgetChars: 20_000 }],
  [undefined, 'claude-code', { budgetChars: 20_000 }],
  [undefined, '__proto__', { budgetChars: 20_000 }],
  [undefined, '@cline/core', { budgetChars: 7_000, inBytes: false, byClient: true }],
  [undefined, 'copilot-cli', { budgetChars: 20_000, inBytes: true, byClient: true }],
  [50_000, 'copilot-cli', { budgetChars: 50_000 }],
  [500, '@cline/core', { budgetChars: 500 }],
])('with a setting of %s, an answer for %s is limited by %j', (configured, client, expected) => {
  expect(openBudget(configured, client)).toEqual(expected);
});
