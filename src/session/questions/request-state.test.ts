import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { createRequestStates } from './request-state.js';

const tool = { toolbox: 'dev', server: 'files', name: 'read' };

afterEach(() => {
  vi.useRealTimers();
});

test('a signed state is returned unchanged', () => {
  const states = createRequestStates(1_000);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (downstream) => {
      fc.pre(downstream.isWellFormed());
      expect(states.verify(states.sign({ downstream }, tool), tool)).toEqual({ downstream });
    }),
  );
  expect(states.verify(states.sign({ parked: 'id' }, tool), tool)).toEqual({ parked: 'id' });
  expect(states.verify(states.sign({}, tool), tool)).toEqual({});
});

test('any change of any character is refused', () => {
  const states = createRequestStates(1_000);
  const text = states.sign({ downstream: 'the state of a server' }, tool);
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }), (at, other) => {
      fc.pre(other !== text[at]);
      expect(states.verify(text.slice(0, at) + other + text.slice(at + 1), tool)).toBeUndefined();
    }),
    { numRuns: 2_000 },
  );
});

test('every other last character is refused: some of them would decode to the same bytes', () => {
  const states = createRequestStates(1_000);
  const text = states.sign({ parked: 'id' }, tool);
  const others = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    .split('')
    .filter((c) => c !== text.at(-1));
  expect(others.filter((last) => states.verify(text.slice(0, -1) + last, tool) !== undefined)).toEqual([]);
});

test('anything truncated, extended or invented is refused', () => {
  const states = createRequestStates(1_000);
  const text = states.sign({ parked: 'id' }, tool);
  fc.assert(
    fc.property(fc.nat(text.length - 1), (length) => {
      expect(states.verify(text.slice(0, length), tool)).toBeUndefined();
    }),
  );
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (more) => {
      expect(states.verify(text + more, tool)).toBeUndefined();
      expect(states.verify(more + text, tool)).toBeUndefined();
      expect(states.verify(more, tool)).toBeUndefined();
    }),
  );
});

test('a state is valid for one tool only, whatever the names contain', () => {
  const states = createRequestStates(1_000);
  const names = fc.record({ toolbox: fc.string(), server: fc.string(), name: fc.string() });
  fc.assert(
    fc.property(names, names, (one, other) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other));
      expect(states.verify(states.sign({ parked: 'id' }, one), other)).toBeUndefined();
    }),
  );
  const text = states.sign({ parked: 'id' }, { toolbox: 'a', server: 'b","c', name: 'd' });
  expect(states.verify(text, { toolbox: 'a","b', server: 'c', name: 'd' })).toBeUndefined();
});

test('a state of another workbench is refused', () => {
  expect(createRequestStates(1_000).verify(createRequestStates(1_000).sign({}, tool), tool)).toBeUndefined();
});

test('a state expires', () => {
  vi.useFakeTimers();
  const states = createRequestStates(1_000);
  const text = states.sign({ parked: 'id' }, tool);
  vi.advanceTimersByTime(1_000);
  expect(states.verify(text, tool)).toEqual({ parked: 'id' });
  vi.advanceTimersByTime(1);
  expect(states.verify(text, tool)).toBeUndefined();
});

test('with a key of its own, a state outlives the session that signed it, and is of no other owner', () => {
  const key = Buffer.alloc(32, 7);
  const of = (...owner: string[]) => createRequestStates(1_000, { key, owner });
  const signed = of('anna', 'cursor').sign({ parked: 'id' }, tool);
  expect(of('anna', 'cursor').verify(signed, tool)).toEqual({ parked: 'id' });
  expect(of('bert', 'cursor').verify(signed, tool)).toBeUndefined();
  expect(of('anna', 'codex').verify(signed, tool)).toBeUndefined();
  expect(of('annacursor').verify(signed, tool)).toBeUndefined();
  const otherKey = createRequestStates(1_000, { key: Buffer.alloc(32, 8), owner: ['anna', 'cursor'] });
  expect(otherKey.verify(signed, tool)).toBeUndefined();
});
