import type { Tool as SdkTool } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { OpenToolboxInputSchema, type Schema, type Tool, ToolIdentifierSchema, UseToolInputSchema } from './types.js';

function faults(schema: Schema<unknown>, value: unknown): string[] {
  const parsed = schema.safeParse(value);
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const tool = { toolbox: 'dev', server: 'fs', name: 'read' };

describe('the schemas of the meta-tools', () => {
  test('accept a complete call', () => {
    expect(UseToolInputSchema.parse({ tool, arguments: { path: '/' } })).toEqual({ tool, arguments: { path: '/' } });
    expect(OpenToolboxInputSchema.parse({ toolbox: 'dev' })).toEqual({ toolbox: 'dev' });
  });

  test.each([
    ['absent', undefined],
    ['null', null],
    ['an empty JSON object in a string', ' {} '],
  ])('accept arguments that are %s as no arguments', (_, value) => {
    expect(UseToolInputSchema.parse({ tool, arguments: value }).arguments).toEqual({});
    expect(UseToolInputSchema.parse({ tool }).arguments).toEqual({});
  });

  test('accept a JSON string of an object as that object', () => {
    expect(UseToolInputSchema.parse({ tool, arguments: '{"a":[1]}' }).arguments).toEqual({ a: [1] });
  });

  test('keep a key named __proto__ inside arguments', () => {
    const input: unknown = JSON.parse(
      '{"tool":{"toolbox":"a","server":"b","name":"c"},"arguments":{"__proto__":{"x":1}}}',
    );
    expect(JSON.stringify(UseToolInputSchema.parse(input).arguments)).toBe('{"__proto__":{"x":1}}');
  });

  test.each([
    [[1], 'arguments: Expected object, received array'],
    ['[1]', 'arguments: Expected object, received string'],
    ['text', 'arguments: Expected object, received string'],
    [7, 'arguments: Expected object, received number'],
  ])('refuse %j as arguments', (value, fault) => {
    expect(faults(UseToolInputSchema, { tool, arguments: value })).toEqual([fault]);
  });

  test('report every fault in the wording of the contract', () => {
    expect(faults(UseToolInputSchema, { tool: { toolbox: '', server: 1, extra: true }, other: 1 })).toEqual([
      'tool.toolbox: Toolbox name cannot be empty',
      'tool.server: Expected string, received number',
      'tool.name: Required',
      "tool: Unrecognized key(s) in object: 'extra'",
      ": Unrecognized key(s) in object: 'other'",
    ]);
    expect(faults(UseToolInputSchema, { tool: 'dev' })).toEqual(['tool: Expected object, received string']);
    expect(faults(UseToolInputSchema, { tool: null })).toEqual(['tool: Expected object, received null']);
    expect(faults(UseToolInputSchema, {})).toEqual(['tool: Required']);
    expect(faults(OpenToolboxInputSchema, { toolbox: '' })).toEqual(['toolbox: Toolbox name cannot be empty']);
    expect(faults(OpenToolboxInputSchema, [])).toEqual([': Expected object, received array']);
    expect(faults(ToolIdentifierSchema, { ...tool, name: ['x'] })).toEqual(['name: Expected string, received array']);
  });

  test('accept any non-empty names unchanged', () => {
    const anyName = fc.string({ minLength: 1, unit: 'binary' });
    fc.assert(
      fc.property(anyName, anyName, anyName, (toolbox, server, name) => {
        expect(ToolIdentifierSchema.parse({ toolbox, server, name })).toEqual({ toolbox, server, name });
      }),
    );
  });

  test("agree with the protocol's definition of a tool", () => {
    expectTypeOf<SdkTool>().toExtend<Tool>();
  });
});
