import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { overviewOf } from '../workbench/overview.js';
import { parseConfig } from './parse.js';
import { quickConfig } from './quick.js';
import { protocols, ranges, serverTypes } from './settings.js';

const options = { path: '/etc/workbench-config.json', env: { SET: 'value' }, home: '/home/me' };

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc.constantFrom('a', '', '${SET}', '${UNSET:-x}', '${', '${9}', '$${x}', '\0', 'https://a.b/c', 'ftp://x', '10'),
);
const number = fc.oneof(fc.integer(), fc.constantFrom<unknown>(0, 1, 1.5, 1e9, 1e12, -1, '1', null));
const settings = {
  ...Object.fromEntries(Object.keys(ranges).map((name) => [name, number])),
  protocol: fc.constantFrom<unknown>(...protocols, 'other', 1),
};
const map = (value: fc.Arbitrary<unknown>) =>
  fc.dictionary(fc.oneof(text, fc.constantFrom('A', 'name', 'Accept', '__proto__', '7', '*', 'a=b')), value, {
    maxKeys: 3,
  });
/** Under names that nothing is wrong with. */
const named = (value: fc.Arbitrary<unknown>) =>
  fc.dictionary(fc.constantFrom('dev', 'a b', '__proto__', 'x1'), value, { minKeys: 1, maxKeys: 3 });
const server = fc.record(
  {
    command: fc.oneof({ weight: 5, arbitrary: fc.constant('node') }, text, fc.jsonValue()),
    url: text,
    type: fc.constantFrom<unknown>(...serverTypes, 'carrier pigeon'),
    args: fc.oneof(fc.array(text), fc.jsonValue()),
    env: map(fc.oneof(text, fc.jsonValue({ maxDepth: 0 }))),
    headers: map(text),
    cwd: text,
    toolFilters: fc.array(text),
    disabled: fc.oneof(fc.boolean(), fc.jsonValue()),
    ...settings,
    unknown: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const plainServer = fc.record(
  {
    command: fc.constant('node'),
    args: fc.array(fc.constant('a')),
    env: fc.constant({ A: '${SET}' }),
    startTimeoutMs: fc.integer({ min: 1, max: 9 }),
  },
  { requiredKeys: ['command'] },
);
const toolbox = fc.record(
  {
    description: fc.oneof({ weight: 9, arbitrary: fc.constant('Tools') }, text),
    mcpServers: fc.oneof({ weight: 3, arbitrary: named(plainServer) }, map(server)),
  },
  { requiredKeys: ['description', 'mcpServers'] },
);
const file = fc.record(
  {
    toolboxes: fc.oneof({ weight: 3, arbitrary: named(toolbox) }, map(toolbox)),
    openTimeoutMs: fc.oneof({ weight: 3, arbitrary: fc.constant(5) }, number),
    defaults: fc.oneof(
      { weight: 3, arbitrary: fc.constant({}) },
      fc.record(settings, { requiredKeys: [] }),
      fc.jsonValue(),
    ),
    $schema: text,
  },
  { requiredKeys: ['toolboxes'] },
);

const plainFile = {
  toolboxes: {
    dev: {
      description: 'Tools',
      mcpServers: { a: { command: 'x', args: ['a', '//b', '/*'] }, b: { url: 'http://a' } },
    },
  },
};

/** Comments and commas in places where they may stand, and where they may not. */
const clutter = fc.constantFrom('// "a": 1,\n', '/* } */', '/**/', ',', ', ', '//\r', '/', '/* ', ' ', '"');

describe('the quick reader', () => {
  test('reads a cluttered file as the schema does, or leaves it', () => {
    let read = 0;
    const pieces = fc.array(fc.tuple(fc.nat(60), clutter), { maxLength: 3 });
    fc.assert(
      fc.property(fc.oneof(fc.constant(plainFile), file), pieces, (value, added) => {
        let source = JSON.stringify(value, undefined, 1);
        for (const [place, piece] of added) {
          // After a token, more often than not.
          const gaps = [...source.matchAll(/\n|[,{}[\]:]/g)].map(({ index }) => index + 1);
          const at = gaps[place % gaps.length] ?? 0;
          source = source.slice(0, at) + piece + source.slice(at);
        }
        const quick = quickConfig(source, options);
        if (quick === undefined) return;
        read++;
        expect(quick.config()).toEqual(parseConfig(source, options));
      }),
      { numRuns: 3_000 },
    );
    expect(read).toBeGreaterThan(300);
  });

  test('never reads a file otherwise than the schema does', () => {
    let read = 0;
    fc.assert(
      fc.property(file, fc.constantFrom(undefined, 2), (value, indent) => {
        const source = JSON.stringify(value, undefined, indent);
        const quick = quickConfig(source, options);
        if (quick === undefined) return;
        read++;
        const config = parseConfig(source, options);
        expect(config.warnings).toEqual([]);
        expect(quick.config()).toEqual(config);
        expect([...quick.config().toolboxes.keys()]).toEqual([...config.toolboxes.keys()]);
        expect(quick.toolboxes).toEqual(overviewOf(config).toolboxes);
      }),
      { numRuns: 3_000 },
    );
    expect(read).toBeGreaterThan(300);
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
    expect(quickConfig(source, options)?.config()).toEqual(parseConfig(source, options));
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
    expect(quickConfig(source, options)).toBeUndefined();
  });
});
