import { expect, test } from 'vitest';
import { type Schema, UseToolInputSchema } from './types.js';

const tool = { toolbox: 'dev', server: 'fs', name: 'read' };

function faults(schema: Schema<unknown>, value: unknown): string[] {
  const parsed = schema.safeParse(value);
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

test.each([undefined, null, {}, '{}', ' { } '])('result %j of use_tool is as if absent', (result) => {
  expect(UseToolInputSchema.parse({ tool, result })).toEqual({ tool, arguments: {} });
});

test('result of use_tool may be the text of an object', () => {
  expect(UseToolInputSchema.parse({ tool, result: '{"select":"a","max":100}' }).result).toEqual({
    select: 'a',
    max: 100,
  });
});

test.each<readonly [unknown, string]>([
  ['text', 'result: Expected object, received string'],
  ['[1]', 'result: Expected object, received string'],
  [[1], 'result: Expected object, received array'],
  [7, 'result: Expected object, received number'],
  [{ selct: 'a' }, "result: Unrecognized key(s) in object: 'selct'"],
  [{ select: 'a', find: 'b' }, 'result: select and find exclude each other'],
  [{ select: 7 }, 'result.select: Expected string, received number'],
  [{ find: '' }, 'result.find: Text cannot be empty'],
  [{ of: null }, 'result.of: Expected string, received null'],
  ...[0, -1, 1.5, '10', 99, null].map((max) => [{ max }, 'result.max: Expected a whole number from 100 on'] as const),
  ...[-1, 0.5, '0'].map((from) => [{ from }, 'result.from: Expected a whole number from 0 on'] as const),
])('result %j of use_tool is refused', (result, fault) => {
  expect(faults(UseToolInputSchema, { tool, result })).toEqual([fault]);
});

test('all faults of result are reported, and nothing of a prototype is a key', () => {
  const result = JSON.parse('{"toString":1,"__proto__":2,"max":1,"from":-1}');
  expect(faults(UseToolInputSchema, { tool, result })).toEqual([
    "result: Unrecognized key(s) in object: 'toString', '__proto__'",
    'result.from: Expected a whole number from 0 on',
    'result.max: Expected a whole number from 100 on',
  ]);
});

test('a kept result is named without arguments, but empty ones do no harm', () => {
  const result = { of: 'r7' };
  expect(faults(UseToolInputSchema, { tool, arguments: { a: 1 }, result })).toEqual([
    'arguments: not with result.of, which calls nothing',
  ]);
  expect(UseToolInputSchema.parse({ tool, arguments: {}, result })).toEqual({ tool, arguments: {}, result });
});
