import fc from 'fast-check';
import { expect, test } from 'vitest';
import { violations } from './violations.js';

const tool = {
  name: 'add',
  inputSchema: {
    type: 'object' as const,
    properties: {
      a: { type: 'number' },
      b: { type: 'number' },
      deep: { type: 'object', properties: { x: { enum: [1] } } },
    },
    required: ['a', 'b'],
    additionalProperties: false,
  },
};

test('valid arguments give no text', () => {
  expect(violations(tool, { a: 1, b: 2 })).toBeUndefined();
});

test('every violation is listed with its path', () => {
  const text = violations(tool, { a: 'x', deep: { x: 2 }, extra: 1 });
  expect(text).toMatch(/^The arguments do not match the input schema of tool 'add': /);
  expect(text).toContain('a: Instance type "string" is invalid. Expected "number"');
  expect(text).toContain('required property "b"');
  expect(text).toContain('deep/x: ');
  expect(text).toContain('extra');
});

test('the text stays short, and no schema or argument makes it throw', () => {
  const anything = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(anything, anything, (schema, args) => {
      const text = violations({ name: 'x', inputSchema: { ...schema, type: 'object' } }, args);
      expect((text ?? '').length).toBeLessThanOrEqual(1_500);
    }),
  );
});

test('a schema that refers to the network or to itself gives no text and does not hang', () => {
  const elsewhere = { type: 'object' as const, $ref: 'https://example.com/schema.json' };
  expect(violations({ name: 'x', inputSchema: elsewhere }, { a: 1 })).toBeUndefined();
  const endless = { type: 'object' as const, $ref: '#' };
  expect(violations({ name: 'x', inputSchema: endless }, { a: 1 })).toBeUndefined();
});
