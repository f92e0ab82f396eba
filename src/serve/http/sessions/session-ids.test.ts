import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Caller } from '../../../session/caller.js';
import { createSessionIds } from './session-ids.js';

const key = Buffer.alloc(32, 7);
const caller: Caller = {
  revision: '2025-11-25',
  client: { name: 'client', version: '1.0' },
  capabilities: { elicitation: { form: {}, url: {} }, roots: {}, sampling: { tools: {} } },
};
const day = 86_400_000;

test('an id states what the handshake has settled, and the next process reads it', () => {
  const id = createSessionIds(key).sign(caller, 'one');
  expect(createSessionIds(key).verify(id, 'one')?.caller).toEqual(caller);
  expect(id.length).toBeLessThan(300);
});

test('two ids of one client differ', () => {
  const ids = createSessionIds(key);
  expect(ids.sign(caller, 'one')).not.toBe(ids.sign(caller, 'one'));
});

test('an id that was changed at any place counts no longer', () => {
  const ids = createSessionIds(key);
  const id = ids.sign(caller, 'one');
  for (let at = 0; at < id.length; at++) {
    for (const letter of ['A', 'B', '_', '.', '=', '\u00e9', ''])
      if (id[at] !== letter) expect(ids.verify(id.slice(0, at) + letter + id.slice(at + 1), 'one')).toBeUndefined();
  }
  for (const more of ['.', 'A', '=', ' ', '\n']) expect(ids.verify(id + more, 'one')).toBeUndefined();
});

test.each(['', '.', '..', '1..', '1.e30.', '1.W10.x', 'x'.repeat(5_000), '__proto__'])('%j is no id', (id) => {
  expect(createSessionIds(key).verify(id, 'one')).toBeUndefined();
});

test('an id of another principal, of another key, or of an unknown revision is none', () => {
  const ids = createSessionIds(key);
  expect(ids.verify(ids.sign(caller, 'one'), 'two')).toBeUndefined();
  expect(ids.verify(createSessionIds(Buffer.alloc(32, 8)).sign(caller, 'one'), 'one')).toBeUndefined();
  expect(ids.verify(ids.sign({ ...caller, revision: '2030-01-01' }, 'one'), 'one')).toBeUndefined();
});

test('an id expires after 30 days', () => {
  let now = Date.parse('2026-01-01');
  const ids = createSessionIds(key, () => now);
  const id = ids.sign(caller, 'one');
  now += 30 * day;
  expect(ids.verify(id, 'one')?.validUntil).toBe(now);
  now += 1;
  expect(ids.verify(id, 'one')).toBeUndefined();
});

test('an id whose session was ended counts no longer; 10,000 of them are remembered', () => {
  const ids = createSessionIds(key);
  const [first, second] = [ids.sign(caller, 'one'), ids.sign(caller, 'one')];
  ids.end(first);
  expect(ids.verify(first, 'one')).toBeUndefined();
  expect(ids.verify(second, 'one')).toBeDefined();
  for (let count = 0; count < 9_999; count++) ids.end(`other ${count}`);
  expect(ids.verify(first, 'one')).toBeUndefined();
  ids.end('one more');
  expect(ids.verify(first, 'one')).toBeDefined();
});

test('no client makes its id long, or one that is not read again, whatever it reports', () => {
  const ids = createSessionIds(key);
  const capabilities = fc.dictionary(
    fc.constantFrom('elicitation', 'sampling', 'roots', '__proto__', 'x'),
    fc.object(),
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom('\0'.repeat(300), '\ud800'.repeat(300)),
  );
  fc.assert(
    fc.property(texts, texts, capabilities, (name, version, given) => {
      const id = ids.sign({ ...caller, client: { name, version }, capabilities: given }, 'one');
      expect(id.length).toBeLessThan(2_048);
      expect(ids.verify(id, 'one')).toBeDefined();
    }),
  );
  const hostile = {
    elicitation: { form: 'x'.repeat(4_000_000) },
    sampling: [],
    experimental: { ['y'.repeat(4_000_000)]: {} },
  };
  const id = ids.sign({ ...caller, capabilities: hostile }, 'one');
  expect(id.length).toBeLessThan(300);
  expect(ids.verify(id, 'one')?.caller.capabilities).toEqual({ elicitation: {} });
});
