import { expect, test } from 'vitest';
import { serverConfig } from '../../../test/support/fake-port.js';
import { offeredTools } from './judge-tools.js';

const locked = { name: 'read', description: 'Reads.', inputSchema: { type: 'object' as const } };
const tool = { ...locked, _meta: { a: 'b' }, icons: [{ src: 'https://example.org/x.png' }], fromTheFuture: 'text' };
const lock = (isFrozen: boolean) => ({
  revision: 0,
  isEnforced: (mode: string | undefined) => isFrozen || mode === 'strict',
  differenceOf: () => undefined,
  isApproved: () => true,
});

test.each([
  ['note', false, locked],
  ['strict', false, locked],
  ['off', true, locked],
  ['off', false, tool],
] as const)(
  'with the lock %s, frozen: %s, an agent gets the fields that are locked, or all of them',
  (mode, isFrozen, seen) => {
    const server = { ...serverConfig(), lock: mode };
    expect(offeredTools([tool], server, lock(isFrozen)).tools).toEqual([seen]);
  },
);

test('without a lock file an agent gets every field of a tool', () => {
  expect(offeredTools([tool], serverConfig(), undefined).tools).toEqual([tool]);
});
