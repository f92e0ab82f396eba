import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InFlight } from './in-flight.js';

test('it behaves like a Map, whatever the ids', () => {
  const id = fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string(),
    fc.constantFrom('1', 1, '__proto__', 'constructor'),
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
