import fc from 'fast-check';
import type { Tool } from '../../src/contract/types.js';

const definitionNames = ['Node', 'Leaf', 'A/B', '__proto__', 'ü 1'];
const pointer = (name: string) => `#/$defs/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`;

const anyName = fc.oneof(
  fc.constantFrom('path', 'mode', 'a-b', '', '__proto__', 'constructor', '$defs', '$ref', '🚀'),
  fc.string({ maxLength: 8 }),
);
const reference = fc.constantFrom(
  ...definitionNames.map(pointer),
  '#',
  '#/definitions/Old',
  '#/properties/path',
  '#/$defs/missing',
  '#anchor',
  'https://example.com/schema.json',
  '#/%',
  '',
);
// A fixed set: arbitrary JSON everywhere takes minutes and finds nothing more.
const value = fc.constantFrom<unknown>(
  null,
  true,
  0,
  -1.5e300,
  '',
  'text',
  'say "hi" | \\ & \n',
  'long '.repeat(40),
  [],
  {},
  [1, [2, [3, [4]]]],
  {
    a: { b: { c: {} } },
    '|': '&',
  },
);
const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object', 'file');

/** Schemas of all kinds: nested, recursive, contradictory, incomplete, invalid. */
const schema = fc.letrec<{ any: unknown; list: unknown[]; map: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(true, false, null, 7, 'text', {}, []),
    fc.record({ $ref: reference, default: value }, { requiredKeys: ['$ref'] }),
    fc.record(
      {
        type: fc.oneof(type, fc.array(type, { maxLength: 4 }), value),
        format: fc.constantFrom('uri', 'date-time', 'any text at all, really', 7),
        enum: fc.array(value, { maxLength: 8 }),
        const: value,
        default: value,
        nullable: fc.boolean(),
        properties: fc.oneof(tie('map'), value),
        required: fc.oneof(fc.array(anyName, { maxLength: 4 }), fc.boolean()),
        additionalProperties: tie('any'),
        items: fc.oneof(tie('any'), tie('list')),
        prefixItems: tie('list'),
        anyOf: tie('list'),
        oneOf: tie('list'),
        allOf: tie('list'),
        not: tie('any'),
        description: value,
      },
      { requiredKeys: [] },
    ),
  ),
  list: fc.array(tie('any'), { maxLength: 4 }),
  map: fc.dictionary(anyName, tie('any'), { maxKeys: 5 }),
})).any;

const definitions = fc
  .array(fc.tuple(fc.constantFrom(...definitionNames, 'unused'), schema), { maxLength: 5 })
  .map((entries) => Object.fromEntries(entries));

/** An input schema that is at least an object, with definitions that may refer to each other. */
export const messyInput: fc.Arbitrary<Tool['inputSchema']> = fc
  .tuple(schema, fc.option(definitions, { nil: undefined }), fc.option(definitions, { nil: undefined }))
  .map(([root, $defs, old]) => ({
    ...(typeof root === 'object' && root !== null && !Array.isArray(root) ? root : {}),
    type: 'object' as const,
    ...($defs && { $defs }),
    ...(old && { definitions: old }),
  }));

export const messyTool: fc.Arbitrary<Tool> = fc.record(
  {
    name: fc.oneof(anyName, fc.string({ maxLength: 200 })),
    description: fc.oneof(fc.constant('Reads a file, e.g. a note. Then closes it.'), fc.string({ maxLength: 100 })),
    inputSchema: messyInput,
    outputSchema: messyInput,
  },
  { requiredKeys: ['name', 'inputSchema'] },
);
