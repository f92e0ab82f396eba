import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messyTool } from '../../../test/support/messy-schemas.js';
import { realTool } from '../../../test/support/real-tools.js';
import { startStopwatch } from '../../../test/support/stopwatch.js';
import type { Tool } from '../../contract/types.js';
import { argumentsOf, commentedArgumentsOf, signatureOf } from './signature.js';

function toolWith(inputSchema: unknown, name = 't'): Tool {
  return { name, inputSchema: inputSchema as Tool['inputSchema'] };
}

/** The signature of a tool with one required parameter `x` of this schema. */
function typeOf(schema: unknown, root: object = {}): string {
  const text = argumentsOf(toolWith({ type: 'object', properties: { x: schema }, required: ['x'], ...root }));
  expect(text).toMatch(/^\(x: .*\)$/s);
  return text.slice('(x: '.length, -1);
}

describe('the signature of a tool', () => {
  test('reads like a function, with optional parameters, defaults and choices', () => {
    const inputSchema = {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Where' },
        head: { type: 'number', default: 10 },
        mode: { type: 'string', enum: ['text', 'binary'] },
      },
      required: ['path'],
    };
    expect(signatureOf(toolWith(inputSchema, 'read_file'))).toBe(
      'read_file(path: string, head?: number = 10, mode?: "text"|"binary")',
    );
  });

  test.each([
    [
      'filesystem',
      'edit_file',
      '(path: string, edits: {oldText: string, newText: string}[], dryRun?: boolean = false)',
    ],
    ['filesystem', 'directory_tree', '(path: string, excludePatterns?: string[] = [])'],
    ['filesystem', 'list_allowed_directories', '()'],
    ['memory', 'create_entities', '(entities: {name: string, entityType: string, observations: string[]}[])'],
    ['everything', 'get-structured-content', '(location: "New York"|"Chicago"|"Los Angeles")'],
    ['everything', 'get-resource-reference', '(resourceType?: "Text"|"Blob" = "Text", resourceId?: number = 1)'],
  ] as const)('of a real server: %s %s', (server, name, expected) => {
    expect(argumentsOf(realTool(server, name))).toBe(expected);
  });

  test.each([
    ['nothing at all', {}, 'any'],
    ['anything', true, 'any'],
    ['nothing possible', false, 'never'],
    ['not a schema', 7, 'any'],
    ['a format', { type: 'string', format: 'date-time' }, 'string<date-time>'],
    ['a format that is an essay', { type: 'string', format: 'as the user likes it, but short' }, 'string'],
    ['several types', { type: ['string', 'null'] }, 'string|null'],
    ['nullable', { type: 'integer', nullable: true }, 'integer|null'],
    ['a constant', { const: 'a' }, '"a"'],
    ['choices of any kind', { enum: ['a', 1, null, true] }, '"a"|1|null|true'],
    ['a type that is not JSON Schema', { type: 'file' }, 'file'],
    ['alternatives', { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }, 'string|string[]'],
    ['an array of alternatives', { type: 'array', items: { oneOf: [{ const: 1 }, { const: 2 }] } }, '(1|2)[]'],
    ['an array of a union within an object', arrayOf({ a: { type: ['string', 'null'] } }), '{a?: string|null}[]'],
    ['a string that looks like a union', { type: 'array', items: { const: 'a|b' } }, '"a|b"[]'],
    ['an array of anything', { type: 'array' }, 'any[]'],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }, '[string, number]'],
    ['a tuple of older drafts', { items: [{ type: 'string' }, true] }, '[string, any]'],
    ['an object without members', { type: 'object' }, 'object'],
    ['no type but properties', { properties: { a: { type: 'string' } } }, '{a?: string}'],
    ['keys of any name', { type: 'object', additionalProperties: { type: 'number' } }, '{[key]: number}'],
    ['keys that are not identifiers', { properties: { 'a-b': {}, __proto__x: {} } }, '{"a-b"?: any, __proto__x?: any}'],
    [
      'parts of one object',
      { allOf: [{ properties: { a: {} } }, { required: ['a'], properties: { b: {} } }] },
      '{a?: any, b?: any}',
    ],
    ['a member required by an enclosing schema', { required: ['a'], allOf: [{ properties: { a: {} } }] }, '{a: any}'],
    ['alternatives that only require', { properties: { a: {} }, anyOf: [{ required: ['a'] }, {}] }, '{a?: any}'],
    [
      'an object and its variants',
      { properties: { a: {} }, oneOf: [{ properties: { b: {} } }, { properties: { c: {} } }] },
      '{a?: any} & ({b?: any}|{c?: any})',
    ],
  ])('shows %s', (_, schema, expected) => {
    expect(typeOf(schema)).toBe(expected);
  });

  test('follows references by any pointer and uses the default of the target', () => {
    const root = { $defs: { 'A/B': { type: 'string', default: 'd' } }, definitions: { Old: { enum: [1] } } };
    expect(typeOf({ $ref: '#/$defs/A~1B' }, root)).toBe('string = "d"');
    expect(typeOf({ $ref: '#/definitions/Old' }, root)).toBe('1');
    expect(typeOf({ allOf: [{ $ref: '#/$defs/A~1B' }], default: 'e' }, root)).toBe('string = "e"');
  });

  test.each([
    ['#/$defs/missing', 'missing'],
    ['https://example.com/Thing', 'Thing'],
    ['#/%', '%'],
    ['#', '…'],
  ])('shows the reference %s, broken or circular, by its name', ($ref, expected) => {
    expect(typeOf({ $ref })).toBe(expected);
  });

  test('ends a recursive definition with its name', () => {
    const Node = {
      type: 'object',
      properties: { value: {}, children: { type: 'array', items: { $ref: '#/$defs/Node' } } },
    };
    expect(typeOf({ $ref: '#/$defs/Node' }, { $defs: { Node } })).toBe('{value?: any, children?: Node[]}');
  });

  test('shows alternatives for a tool that accepts one of several objects', () => {
    const inputSchema = {
      type: 'object',
      oneOf: [{ properties: { id: { type: 'string' } }, required: ['id'] }, { properties: { all: { const: true } } }],
    };
    expect(signatureOf(toolWith(inputSchema))).toBe('t({id: string}|{all?: true})');
  });

  test('drops the deepest members first when it has to be short, then types, then optional parameters', () => {
    const deep = { properties: { b: { properties: { c: { type: 'string', enum: ['one', 'two'] } } } } };
    const tool = toolWith({ properties: { optional: deep, needed: deep }, required: ['needed'] });
    const [all = '', less = '', names = '', few = ''] = [200, 60, 25, 12].map((most) => argumentsOf(tool, most));
    expect(all).toBe('(optional?: {b?: {c?: "one"|"two"}}, needed: {b?: {c?: "one"|"two"}})');
    expect(less).toBe('(optional?: {b?: {…}}, needed: {b?: {…}})');
    expect(names).toBe('(needed, optional?)');
    expect(few).toBe('(needed, …)');
  });

  test('keeps the first of very many choices', () => {
    const choices = Array.from({ length: 5_000 }, (_, index) => `choice-${index}`);
    const text = argumentsOf(toolWith({ properties: { x: { enum: choices } } }), 200);
    expect(text).toContain('"choice-0"|"choice-1"');
    expect(text).toMatch(/\|…\)$/);
  });

  test('stays short and fast for schemas that expand or nest without end or are huge', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [
        `D${i}`,
        { properties: { l: { $ref: `#/$defs/D${i + 1}` }, r: { $ref: `#/$defs/D${i + 1}` } } },
      ]),
    );
    let nested: unknown = {};
    for (let i = 0; i < 50_000; i++) nested = i % 2 === 0 ? { allOf: [nested] } : { properties: { a: nested } };
    const properties = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, i) => [`parameter_${i}`, { type: 'string' }]),
    );
    const elapsed = startStopwatch();
    for (const schema of [{ $defs, $ref: '#/$defs/D0' }, nested, { properties }, { properties: { x: nested } }]) {
      expect(signatureOf(toolWith(schema)).length).toBeLessThanOrEqual(800);
      expect(commentedArgumentsOf(toolWith(schema), 100, { each: 60, all: 100 })?.length ?? 0).toBeLessThanOrEqual(100);
    }
    expect(elapsed()).toBeLessThan(2_000);
  });

  test('never throws, never exceeds its limit and is deterministic, whatever the schema', () => {
    fc.assert(
      fc.property(messyTool, fc.nat({ max: 400 }), (tool, most) => {
        for (const make of [signatureOf, argumentsOf]) {
          const text = make(tool, most);
          expect(text.length).toBeLessThanOrEqual(most);
          expect(make(structuredClone(tool), most)).toBe(text);
        }
        expect(signatureOf(tool, 5_000).startsWith(`${tool.name}(`)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the signature with descriptions of parameters', () => {
  const commented = (properties: object, chars = 60, more: object = {}) =>
    commentedArgumentsOf(toolWith({ type: 'object', properties, ...more }), 1_000, { each: chars, all: 1_000 });

  test('has them as comments after each parameter', () => {
    const size = { type: 'number', default: 1, description: ' in\n bytes ' };
    expect(commented({ path: { type: 'string', description: 'Of a file' }, size, other: { description: ' ' } })).toBe(
      '(path?: string /* Of a file */, size?: number = 1 /* in bytes */, other?: any)',
    );
    const x = { $ref: '#/$defs/X' };
    expect(commented({ x }, 60, { $defs: { X: { type: 'string', description: 'A *name*/' } } })).toBe(
      '(x?: string /* A *name* / */)',
    );
  });

  test('cuts each description, and is undefined if it is too long', () => {
    const description = 'one two three four five six';
    expect(commented({ a: { description } }, 15)).toBe('(a?: any /* one two three… */)');
    expect(
      commentedArgumentsOf(toolWith({ properties: { a: { description } } }), 20, { each: 60, all: 60 }),
    ).toBeUndefined();
  });

  test('ends with the last comment that fits in what all comments may have', () => {
    const properties = { a: { description: 'first' }, b: { description: 'second' }, c: { description: 'x' } };
    expect(commentedArgumentsOf(toolWith({ properties }), 1_000, { each: 60, all: 20 })).toBe(
      '(a?: any /* first */, b?: any, c?: any)',
    );
  });

  test('is not confused by operators, quotes and brackets in a description', () => {
    const a = { type: 'string', description: 'either "x | {y & z' };
    const either = { anyOf: [{ type: 'object', properties: { a } }, { type: 'null' }] };
    expect(commented({ list: { type: 'array', items: { type: 'object', properties: { a } } } })).toBe(
      '(list?: {a?: string /* either "x | {y & z */}[])',
    );
    expect(commented({ list: { type: 'array', items: either } })).toBe(
      '(list?: ({a?: string /* either "x | {y & z */}|null)[])',
    );
  });

  test('is within its limit, whatever the schema', () => {
    fc.assert(
      fc.property(messyTool, fc.nat({ max: 400 }), fc.nat({ max: 200 }), (tool, most, chars) => {
        expect(commentedArgumentsOf(tool, most, { each: chars, all: most })?.length ?? 0).toBeLessThanOrEqual(most);
      }),
      { numRuns: 100 },
    );
  });
});

function arrayOf(properties: object): object {
  return { type: 'array', items: { type: 'object', properties } };
}
