import fc from 'fast-check';
import { createScanner } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import type { Edit, Format } from './document.js';
import { applyEdits, openDocument } from './open-document.js';

const ours = { type: 'stdio', command: '/usr/bin/node', args: ['/a b/main.js', '--config', 'C:\\x "y"'] };
const addOurs: Edit = { kind: 'add', at: ['mcpServers'], name: 'workbench', source: { value: ours } };

function json(text: string, ...edits: Edit[]): string {
  return applyEdits('json', text, edits).text;
}

describe('an entry is added to JSON', () => {
  test.each([
    ['a blank file', '', '{\n  "mcpServers": {\n    "workbench": {}\n  }\n}\n'],
    ['an empty object', '{}', '{\n  "mcpServers": {\n    "workbench": {}\n  }\n}'],
    ['one line', '{ "a": 1 }', '{ "a": 1, "mcpServers": { "workbench": {} } }'],
    ['one line without spaces', '{"a":1}', '{"a":1,"mcpServers":{"workbench":{}}}'],
    [
      'lines with tabs and CRLF',
      '{\r\n\t"mcpServers": {\r\n\t\t"a": 1\r\n\t}\r\n}',
      '{\r\n\t"mcpServers": {\r\n\t\t"a": 1,\r\n\t\t"workbench": {}\r\n\t}\r\n}',
    ],
    [
      'comments and a trailing comma',
      '{ // top\n  "mcpServers": {\n    "a": 1, // about a\n    // last\n  }, // end\n}\n',
      '{ // top\n  "mcpServers": {\n    "a": 1, // about a\n    "workbench": {},\n    // last\n  }, // end\n}\n',
    ],
    [
      'a comment behind the last value',
      '{\n  "mcpServers": {\n    "a": 1 // about a\n  }\n}',
      '{\n  "mcpServers": {\n    "a": 1, // about a\n    "workbench": {}\n  }\n}',
    ],
    [
      'a byte order mark',
      '\uFEFF{\n    "x": 1\n}\n',
      '\uFEFF{\n    "x": 1,\n    "mcpServers": {\n        "workbench": {}\n    }\n}\n',
    ],
  ])('in %s', (_, text, expected) => {
    expect(json(text, { ...addOurs, source: { value: {} } })).toBe(expected);
  });

  test.each([
    ['{ "mcpServers": null }', 'something else than an object'],
    ['{ "mcpServers": [] }', 'something else than an object'],
    ['{ "mcpServers": {}, "mcpServers": {} }', 'the key "mcpServers" twice'],
    ['[]', 'not a JSON object'],
    ['{ "mcpServers": { "workbench": 1 } }', 'already'],
    ['{ "a": 1 "b": 2 }', 'not valid JSON: Missing comma.'],
    ['{ "a": 1', 'not valid JSON'],
  ])('unless it is %s', (text, why) => {
    expect(() => json(text, addOurs)).toThrow(why);
  });
});

describe('an entry is removed from JSON', () => {
  const remove = (name: string): Edit => ({ kind: 'remove', at: ['s'], name });
  test.each([
    ['a', '{\n  "s": {\n    "a": 1,\n    "b": 2\n  }\n}', '{\n  "s": {\n    "b": 2\n  }\n}'],
    ['b', '{\n  "s": {\n    "a": 1,\n    "b": 2\n  }\n}', '{\n  "s": {\n    "a": 1\n  }\n}'],
    ['b', '{"s":{"a":1,"b":2,"c":3}}', '{"s":{"a":1,"c":3}}'],
    ['c', '{ "s": { "a": 1, "b": 2, "c": 3 } }', '{ "s": { "a": 1, "b": 2 } }'],
    ['a', '{ "s": { "a": 1 } }', '{ "s": { } }'],
    ['b', '{ "s": {\n "a": 1, // one\n "b": 2 // two\n} }', '{ "s": {\n "a": 1 // one\n  // two\n} }'],
    ['b', '{ "s": { "a": 1, // one\n "b": 2 } }', '{ "s": { "a": 1 // one\n  } }'],
    ['a', '{ "s": {\n  "a": 1 /* x */ , // one\n  "b": 2 } }', '{ "s": {\n  /* x */  // one\n  "b": 2 } }'],
    ['__proto__', '{ "s": { "__proto__": {}, "b": 2 } }', '{ "s": { "b": 2 } }'],
  ])('%s of %j', (name, text, expected) => {
    expect(json(text, remove(name))).toBe(expected);
  });

  test('and comes back where it was', () => {
    const text = '{\n  "s": {\n    "a": { "x": 1 },\n    "b": 2, // two\n    "c": 3\n  }\n}';
    for (const name of ['a', 'b', 'c']) {
      const { text: without, inverse } = applyEdits('json', text, [remove(name)]);
      const back = applyEdits('json', without, inverse).text;
      expect(factsWithout('json', back, ['none'])).toEqual(factsWithout('json', text, ['none']));
    }
  });
});

describe('in TOML', () => {
  const at = ['mcp_servers'];
  const value = { command: 'node', args: ['a', '"b"'], env: { A: '1' } };
  const add: Edit = { kind: 'add', at, name: 'workbench', source: { value } };
  const written =
    '[mcp_servers.workbench]\ncommand = "node"\nargs = ["a", "\\"b\\""]\n\n[mcp_servers.workbench.env]\nA = "1"';

  test.each([
    ['', `${written}\n`],
    ['a = 1 # one', `a = 1 # one\n\n${written}`],
    ['a = 1\r\n', `a = 1\r\n\r\n${written.replaceAll('\n', '\r\n')}\r\n`],
    ['\uFEFFa = 1\n', `\uFEFFa = 1\n\n${written}\n`],
  ])('an entry is added to %j', (text, expected) => {
    const added = applyEdits('toml', text, [add]);
    expect(added.text).toBe(expected);
    expect(applyEdits('toml', added.text, added.inverse).text).toBe(text);
  });

  test.each([
    ['mcp_servers = { a = { command = "x" } }', 'inline or dotted'],
    ['mcp_servers.a.command = "x"', 'inline or dotted'],
    ['[mcp_servers]\nworkbench = { command = "x" }', 'cannot be edited safely'],
    ['a = ', 'not valid TOML'],
    ['[a]\n[a]', 'not valid TOML'],
  ])('%j is refused', (text, why) => {
    expect(() => applyEdits('toml', text, [add])).toThrow(why);
  });

  test('all tables of an entry are removed, and no comment that belongs to another', () => {
    const text =
      '# top\n[mcp_servers.a]\ncommand = "x" # why\n\n# about b\n[mcp_servers.b]\ncommand = "y"\n\n[mcp_servers.a.env]\nT = "1"\n\n# end\n';
    const removed = applyEdits('toml', text, [{ kind: 'remove', at, name: 'a' }]);
    expect(removed.text).toBe('# top\n\n# about b\n[mcp_servers.b]\ncommand = "y"\n\n# end\n');
    expect(parseToml(applyEdits('toml', removed.text, removed.inverse).text)).toEqual(parseToml(text));
  });

  test('an inline or dotted entry is read, and said to be fixed', () => {
    const text =
      '[mcp_servers]\na = { command = "x", env = { T = "1" } }\nb.command = "y"\n[mcp_servers.c]\ncommand = "z"\n';
    expect(openDocument('toml', text).entriesAt(at)).toMatchObject([
      { name: 'a', value: { command: 'x', env: { T: '1' } }, fixed: expect.any(String) },
      { name: 'b', value: { command: 'y' }, fixed: expect.any(String) },
      { name: 'c', value: { command: 'z' } },
    ]);
    expect(() => applyEdits('toml', text, [{ kind: 'remove', at, name: 'a' }])).toThrow('no table');
  });
});

// Files in unusual forms.
const names = fc.constantFrom('a', 'b', 'c d', '__proto__', 'toString', 'é"\\', '10', '2', 'workbench2', '//', '/*');
const blank = fc.constantFrom('', ' ', '\n', '\n  ', '\t', ' // x, } "\n', ' /* y { */ ', '\r\n\r\n');
const scalar = fc.oneof(
  fc.string().map((text) => JSON.stringify(text)),
  fc.constantFrom('1', '-0.5e3', 'true', 'null', '"//"'),
);

function jsonText(depth: number): fc.Arbitrary<string> {
  if (depth === 0) return scalar;
  const members = fc.uniqueArray(
    fc.tuple(names, fc.tuple(blank, blank, blank, blank), fc.oneof(scalar, jsonText(depth - 1))),
    {
      selector: ([name]) => name,
      maxLength: 4,
    },
  );
  return fc.tuple(members, fc.boolean(), blank).map(([list, trailing, end]) => {
    const texts = list.map(([name, [w, x, y, z], value]) => `${w}${JSON.stringify(name)}${x}:${y}${value}${z}`);
    return `{${texts.join(',')}${trailing && texts.length > 0 ? ',' : ''}${end}}`;
  });
}

const jsonFile = fc
  .tuple(fc.constantFrom('', '\uFEFF'), blank, jsonText(3), jsonText(2), blank, fc.boolean())
  .map(([bom, start, other, servers, end, has]) =>
    has ? `${bom}${start}{"x":${other},${start}"mcpServers":${servers}${end}}` : `${bom}${start}${other}${end}`,
  )
  .filter((text) => !/^[^{]*$/.test(text));

/** Whether all characters of one text are in the other, in order. */
function isWithin(small: string, large: string): boolean {
  let at = 0;
  for (let index = 0; index < large.length; index++) if (large[index] === small[at]) at++;
  return at === small.length;
}

function commentsOf(text: string): string[] {
  const scanner = createScanner(text, false);
  const comments: string[] = [];
  for (let kind: number = scanner.scan(); kind !== 17; kind = scanner.scan())
    if (kind === 12 || kind === 13) comments.push(scanner.getTokenValue().trimEnd());
  return comments;
}

function factsWithout(format: Format, text: string, path: readonly string[]): unknown[] {
  return openDocument(format, text)
    .facts()
    .filter((fact) => !path.every((key, index) => fact.path[index] === key))
    .map((fact) => [fact.path, fact.text]);
}

test('an empty line at the start of a file is cut whole, whatever its line break', () => {
  const text = '\r\n[mcp_servers.a]\r\n';
  expect(applyEdits('toml', text, [{ kind: 'remove', at: ['mcp_servers'], name: 'a' }]).text).toBe('');
});

describe('whatever a file looks like', () => {
  test('an entry is added without a change of anything else, and its removal gives every byte back', () => {
    fc.assert(
      fc.property(jsonFile, (text) => {
        const hasOther = (() => {
          try {
            openDocument('json', text).entriesAt(['mcpServers']);
            return false;
          } catch {
            return true;
          }
        })();
        fc.pre(!hasOther);
        const { text: added, inverse } = applyEdits('json', text, [addOurs]);
        expect(isWithin(text.replaceAll(/\s/g, ''), added.replaceAll(/\s/g, ''))).toBe(true);
        expect(commentsOf(added)).toEqual(commentsOf(text));
        expect(applyEdits('json', added, inverse).text).toBe(text);
      }),
    );
  });

  test('entries are removed without a change of anything else, and come back with their values', () => {
    fc.assert(
      fc.property(jsonText(2), fc.nat(), (servers, pick) => {
        const text = `{"s":${servers}}`;
        const entries = openDocument('json', text).entriesAt(['s']);
        fc.pre(entries.length > 0);
        const name = entries[pick % entries.length]?.name ?? '';
        const { text: removed, inverse } = applyEdits('json', text, [{ kind: 'remove', at: ['s'], name }]);
        expect(isWithin(removed, text)).toBe(true);
        expect(factsWithout('json', removed, ['s', name])).toEqual(factsWithout('json', text, ['s', name]));
        const back = applyEdits('json', removed, inverse).text;
        expect(factsWithout('json', back, ['none'])).toEqual(factsWithout('json', text, ['none']));
      }),
    );
  });

  test('in TOML, too', () => {
    fc.assert(
      fc.property(tomlFile, fc.nat(), (text, pick) => {
        const at = ['mcp_servers'];
        const add: Edit = { kind: 'add', at, name: 'workbench', source: { value: ours } };
        const added = applyEdits('toml', text, [add]);
        expect(added.text.startsWith(text)).toBe(true);
        expect(parseToml(added.text)).toEqual(withServer(parseToml(text), 'workbench', ours));
        expect(applyEdits('toml', added.text, added.inverse).text).toBe(text);
        const entries = openDocument('toml', text).entriesAt(at);
        const entry = entries[pick % Math.max(1, entries.length)];
        if (entry === undefined) return;
        const removed = applyEdits('toml', text, [{ kind: 'remove', at, name: entry.name }]);
        expect(isWithin(removed.text, text)).toBe(true);
        expect(factsWithout('toml', removed.text, [...at, entry.name])).toEqual(
          factsWithout('toml', text, [...at, entry.name]),
        );
        expect(parseToml(applyEdits('toml', removed.text, removed.inverse).text)).toEqual(parseToml(text));
      }),
    );
  });
});

const tomlNames = fc.constantFrom('a', 'b-c', '"x y"', "'q.r'", '"\\u00e9"', '10');
const tomlValues = fc.constantFrom(
  '1',
  '"x"',
  "'y # no'",
  '["a", # why\n "b"]',
  '{ k = "v" }',
  '"""\n[mcp_servers.no]\n"""',
  '1979-05-27',
);
const tomlTable = fc.record({
  name: tomlNames,
  sub: fc.boolean(),
  pairs: fc.uniqueArray(fc.tuple(fc.constantFrom('command', 'args', 'k'), tomlValues), { selector: ([key]) => key }),
  remark: fc.constantFrom('', ' # remark', '  '),
  before: fc.constantFrom('', '\n', '# about it\n', '\n\n# c\n\n'),
});
const tomlFile = fc
  .tuple(
    fc.uniqueArray(tomlTable, { selector: ({ name, sub }) => `${name}${sub}`, maxLength: 6 }),
    fc.constantFrom('', '# top\n', 'model = "x"\n', '\uFEFFmodel = 1 # m\n\n'),
    fc.constantFrom('', '\n', '\n\n[other]\nz = 1', '\n# end'),
    fc.boolean(),
  )
  .map(([tables, top, end, crlf]) => {
    const texts = tables.map(
      ({ name, sub, pairs, remark, before }) =>
        `${before}[mcp_servers.${name}${sub ? '.env' : ''}]${remark}\n${pairs.map(([key, value]) => `${key} = ${value}\n`).join('')}`,
    );
    const text = top + texts.join('') + end;
    return crlf ? text.replaceAll('\n', '\r\n') : text;
  });

function withServer(file: Record<string, unknown>, name: string, value: object): Record<string, unknown> {
  return { ...file, mcp_servers: { ...Object(file['mcp_servers']), [name]: value } };
}
