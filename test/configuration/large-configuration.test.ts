// @module-tag hostile
// @module-tag slow
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/read/parse.js';
import { quickFile } from '../../src/config/read/quick.js';
import { parseEnvFile } from '../../src/config/values/env-file.js';

// A file must not hold up the start by its content: four times the size takes four times the time, not sixteen.

const repeat = (count: number, item: (index: number) => string, separator = ',') =>
  Array.from({ length: count }, (_, index) => item(index)).join(separator);
const wrap = (servers: string) => `{"toolboxes":{"dev":{"description":"D","mcpServers":{${servers}}}}}`;

/** Files of about `size` characters. */
const configurations: Record<string, (size: number) => string> = {
  'open arrays': (size) => '['.repeat(size),
  'open objects': (size) => '{"a":'.repeat(size / 5),
  'unknown keys': (size) => `{${repeat(size / 12, (index) => `"key${index}":1`)}}`,
  servers: (size) => wrap(repeat(size / 24, (index) => `"s${index}":{"command":"x"}`)),
  'faulty servers': (size) => wrap(repeat(size / 12, (index) => `"s${index}":{}`)),
  'repeated keys': (size) => wrap(repeat(size / 16, () => '"s":{"command":1}')),
  'missing commas': (size) => wrap(repeat(size / 24, (index) => `"s${index}":{"command":"x"}`, '\n')),
  'missing colons': (size) => `{${repeat(size / 8, (index) => `"k${index}"`, '\n')}}`,
  'bad symbols': (size) => `{${'x\n'.repeat(size / 2)}}`,
  'bad escapes': (size) => `{"toolboxes":"${'\\q'.repeat(size / 2)}"}`,
  'escaped quotes without an end': (size) => `{"a":"${'\\"'.repeat(size / 2)}`,
  quotes: (size) => '"'.repeat(size),
  backslashes: (size) => `"${'\\'.repeat(size)}`,
  slashes: (size) => '/'.repeat(size),
  'open comments': (size) => '/* '.repeat(size / 3),
  commas: (size) => `{${','.repeat(size)}`,
  'spaces and commas': (size) => `[1${' ,'.repeat(size / 2)}]`,
  spaces: (size) => `[${' '.repeat(size)}`,
  'bad arguments': (size) => wrap(`"s":{"command":"x","args":[${'1,'.repeat(size / 2)}1]}`),
  references: (size) => wrap(`"s":{"command":"${'${A}'.repeat(size / 4)}"}`),
  'open references': (size) => wrap(`"s":{"command":"${'${'.repeat(size / 2)}"}`),
  'many open references': (size) => wrap(`"s":{"command":"x","args":[${'"${A",'.repeat(size / 7)}"a"]}`),
  'escaped references': (size) => wrap(`"s":{"command":"${'$${'.repeat(size / 3)}"}`),
};

const envFiles: Record<string, (size: number) => string> = {
  'quotes without an end': (size) => `A='${'B="x\n'.repeat(size / 5)}`,
  'lines without =': (size) => 'aaaa\n'.repeat(size / 5),
  'one word': (size) => 'a'.repeat(size),
  spaces: (size) => `A${' '.repeat(size)}`,
  'spaces after a value': (size) => `A="b"${' '.repeat(size)}x`,
  comments: (size) => `A=b${' #'.repeat(size / 2)}`,
  exports: (size) => 'export '.repeat(size / 7),
  backslashes: (size) => `A="${'\\'.repeat(size)}`,
  'carriage returns': (size) => '\r'.repeat(size),
};

const options = { path: '/x/workbench-config.json', env: {}, cwd: '/project', home: '/h' };

/** Processor time, so that other programs do not count; the least of some runs, so that garbage collection hardly does. */
function processorMs(work: () => unknown): number {
  const runs = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage();
    try {
      work();
    } catch (error) {
      // Faults are expected, crashes are not.
      expect(error).toHaveProperty('code', 'CONFIG_INVALID');
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...runs);
}

function expectLinear(make: (size: number) => string, read: (text: string) => unknown): void {
  const [small, large] = [make(20_000), make(400_000)];
  const [little, much] = [processorMs(() => read(small)), processorMs(() => read(large))];
  // Twenty times as much: linear is 20, quadratic 400. Short times are mostly those of the garbage collector.
  expect(much).toBeLessThan(Math.max(100 * little, 1_000));
}

describe.each(Object.entries(configurations))('a configuration of many %s', (_, make) => {
  test('is read in linear time', () => expectLinear(make, (text) => parseConfig(text, options)));
  test('is read or given up in linear time by the quick reader', () => expectLinear(make, quickFile));
});

test.each(['servers', 'faulty servers', 'bad symbols', 'missing commas', 'bad arguments'])(
  'nine megabytes of %s are refused before they hold up everything else',
  (kind) => {
    const text = configurations[kind]?.(9_000_000) ?? '';
    expect(() => parseConfig(text, options)).toThrow('has more than 400,000 names, values and signs');
    expect(processorMs(() => parseConfig(text, options))).toBeLessThan(3_000);
  },
);

test('nine megabytes with few values are read as usual', () => {
  const long = wrap(`"s":{"command":"x","args":["${'a,{['.repeat(2_200_000)}"], "z":1}`);
  expect(parseConfig(long, options).warnings).toEqual([expect.stringContaining('Unknown key')]);
});

test.each(Object.entries(envFiles))('an env file of many %s is read in linear time', (_, make) => {
  expectLinear(make, parseEnvFile);
});
