import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluate } from './evaluate.js';
import { isSelectFault } from './fault.js';
import { parseExpression } from './parse.js';

// Left out is what the other implementation does wrong: `<` of values that are no numbers, `__proto__`, `@.a` as an argument, `&a`
// for any value, functions of empty lists and texts, `merge(null)`. The suite and its table have these.
const name = fc.constantFrom('a', 'b', 'c', '"a b"');
const scalar = fc.oneof(
  fc.integer({ min: -9, max: 9 }),
  fc.constantFrom(1.5, null, true, false, '', 'a', 'b', 'abc', 'a,b', '7', 'A'),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.record({ a: scalar, b: tie('value') }), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'a b', 'd'), tie('value'), { maxKeys: 4 }),
  ),
}));

const literal = fc.oneof(
  scalar.map((each) => `\`${JSON.stringify(each)}\``),
  fc.constantFrom("'a'", "','", "''", '`[1, [2], {"a": 3}]`', '`{"a": {"b": 1}, "c": []}`'),
);
const index = fc.integer({ min: -3, max: 3 });
const bound = fc.oneof(index.map(String), fc.constant(''));
const join = (...parts: (fc.Arbitrary<string> | string)[]) =>
  fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))).map((all) => all.join(''));

const oneArgument = [
  ...['abs', 'ceil', 'floor', 'keys', 'length', 'max', 'min', 'not_null', 'reverse', 'sort', 'sum'],
  ...['to_array', 'to_string', 'type', 'values'],
];

const { expression } = fc.letrec<{ expression: string; suffix: string; call: string }>((tie) => {
  const inner = tie('expression');
  const argument = inner;
  const size = join('length(to_array(', argument, '))');
  return {
    expression: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'expression' },
      fc.oneof(name, fc.constant('(@)'), literal),
      join(inner, tie('suffix')),
      join(inner, tie('suffix'), tie('suffix')),
      join(name, tie('suffix')),
      tie('call'),
      join('[', inner, ', ', inner, ']'),
      join('{', fc.constantFrom('a', 'b', '"c d"'), ': ', inner, ', a: ', inner, '}'),
      join('(', inner, ')'),
      join('!', inner),
      fc.constantFrom('*', '[]', '[*]', '[0]', '[?a]', '[::-1]'),
      join(inner, fc.constantFrom(' | ', ' || ', ' && ', ' == ', ' != '), inner),
      join('(', size, fc.constantFrom(' < ', ' <= ', ' > ', ' >= '), size, ')'),
    ),
    suffix: fc.oneof(
      { depthIdentifier: 'expression' },
      join('.', name),
      fc.constantFrom('[]', '[*]', '.*'),
      join('[', index.map(String), ']'),
      join('[', bound, ':', bound, ']'),
      join('[', bound, ':', bound, ':', fc.constantFrom('', '1', '2', '-1', '-2'), ']'),
      join('[?', inner, ']'),
      join('.[', inner, ']'),
      join('.{x: ', inner, '}'),
      join('.', tie('call')),
    ),
    call: fc.oneof(
      { depthIdentifier: 'expression' },
      join(fc.constantFrom(...oneArgument), '(', argument, ')'),
      join('contains(to_string(', argument, '), to_string(', argument, '))'),
      join(fc.constantFrom('ends_with', 'join', 'not_null'), '(', argument, ', ', argument, ')'),
      join('sort_by(', argument, ', &', inner, ')'),
      join(fc.constantFrom('max_by', 'min_by'), '([`1`, ', argument, '], &', size, ')'),
      join('map(&', inner, ', ', argument, ')'),
    ),
  };
});

const other: { search(data: unknown, text: string): unknown } = createRequire(import.meta.url)('jmespath');

const refused = Symbol('refused');

function ours(text: string, data: unknown): unknown {
  try {
    return JSON.stringify(sorted(evaluate(parseExpression(text), data)));
  } catch (error) {
    if (isSelectFault(error)) return refused;
    throw error;
  }
}

function theirs(text: string, data: unknown): unknown {
  try {
    return JSON.stringify(sorted(other.search(data, text)));
  } catch {
    return refused;
  }
}

/** The order of keys means nothing. */
function sorted(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(sorted);
  if (typeof data !== 'object' || data === null) return data;
  const entries = new Map<string, unknown>(Object.entries(data));
  return [...entries.keys()].toSorted().map((key) => [key, sorted(entries.get(key))]);
}

test('random expressions on random values have the same result in another implementation, or both refuse', () => {
  const results = { tried: 0, useful: 0 };
  fc.assert(
    fc.property(expression, value, (text, made) => {
      const data: unknown = JSON.parse(JSON.stringify(made));
      const result = ours(text, data);
      // It has no limits of its own.
      fc.pre(text.length <= 300);
      expect([text, data, result]).toEqual([text, data, theirs(text, data)]);
      results.tried++;
      if (result !== refused && result !== 'null') results.useful++;
    }),
    // A seed, because the other implementation may have further faults: 360,000 others agreed.
    { numRuns: 5_000, seed: 34 },
  );
  expect(results.useful).toBeGreaterThan(results.tried / 5);
});
