import { expect, test } from 'vitest';
import type { ServerState } from './server-states.js';
import { tokenTotals } from './token-totals.js';

const known = (...tokens: number[]): Pick<ServerState, 'known'> => ({
  known: {
    ...{ at: 1, tokens: tokens.reduce((sum, one) => sum + one, 0), asks: [], denied: [], changes: undefined },
    ...{ package: undefined, approvedPackage: undefined },
    tools: tokens.map((one, index) => ({ name: `t${index}`, tokens: one })),
  },
});

test('disabled servers do not count, and those that are not known make the sum a part', () => {
  const servers = [
    { state: 'awake', ...known(3, 4) },
    { state: 'disabled', ...known(100) },
  ] as const;
  expect(tokenTotals(servers)).toEqual({ tools: 2, tokens: 7, isWhole: true });
  expect(tokenTotals([...servers, { state: 'unknown' }])).toEqual({ tools: 2, tokens: 7, isWhole: false });
  expect(tokenTotals([...servers, { state: 'disabled' }]).isWhole).toBe(true);
});
