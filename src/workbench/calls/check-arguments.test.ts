import { readFileSync } from 'node:fs';
import { Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { messyTool } from '../../../test/support/messy-schemas.js';
import { realTools } from '../../../test/support/real-tools.js';
import { startStopwatch } from '../../../test/support/stopwatch.js';
import type { Tool } from '../../contract/types.js';
import { checkArguments } from './check-arguments.js';

const discovered = readFileSync(new URL('../../../bench/discovery/data/tools.jsonl', import.meta.url), 'utf8');
const tools: readonly Tool[] = [
  ...Object.values(realTools).flat(),
  ...discovered
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line)),
];

/** The places at which a complete validator finds faults; undefined if it cannot use the schema. */
function faultyPlaces({ inputSchema }: Tool, args: object): Set<string> | undefined {
  try {
    const { errors } = new Validator(inputSchema, '2020-12', false).validate(args);
    return new Set(errors.map(({ instanceLocation }) => decodeURIComponent(instanceLocation.replace(/^#\/?/, ''))));
  } catch {
    return undefined;
  }
}

function expectNoFalseAlarm(tool: Tool, args: object): void {
  const found = checkArguments(tool.inputSchema, args);
  const oracle = faultyPlaces(tool, args);
  if (oracle !== undefined) expect([...oracle]).toEqual(expect.arrayContaining(found.map(({ place }) => place)));
}

test.each([
  ['a wrong type', { type: 'number' }, 'one', '', 'expected number, got "one"'],
  ['one of several types', { type: ['string', 'null'] }, 1, '', 'expected string or null, got 1'],
  ['a fraction for an integer', { type: 'integer' }, 1.5, '', 'expected integer, got 1.5'],
  ['a list for a string', { type: 'string' }, ['a'], '', 'expected string, got an array'],
  ['no choice', { enum: ['a', null] }, 'b', '', 'expected one of "a", null, got "b"'],
  ['a property too many', { additionalProperties: false }, { no: 1 }, '', "unknown property 'no'"],
  ['another property', { additionalProperties: { type: 'null' } }, { x: {} }, 'x', 'expected null, got an object'],
  ['an item', { items: { type: 'string' } }, ['a', 1], '1', 'expected string, got 1'],
  ['an item after the first', { prefixItems: [{}], items: { type: 'string' } }, [1, 2], '1', 'expected string, got 2'],
  ['an item by its position', { items: [{}, { type: 'string' }] }, [1, 2], '1', 'expected string, got 2'],
  ['what is forbidden', { properties: { 'a/b': false } }, { 'a/b': 1 }, 'a~1b', 'no value is allowed here'],
  [
    'what is referenced',
    { properties: { x: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'null' } } },
    { x: true },
    'x',
    'expected null, got true',
  ],
])('%s is a fault', (_, schema, value, place, is) => {
  expect(checkArguments(schema, value)).toEqual([{ place, fault: { is } }]);
});

test('a missing property is a fault of the object it belongs to', () => {
  const schema = { required: ['uid'], properties: { options: { required: ['a/b'] } } };
  expect(checkArguments(schema, { options: {} })).toEqual([
    { place: '', fault: { missing: 'uid' } },
    { place: 'options', fault: { missing: 'options/a~1b' } },
  ]);
});

test('long values and choices are shortened', () => {
  const schema = { enum: Array.from({ length: 60 }, (_, at) => `choice ${at}`) };
  const [found] = checkArguments(schema, 'x'.repeat(100_000));
  expect(JSON.stringify(found).length).toBeLessThan(550);
});

test.each([
  ['a type outside JSON Schema', { type: 'file' }, 1],
  ['null where OpenAPI allows it', { type: 'string', nullable: true }, null],
  [
    'a property that a pattern may match',
    { patternProperties: { '^(a+)+$': {} }, additionalProperties: false },
    { a: 1 },
  ],
  ['a choice that is an object', { enum: [{ a: 1 }] }, { a: 2 }],
  ['a reference that leads nowhere', { $ref: '#/$defs/none', type: 'string' }, 1],
  ['a circle of references', { properties: { x: { $ref: '#/properties/x' } } }, { x: 1 }],
  ['a schema with an address of its own', { properties: { x: { $id: 'https://x', type: 'string' } } }, { x: 1 }],
  ['own properties of objects', { required: ['__proto__'] }, JSON.parse('{"__proto__":1}')],
])('%s is not a fault', (_, schema, value) => {
  expect(checkArguments(schema, value)).toEqual([]);
});

test('nothing is a fault that a complete validator accepts, for any schema', () => {
  fc.assert(
    fc.property(
      messyTool,
      fc.dictionary(fc.constantFrom('path', 'mode', 'a-b', 'x'), fc.jsonValue()),
      expectNoFalseAlarm,
    ),
  );
});

test('nothing is a fault that a complete validator accepts, for real tools', () => {
  expect(tools.length).toBeGreaterThan(70);
  const value = fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom('a', 1, 1.5, true, null, [], {}),
    fc.jsonValue({ maxDepth: 2 }),
  );
  for (const tool of tools) {
    const names = [...Object.keys(tool.inputSchema.properties ?? {}), 'extra'];
    const args = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 });
    fc.assert(
      fc.property(args, (given) => expectNoFalseAlarm(tool, given)),
      { numRuns: 10 },
    );
  }
});

test('faults of types and required properties are found in real tools', () => {
  const required = tools.filter(
    ({ inputSchema }) => Array.isArray(inputSchema['required']) && inputSchema['required'].length > 0,
  );
  expect(required.length).toBeGreaterThan(50);
  for (const tool of required) expect(checkArguments(tool.inputSchema, {}).length, tool.name).toBeGreaterThan(0);
});

const doubled = Object.fromEntries(
  Array.from({ length: 30 }, (_, level) => [
    `l${level}`,
    { properties: { a: { $ref: `#/$defs/l${level + 1}` }, b: { $ref: `#/$defs/l${level + 1}` } } },
  ]),
);
const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1), b: nested(levels - 1) });

test.each([
  ['levels of doubled references', { $ref: '#/$defs/l0', $defs: doubled }, nested(12)],
  ['a pattern that backtracks', { properties: { x: { pattern: '^(a+)+$' } } }, { x: `${'a'.repeat(5_000)}!` }],
  [
    'a schema that is its own item',
    { items: { $ref: '#' }, type: 'object' },
    Array.from({ length: 100_000 }, () => [[]]),
  ],
  ['long choices for many items', { items: { enum: ['x'.repeat(60_000)] } }, Array.from({ length: 100_000 }, () => 1)],
  [
    'many choices for many items',
    { items: { enum: Array.from({ length: 9_000 }, () => 'y') } },
    Array.from({ length: 9_000 }, () => 'x'),
  ],
  [
    'many required properties',
    { items: { required: Array.from({ length: 9_000 }, (__, i) => `p${i}`) } },
    Array.from({ length: 9_000 }, () => ({})),
  ],
  ['a long reference', { items: { $ref: `#/${'a/'.repeat(30_000)}` } }, Array.from({ length: 100_000 }, () => 1)],
])('%s take no time', (_, schema, value) => {
  const elapsed = startStopwatch();
  checkArguments(schema, value);
  expect(elapsed()).toBeLessThan(100);
});
