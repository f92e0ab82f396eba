import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OpenToolboxInputSchema, UseToolInputSchema } from '../../contract/types.js';
import { plainOpen, plainUse } from './plain-input.js';

const name = fc.oneof({ weight: 5, arbitrary: fc.constantFrom('a', '__proto__') }, fc.constant(''), fc.jsonValue());
const tool = fc.record(
  { toolbox: name, server: name, name, more: name },
  { requiredKeys: ['toolbox', 'server', 'name'] },
);
const args = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue());
const plainTool = fc.record({ toolbox: fc.constant('a'), server: fc.constant('b'), name: fc.constantFrom('c', '') });
const plain = fc.record({ tool: plainTool, arguments: args }, { requiredKeys: ['tool'] });
const use = fc.oneof(
  plain,
  fc.record({ tool, arguments: args, more: name }, { requiredKeys: ['tool'] }),
  fc.jsonValue(),
);
const open = fc.oneof(fc.record({ toolbox: name, query: name }, { requiredKeys: ['toolbox'] }), fc.jsonValue());

test('input recognised as plain is valid and parses as with the schemas', () => {
  let recognised = 0;
  fc.assert(
    fc.property(use, open, (useInput, openInput) => {
      const [plainlyUse, plainlyOpen] = [plainUse(useInput), plainOpen(openInput)];
      if (plainlyUse !== undefined) expect(plainlyUse).toEqual(UseToolInputSchema.parse(useInput));
      if (plainlyOpen !== undefined) expect(plainlyOpen).toEqual(OpenToolboxInputSchema.parse(openInput));
      if (plainlyUse !== undefined) recognised++;
    }),
    { numRuns: 2_000 },
  );
  expect(recognised).toBeGreaterThan(100);
});
