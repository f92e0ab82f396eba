import { expect, test } from 'vitest';
import { FakeServer, serverConfig } from '../../../test/support/fake-port.js';
import type { Approved, FirstSight, ToolLock } from '../../config/lock-file/tool-lock.js';
import { createSessionLock } from './session-lock.js';

const approved = { name: '@x/y', version: '1.0.0' };

/** A lock in memory that has approved version 1.0.0 with the tool that the server lists. */
function lockWith(from: Approved['package']) {
  const added: FirstSight[] = [];
  const copy = { name: 'echo', inputSchema: { type: 'object' } };
  const known = from && { tools: new Map([['echo', [{ copy }]]]), instructions: [], package: from };
  const lock: ToolLock = {
    ...{ file: '/lock', configOptions: [], revision: 0, problem: undefined },
    refresh: async () => {},
    ready: async () => {},
    approved: () => known,
    add: (seen) => void added.push(seen),
  };
  return { locks: { of: () => lock, flush: async () => {} }, added };
}

/** Connects once; returns what was asked for, what was logged, and what became of the listing. */
async function connect(from: Approved['package'], mode: 'note' | 'strict' | 'off', isFrozen = false) {
  const server = { ...serverConfig(), file: '/workbench-config.json', lock: mode };
  const fake = new FakeServer();
  fake.package = { name: '@x/y', version: '1.1.0', integrity: 'sha512-new' };
  const logged: string[] = [];
  const log = { info: () => {}, warn: (text: string) => void logged.push(text), error: () => {} };
  const { locks, added } = lockWith(from);
  const session = createSessionLock({ locks, isFrozen }, (one) => one, log);
  const listener = { started: () => {}, ended: () => {}, toolsChanged: () => {}, moved: () => {} };
  const signal = AbortSignal.timeout(10_000);
  const downstream = await session.around(fake.connect)(server, listener, signal, undefined);
  await downstream.listTools(signal);
  return { asked: fake.server, logged, added, notes: session.takeNotes(server.toolbox, []) };
}

test('what is seen for the first time is locked with the version of its package', async () => {
  const { added } = await connect(undefined, 'note');
  expect(added).toMatchObject([{ package: { name: '@x/y', version: '1.1.0', integrity: 'sha512-new' } }]);
});

test('a new version alone is logged with the command to approve it, and not reported to the agent', async () => {
  const { asked, logged, notes } = await connect(approved, 'note');
  expect(asked).not.toHaveProperty('pinned');
  expect(logged).toEqual([
    expect.stringMatching(/^dev\/fs: runs @x\/y 1\.1\.0; the lock has @x\/y 1\.0\.0: mcp-workbench approve dev fs$/),
  ]);
  expect(notes).toEqual([]);
});

test.each([
  ['a strict lock', 'strict', false],
  ['--frozen', 'off', true],
] as const)('with %s only the approved version is started', async (_, mode, isFrozen) => {
  const { asked } = await connect(approved, mode, isFrozen);
  expect(asked?.pinned).toEqual(approved);
});

test('without a lock any version is started', async () => {
  const { asked, logged } = await connect(approved, 'off');
  expect(asked).not.toHaveProperty('pinned');
  expect(logged).toEqual([]);
});

test.each([
  ['note', 1],
  ['strict', 0],
  ['off', 0],
] as const)('a lock that cannot be used is told to the agent once where it is %s', (mode, count) => {
  const { locks } = lockWith(undefined);
  const broken = { ...locks.of(), problem: 'it is damaged' };
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const session = createSessionLock({ locks: { ...locks, of: () => broken }, isFrozen: false }, (one) => one, log);
  const server = { ...serverConfig(), file: '/workbench-config.json', lock: mode };
  const listed = [{ server, known: { withheld: new Map(), withholdsInstructions: false } }];
  const told =
    'The lock /lock cannot be used: it is damaged. Changed tools are not noticed. Only the user can repair it.';
  expect(session.takeNotes('dev', listed)).toEqual(Array.from({ length: count }, () => told));
  expect(session.takeNotes('dev', listed)).toEqual([]);
});
