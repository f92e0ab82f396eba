import { transform } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { flawedValues, soundValues, writeJson } from '../../../test/support/config-values.js';
import type { Findings } from '../read/notice.js';
import { readQuickly } from '../read/quick.js';
import { parseText } from '../read/syntax.js';
import { validate } from '../read/validate.js';
import { printShape } from './print-shape.js';
import { configFileShape } from './quick-shape.generated.js';
import { configFileSchema } from './schema.js';
import { ownCheck } from './schema-checks.js';
import type { Shape } from './shape.js';
import { shapeOf } from './shape-of-schema.js';

/** One key of each kind that the schema may have. */
const newKeys = {
  newFlag: z.optional(z.boolean()),
  newWord: z.optional(z.enum(['note', 'strict', 'off'])),
  newNumber: z.optional(z.number().check(z.multipleOf(1), z.gte(0), z.lte(2))),
  newText: z.optional(z.string().check(z.minLength(1), z.regex(/^\S*$/))),
  newList: z.optional(z.array(z.string()).check(z.minLength(1))),
  newLists: z.optional(z.array(z.array(z.boolean()))),
  newMap: z.optional(z.map(z.string(), z.number().check(z.multipleOf(1), z.gte(0), z.lte(9))).check(z.minSize(1))),
  newEither: z.optional(z.union([z.enum(['on', 'off']), z.object({ level: z.string() })])),
  newObject: z.optional(
    z.object({ clientId: z.string(), scopes: z.optional(z.array(z.string())), inner: z.optional(z.object({})) }),
  ),
};

/** The schema of the file with the new keys in every object of it. */
function withNewKeys() {
  const { toolboxes, defaults } = configFileSchema.def.shape;
  const { keyType: toolboxName, valueType: toolbox } = toolboxes.def;
  const { keyType: serverName, valueType: server } = toolbox.def.shape.mcpServers.def;
  const servers = z.map(serverName, z.safeExtend(server, newKeys)).check(z.minSize(1));
  return z.safeExtend(configFileSchema, {
    ...newKeys,
    toolboxes: z.map(toolboxName, z.safeExtend(toolbox, { ...newKeys, mcpServers: servers })),
    defaults: z.optional(z.safeExtend(defaults.def.innerType, newKeys)),
  });
}

const used = {
  newFlag: true,
  newWord: 'strict',
  newNumber: 2,
  newText: 'text',
  newList: ['a'],
  newLists: [[true], []],
  newMap: { a: 1 },
  newEither: { level: 'high' },
  newObject: { clientId: 'id', scopes: ['x'], inner: {} },
};
const file = {
  ...used,
  toolboxes: { dev: { ...used, description: 'd', mcpServers: { a: { ...used, command: 'x' } } } },
  defaults: { ...used, idleTimeoutMs: 0 },
};

const schema = withNewKeys();
const shape = shapeOf(schema);

/** What the schema gives; undefined for a file with a fault or a warning. */
function readBySchema(source: string): unknown {
  const { tree, faults } = parseText(source);
  const findings: Findings = { faults, warnings: [] };
  const value = tree && validate(schema, tree, findings);
  return faults.length + findings.warnings.length > 0 ? undefined : value;
}

describe('a key that is added to the schema alone', () => {
  test.each(Object.keys(newKeys))('stays on the quick path, and is read as by the schema: %s', (key) => {
    const source = JSON.stringify(file, (name, value: unknown) =>
      name in newKeys && name !== key ? undefined : value,
    );
    expect(readQuickly(source, configFileShape)).toBeUndefined();
    expect(readQuickly(source, shape)).toEqual(readBySchema(source));
    expect(readBySchema(source)).toHaveProperty(key);
  });

  test('stays there in any valid file, and is left to the schema where it has a flaw', () => {
    const read: boolean[] = [];
    fc.assert(
      fc.property(soundValues(schema).map(writeJson), flawedValues(schema).map(writeJson), (sound, flawed) => {
        const expected = readBySchema(sound);
        expect(expected).toBeDefined();
        expect(readQuickly(sound, shape)).toEqual(expected);
        const quick = readQuickly(flawed, shape);
        read.push(quick !== undefined);
        if (quick !== undefined) expect(quick).toEqual(readBySchema(flawed));
      }),
      { numRuns: 500, plugins: [fc.interruptAfterTimeLimit(10_000)] },
    );
    expect(new Set(read).size).toBe(2);
  });
});

test('the generated module holds the shape of the schema', async () => {
  expect(configFileShape).toEqual(shapeOf(configFileSchema));
  const { code } = await transform(printShape(shape), { loader: 'ts' });
  const module: { configFileShape: Shape } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  expect(module.configFileShape).toEqual(shape);
});

describe('what a shape cannot express is refused with its place:', () => {
  const range = z.number().check(z.multipleOf(1), z.gte(0), z.lte(9));
  test.each<[string, z.core.$ZodType]>([
    ['a union of anything but a string and an object', z.union([z.string(), z.array(z.string())])],
    ['a union of anything but a string and an object', z.union([z.object({}), z.string()])],
    ['a union of anything but a string and an object', z.union([z.string(), z.object({}), z.object({})])],
    ['the type nullable', z.nullable(z.string())],
    ['the type optional', z.optional(z.optional(z.string()))],
    ['the type prefault', z.prefault(z.string(), 'x')],
    ['the type record', z.record(z.string(), z.string())],
    ['the type literal', z.literal('x')],
    ['an enum of numbers', z.enum({ a: 1 })],
    ['a number without multipleOf(1), gte and lte', z.number()],
    ['a number without multipleOf(1), gte and lte', z.number().check(z.gte(0), z.lte(9))],
    ['number with two checks of least', range.check(z.gte(1))],
    ['number with the option', z.int()],
    ['string with the option', z.email()],
    ['the check greater_than', range.check(z.gt(0))],
    ['the check max_length', z.string().check(z.maxLength(9))],
    ['the check overwrite', z.string().check(z.trim())],
    ['the check string_format', z.string().check(z.regex(/a/i))],
    ['the check custom', z.string().check(z.refine(() => true))],
    ['the check custom', z.string().check(() => {})],
    [
      'a predicate that is not in checks.ts',
      z.string().check(
        ownCheck(
          () => true,
          () => [],
        ),
      ),
    ],
    ['a map whose keys are not strings', z.map(z.boolean(), z.string())],
    ['object with the option catchall', z.strictObject({})],
    ['string with the option error', z.string({ error: 'no' })],
  ])('%s', (what, value) => {
    const refused = expect.objectContaining({ message: expect.stringContaining(`config.a.*[].b: `) });
    const nested = z.object({ a: z.map(z.string(), z.array(z.object({ b: value }))) });
    expect(() => shapeOf(nested)).toThrow(refused);
    expect(() => shapeOf(nested)).toThrow(what);
  });
});
