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

test('every violation is listed with its path, in words', () => {
  expect(violations(tool, { a: 'x', deep: { x: 2 }, extra: 1 })).toMatch(
    /^The arguments do not match the input schema of tool 'add': missing: b; a: expected number, got "x"; deep\/x: expected one of 1, got 2; unknown property 'extra'\. Signature: /,
  );
});

test('missing properties are listed together, and only some of very many', () => {
  const required = Array.from({ length: 14 }, (_, at) => `p${at}`);
  const inputSchema = { type: 'object' as const, required, properties: { p13: { type: 'object', required: ['uid'] } } };
  expect(violations({ name: 'x', inputSchema }, { p0: 1, p13: {} })).toContain(
    'missing: p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, and more. Signature',
  );
  expect(violations({ name: 'x', inputSchema: { ...inputSchema, required: ['pageId'] } }, { p13: {} })).toContain(
    'missing: pageId, p13/uid. Signature',
  );
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
