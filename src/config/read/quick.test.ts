import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { flawedValues, soundValues, writeJson } from '../../../test/support/config-values.js';
import { assemble } from '../resolve/assemble.js';
import { type ConfigFile, configFileSchema } from '../schema/schema.js';
import { hasContradictions } from '../users/shared-entry.js';
import { parseConfig } from './parse.js';
import { quickFile } from './quick.js';

const options = { path: '/etc/workbench-config.json', env: { SET: 'value' }, cwd: '/project', home: '/home/me' };

/** Valid as a whole, too. */
const soundFile = soundValues(configFileSchema)
  .filter((value) => !hasContradictions(value as ConfigFile))
  .map(writeJson);
const flawedFile = flawedValues(configFileSchema).map(writeJson);

/** Comments and commas in places where they are allowed, and where they are not. */
const clutter = fc.constantFrom('// "a": 1,\n', '/* } */', '/**/', ',', ', ', '//\r', '/', '/* ', ' ', '"');

function withClutter(source: string, added: readonly (readonly [place: number, piece: string])[]): string {
  return added.reduce((text, [place, piece]) => {
    // Mostly after a token.
    const gaps = [...text.matchAll(/\n|[,{}[\]:]/g)].map(({ index }) => index + 1);
    const at = gaps[place % gaps.length] ?? 0;
    return text.slice(0, at) + piece + text.slice(at);
  }, source);
}

/** Whether a file was read quickly. If so, the schema must read the same. */
function isReadAlike(source: string): boolean {
  const quick = quickFile(source);
  if (quick === undefined) return false;
  const config = parseConfig(source, options);
  const assembled = assemble(quick, [], options);
  expect(assembled).toEqual(config);
  expect([...assembled.toolboxes.keys()]).toEqual([...config.toolboxes.keys()]);
  return true;
}

const budget = { numRuns: 1_000, plugins: [fc.interruptAfterTimeLimit(10_000)] };

/** Expects some files of both kinds, however many there was time for. */
function expectBoth(read: readonly boolean[]): void {
  const share = read.filter(Boolean).length / read.length;
  expect(share).toBeGreaterThan(0.1);
  expect(share).toBeLessThan(0.95);
}

describe('the quick reader', () => {
  test('reads every valid file whose names are not numbers, and reads it as the schema does', () => {
    fc.assert(
      fc.property(soundFile, (source) => {
        expect(isReadAlike(source)).toBe(true);
      }),
      budget,
    );
  });

  test('reads a file with flaws as the schema does, or leaves it to the schema', () => {
    const read: boolean[] = [];
    fc.assert(
      fc.property(flawedFile, (source) => {
        read.push(isReadAlike(source));
      }),
      budget,
    );
    expectBoth(read);
  });

  test('reads a cluttered file as the schema does, or leaves it to the schema', () => {
    const read: boolean[] = [];
    const pieces = fc.array(fc.tuple(fc.nat(60), clutter), { maxLength: 3 });
    fc.assert(
      fc.property(soundFile, pieces, (source, added) => {
        read.push(isReadAlike(withClutter(source, added)));
      }),
      budget,
    );
    expectBoth(read);
  });

  test.each([
    [
      'plain',
      '{"toolboxes":{"dev":{"description":"d","mcpServers":{"a":{"command":"npx","args":["-y","p"],"env":{"T":"${SET}"}}}}}}',
    ],
    [
      'with its schema and settings',
      '{"$schema":"x","openTimeoutMs":5,"defaults":{"idleTimeoutMs":0,"protocol":"legacy"},"toolboxes":{}}',
    ],
    [
      'with a remote server',
      '{"toolboxes":{"dev":{"description":"d","mcpServers":{"a":{"type":"http","url":"https://x.y","headers":{"A":"b"}}}}}}',
    ],
    [
      'with quotes and colons in texts',
      '{"toolboxes":{"dev":{"description":"\\"a\\": b","mcpServers":{"a":{"command":"x:\\\\","args":["\\":"]}}}}}',
    ],
    [
      'with comments and commas at the end',
      `{ // a
        "toolboxes": { /* "b": 1, */
          "dev": { "description": "not // a comment, }", "mcpServers": { "a": { "command": "x", "args": ["/*", "*/", ], }, }, },
        } /**/ , // ,
      }`,
    ],
  ])('reads a file that is %s', (_, source) => {
    const quick = quickFile(source);
    expect(quick && assemble(quick, [], options)).toEqual(parseConfig(source, options));
  });

  test.each([
    ['repeats a key', '{"toolboxes":{"dev":{"description":"d","description":"e","mcpServers":{"a":{"command":"x"}}}}}'],
    [
      'repeats a toolbox',
      '{"toolboxes":{"a":{"description":"d","mcpServers":{"a":{"command":"x"}}},"a":{"description":"d","mcpServers":{"a":{"command":"x"}}}}}',
    ],
    ['has a comment that does not end', '{"toolboxes":{}} /* none'],
    ['has a comma after nothing', '{"toolboxes":{,}}'],
    ['has two commas', '{"toolboxes":{},,}'],
    ['has an unknown key', '{"toolboxes":{},"toolbox":{}}'],
    ['names toolboxes by numbers', '{"toolboxes":{"2":{"description":"d","mcpServers":{"a":{"command":"x"}}}}}'],
    ['begins with a byte order mark', '\uFEFF{"toolboxes":{}}'],
    ['has a malformed reference', '{"toolboxes":{"dev":{"description":"d","mcpServers":{"a":{"command":"${"}}}}}'],
  ])('leaves a file to the schema that %s', (_, source) => {
    expect(quickFile(source)).toBeUndefined();
  });
});
