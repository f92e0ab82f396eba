import { Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messyInput } from '../../../test/support/messy-schemas.js';
import { pruneSchema, pruneTool } from './prune-schema.js';

const text = { type: 'string' };

describe('pruning a schema', () => {
  test('drops unreferenced definitions and nothing else', () => {
    const schema = {
      type: 'object',
      $defs: { Used: { $ref: '#/$defs/Deeper' }, Unused: { $ref: '#/$defs/Used' }, Deeper: text },
      properties: { a: { $ref: '#/$defs/Used' }, definitions: { properties: { $defs: text } } },
      definitions: { Old: text },
    };
    expect(pruneSchema(schema)).toEqual({
      type: 'object',
      $defs: { Used: { $ref: '#/$defs/Deeper' }, Deeper: text },
      properties: { a: { $ref: '#/$defs/Used' }, definitions: { properties: { $defs: text } } },
    });
    expect(Object.keys(pruneSchema(schema))).toEqual(['type', '$defs', 'properties']);
  });

  test('drops definitions that only refer to each other', () => {
    const schema = { $defs: { A: { $ref: '#/$defs/B' }, B: { $ref: '#/$defs/A' } }, type: 'object' };
    expect(pruneSchema(schema)).toEqual({ type: 'object' });
  });

  test.each([
    ['with slashes', '#/$defs/a~1b', 'a/b'],
    ['with percent signs', '#/$defs/List%5Bint%5D', 'List[int]'],
    ['by a path inside it', '#/$defs/A/properties/x', 'A'],
    ['from the root itself', '#/$defs/A', 'A'],
  ])('keeps a definition that is referred to %s', (_, $ref, name) => {
    const schema = { $ref, $defs: { [name]: { properties: { x: text } }, other: text } };
    expect(pruneSchema(schema)).toEqual({ $ref, $defs: { [name]: { properties: { x: text } } } });
  });

  test.each([
    ['an anchor', { $ref: '#anchor' }],
    ['a URL', { $ref: 'https://example.com/a.json' }],
    ['a dynamic reference', { $dynamicRef: '#node' }],
    ['a reference to all of them', { $ref: '#/$defs' }],
    ['a malformed reference', { $ref: '#/%' }],
  ])('keeps everything if there is %s', (_, reference) => {
    const schema = { $defs: { A: text, B: text }, properties: { x: reference } };
    expect(pruneSchema(schema)).toBe(schema);
  });

  test('does not change a keyword that is not a container of definitions', () => {
    for (const schema of [{}, { $defs: true }, { definitions: [text] }, { properties: { $defs: { A: text } } }]) {
      expect(pruneSchema(schema)).toBe(schema);
    }
  });

  test('handles schemas nested deeper than the stack', () => {
    let nested: unknown = { $ref: '#/$defs/A' };
    for (let i = 0; i < 100_000; i++) nested = { items: nested };
    expect(Object.keys(pruneSchema({ $defs: { A: text, B: text }, items: nested }).$defs)).toEqual(['A']);
  });

  test('never changes which values are valid or the order of keys, and leaves nothing to prune', () => {
    fc.assert(
      fc.property(messyInput, fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 3 }), (schema, values) => {
        const pruned = pruneSchema(schema);
        const { $defs: _, definitions: __, ...rest } = schema;
        expect(pruned).toMatchObject(rest);
        expect(Object.keys(schema).filter((key) => key in pruned)).toEqual(Object.keys(pruned));
        expect(pruneSchema(pruned)).toEqual(pruned);
        for (const value of values) expect(isValid(pruned, value)).toBe(isValid(schema, value));
      }),
      { numRuns: 200 },
    );
  });
});

test('pruning a tool covers its input and output schemas', () => {
  const schema = { type: 'object' as const, $defs: { A: text } };
  const tool = { name: 't', title: 'T', inputSchema: schema, outputSchema: schema };
  expect(pruneTool(tool)).toEqual({
    name: 't',
    title: 'T',
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object' },
  });
  expect(tool.inputSchema).toBe(schema);
});

/** Messy schemas can make the validator throw; then both versions must. */
function isValid(schema: object, value: unknown): boolean | string {
  try {
    return new Validator(schema, '2020-12').validate(value).valid;
  } catch (error) {
    return error instanceof Error ? error.name : 'thrown';
  }
}
