import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/launch.js';
import { messyTool } from '../../../../../test/support/messy-schemas.js';
import { messageOf } from '../../../../contract/errors.js';
import type { JsonObject } from '../../../../jsonrpc/json.js';
import { checkArguments } from '../../../../workbench/calls/check-arguments.js';
import { argumentSources } from './argument-sources.js';
import { readArguments } from './read-arguments.js';
import { argumentsFor } from './typed-arguments.js';

const properties = {
  pin: { type: 'string' },
  count: { type: 'number' },
  page: { type: 'integer' },
  deep: { type: 'boolean' },
  tags: { type: 'array', items: { type: 'string' } },
  numbers: { $ref: '#/$defs/numbers' },
  filter: { type: 'object' },
  either: { type: ['number', 'string'] },
  maybe: { type: ['number', 'null'] },
  mode: { enum: ['fast', 'slow'] },
  level: { enum: [1, 2] },
  choice: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
  list: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'integer' } }] },
  open: {},
};
const $defs = { numbers: { type: 'array', items: { type: 'number' } } };
const tool = { name: 'any', inputSchema: { type: 'object' as const, properties, $defs } };

async function typed(words: readonly string[], base?: string, stdin = '', of = tool): Promise<unknown> {
  const sources = argumentSources(
    '/nonexistent',
    (async function* read() {
      yield stdin;
    })(),
  );
  try {
    return argumentsFor(of, await readArguments(words, base, sources));
  } catch (error) {
    return messageOf(error);
  }
}

test.each<[string, unknown]>([
  ['pin=000123', { pin: '000123' }],
  ['pin=', { pin: '' }],
  ['pin=a=b', { pin: 'a=b' }],
  ['pin="x"', { pin: '"x"' }],
  ['count=1e3', { count: 1000 }],
  ['count=-0.5', { count: -0.5 }],
  ['page=7', { page: 7 }],
  ['deep=true', { deep: true }],
  ['tags=["a","b"]', { tags: ['a', 'b'] }],
  ['numbers=[1]', { numbers: [1] }],
  ['filter={"a":{"b":1}}', { filter: { a: { b: 1 } } }],
  ['either=1', { either: '1' }],
  ['maybe=null', { maybe: null }],
  ['maybe=2', { maybe: 2 }],
  ['mode=fast', { mode: 'fast' }],
  ['level=2', { level: 2 }],
  ['choice=true', { choice: true }],
  ['list=1', { list: '1' }],
  ['open=1', { open: '1' }],
  ['unknown=1', { unknown: '1' }],
  ['a.b=1', { 'a.b': '1' }],
  ['a:b=1', { 'a:b': '1' }],
  ['unknown:=[1,{"a":null}]', { unknown: [1, { a: null }] }],
  ['either:=1', { either: 1 }],
  ['pin:="@x"', { pin: '@x' }],
])('%s is sent as %j', async (word, args) => {
  expect(await typed([word])).toEqual(args);
});

test.each([
  ['count=one', 'count: expected number, got "one".'],
  ['count=', 'count: expected number, got "".'],
  ['count=007', 'count: expected number, got "007".'],
  ['count=0x10', 'count: expected number, got "0x10".'],
  ['count=NaN', 'count: expected number, got "NaN".'],
  ['page=1.5', 'page: expected integer, got "1.5".'],
  ['page=12345678901234567890', 'page: 12345678901234567890 is too large to be sent exactly.'],
  ['unknown:=12345678901234567890', 'unknown: 12345678901234567890 is too large to be sent exactly.'],
  ['deep=yes', 'deep: expected boolean, got "yes".'],
  ['tags=a', 'tags: expected array, got "a".'],
  ['tags=[1]', 'tags/0: expected string, got 1.'],
  ['filter=[]', 'filter: expected object, got "[]".'],
  ['mode=other', 'mode: expected one of "fast", "slow", got "other".'],
  ['choice=x', 'choice: expected integer or boolean, got "x".'],
  ['pin:=x', 'pin: the text after := is not valid JSON.'],
  ['pin:=1', 'pin: expected string, got 1.'],
  ['pin', "Expected key=value or key:=JSON, got 'pin'."],
  ['=x', "Expected key=value or key:=JSON, got '=x'."],
  [':=1', "Expected key=value or key:=JSON, got ':=1'."],
  ['pin=@missing', 'Cannot read missing: it does not exist.'],
])('%s is refused', async (word, message) => {
  expect(await typed([word])).toBe(message);
});

test('a key given twice is an array where the schema has one', async () => {
  expect(await typed(['tags=a', 'tags=b', 'numbers=1', 'numbers=2', 'list=1', 'list=2'])).toEqual({
    ...{ tags: ['a', 'b'], numbers: [1, 2], list: [1, 2] },
  });
  expect(await typed(['pin=a', 'pin=b'])).toBe('pin is given 2 times, and it is no array.');
  expect(await typed(['unknown=a', 'unknown=b'])).toBe('unknown is given 2 times, and it is no array.');
});

test('--args is the base, and key=value goes on top', async () => {
  expect(await typed(['page=2'], '{"page":1,"pin":"x"}')).toEqual({ page: 2, pin: 'x' });
  expect(await typed([], '-', '{"pin":"x"}')).toEqual({ pin: 'x' });
  expect(await typed(['pin=@-'], undefined, 'line\n')).toEqual({ pin: 'line\n' });
  expect(await typed(['page=@-'], undefined, '7\n')).toEqual({ page: 7 });
  expect(await typed(['pin=@-'], '-', '{}')).toBe('stdin can be read only once.');
  for (const base of ['[]', '1', 'null', '{', ''])
    expect(await typed([], base)).toBe('--args: expected a JSON object.');
});

test('files are read as text, or as JSON', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'text'), 'ü\n');
  writeFileSync(join(directory, 'json'), '{"a": [1]}\n');
  mkdirSync(join(directory, 'directory'));
  const at = (name: string) => join(directory, name);
  expect(await typed([`pin=@${at('text')}`, `filter:=@${at('json')}`, `open=@${at('json')}`])).toEqual({
    ...{ pin: 'ü\n', filter: { a: [1] }, open: '{"a": [1]}\n' },
  });
  expect(await typed([`filter=@${at('json')}`], `@${at('json')}`)).toEqual({ a: [1], filter: { a: [1] } });
  expect(await typed([`pin=@${at('directory')}`])).toBe(`Cannot read ${at('directory')}: it is a directory.`);
});

test('__proto__ is an ordinary name', async () => {
  const args = await typed(['__proto__=x', 'constructor=y'], '{"__proto__":{"z":1}}');
  expect(Object.entries(args as object)).toEqual([
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ]);
});

test('what is missing is said, whatever else is wrong', async () => {
  const needy = { ...tool, inputSchema: { ...tool.inputSchema, required: ['pin', 'page'] } };
  expect(await typed(['count=1'], undefined, '', needy)).toBe('missing: pin, page.');
});

const word = fc
  .tuple(
    fc.oneof(fc.constantFrom('path', 'mode', '__proto__', 'a-b'), fc.string({ maxLength: 6 })),
    fc.constantFrom('=', ':='),
    fc.oneof(fc.constantFrom('1', '-1.5', 'true', 'null', '[]', '{}', '["a"]', 'text', '""', '1e999'), fc.string()),
  )
  .filter(([, , value]) => !value.startsWith('@'))
  .map((parts) => parts.join(''));

test('whatever the schema and the words are, what would be sent is valid or refused', async () => {
  await fc.assert(
    fc.asyncProperty(messyTool, fc.array(word, { maxLength: 4 }), async (messy, words) => {
      const sources = { file: async () => '', stdin: async () => '' };
      let args: JsonObject;
      try {
        args = argumentsFor(messy, await readArguments(words, undefined, sources));
      } catch (error) {
        expect(error).toMatchObject({ name: 'WrongArguments' });
        return;
      }
      expect(checkArguments(messy.inputSchema, args)).toEqual([]);
      // A string is sent as typed, and nothing is left out.
      expect(new Set(Object.keys(args))).toEqual(new Set(words.map((one) => one.replace(/:?=.*$/s, ''))));
    }),
  );
});

// A whole number over 2^53 is refused, because it may have lost digits.
const exactNumber = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .filter((value) => !Number.isInteger(value) || Number.isSafeInteger(value));

const scalar = fc.oneof(
  fc.record({ type: fc.constant('string'), value: fc.string().filter((text) => !text.startsWith('@')) }),
  fc.record({ type: fc.constant('integer'), value: fc.maxSafeInteger() }),
  fc.record({ type: fc.constant('number'), value: exactNumber }),
  fc.record({ type: fc.constant('boolean'), value: fc.boolean() }),
  fc.record({ type: fc.constant('array'), value: fc.array(fc.jsonValue()) }),
);

test('a value of the type in the schema arrives as it is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(scalar, { maxLength: 5 }), async (values) => {
      const schema = {
        type: 'object' as const,
        properties: Object.fromEntries(values.map(({ type }, at) => [`k${at}`, { type }])),
      };
      const words = values.map(
        ({ value }, at) => `k${at}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
      );
      const args = await typed(words, undefined, '', { name: 'any', inputSchema: schema } as unknown as typeof tool);
      // JSON has no -0.
      expect(args).toEqual(
        JSON.parse(JSON.stringify(Object.fromEntries(values.map(({ value }, at) => [`k${at}`, value])))),
      );
    }),
  );
});
