import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InFlight } from './in-flight.js';

test('the table of requests in flight behaves like a Map, whatever the ids', () => {
  const id = fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string(),
    fc.constantFrom('1', 1, '__proto__', 'constructor'),
    // Those that would have the same slot.
    fc.nat(6).map((count) => 1 + count * 4_096),
    fc.nat(40),
  );
  const step = fc.record({ does: fc.constantFrom('set', 'set', 'delete'), id, value: fc.integer() });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const map = new Map<unknown, number>();
      const inFlight = new InFlight<number>();
      for (const { does, id: key, value } of steps) {
        // As an object key, minus zero is zero, as in JSON.
        const plain = key === 0 ? 0 : key;
        if (does === 'set') {
          map.set(plain, value);
          inFlight.set(plain, value);
        } else {
          map.delete(plain);
          inFlight.delete(plain);
        }
        expect(inFlight.get(plain)).toBe(map.get(plain));
        expect(inFlight.has(plain)).toBe(map.has(plain));
      }
      expect(inFlight.values().toSorted((a, b) => a - b)).toEqual([...map.values()].toSorted((a, b) => a - b));
    }),
  );
});

test('a value that is not an id is not found', () => {
  const inFlight = new InFlight<number>();
  inFlight.set('x', 1);
  for (const odd of [undefined, null, {}, ['x'], true, Symbol('x')]) {
    expect(inFlight.get(odd)).toBeUndefined();
    inFlight.delete(odd);
  }
  expect(inFlight.values()).toEqual([1]);
});

test('values are in the order of their ids, however far behind the oldest is', () => {
  const inFlight = new InFlight<number>();
  const ids = [7, 20_000, 7 + 4_096, 8, 7 + 8_192];
  for (const id of ids) inFlight.set(id, id);
  expect(inFlight.values()).toEqual(ids.toSorted((a, b) => a - b));
});
