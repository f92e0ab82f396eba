import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WorkbenchError } from '../../contract/errors.js';
import { parseConfig } from './parse.js';

const parse = (text: string, env: Record<string, string> = {}) =>
  parseConfig(text, { path: '/etc/wb/c.json', env, cwd: '/project', home: '/home/me' });
const withToolbox = (toolbox: string) => `{"toolboxes":{"dev":${toolbox}}}`;
const withServer = (server: string) => withToolbox(`{"description":"d","mcpServers":{"api":${server}}}`);

/** The lines of the message, without the heading. */
function faultsOf(text: string): string[] {
  try {
    parse(text);
  } catch (error) {
    if (!(error instanceof WorkbenchError)) throw error;
    expect(error.code).toBe('CONFIG_INVALID');
    return error.message.split('\n').slice(1);
  }
  return [];
}

describe('a valid file', () => {
  test('gives toolboxes and servers in the order of the file', () => {
    const config = parse(`\uFEFF// comment
      { "$schema": "./x.json", /* more */
        "toolboxes": {
          "10": { "description": "ten", "mcpServers": { "b": { "command": "x" }, "a": { "command": "y", "args": ["1"], }, } },
          "2": { "description": "two", "mcpServers": { "remote": { "type": "streamable-http", "url": "https://x.test/mcp" } } },
        },
        "openTimeoutMs": 5, "openBudgetChars": 6,
      }`);
    expect(config.source).toEqual({ kind: 'file', path: '/etc/wb/c.json' });
    expect([...config.toolboxes.keys()]).toEqual(['10', '2']);
    expect([...(config.toolboxes.get('10')?.servers.keys() ?? [])]).toEqual(['b', 'a']);
    expect(config.toolboxes.get('2')).toMatchObject({ name: '2', description: 'two' });
    expect(config).toMatchObject({ openTimeoutMs: 5, openBudgetChars: 6, warnings: [] });
  });

  test('may have no toolbox', () => {
    const config = parse('{ "toolboxes": {} }');
    expect(config).toMatchObject({ openTimeoutMs: 45_000, openBudgetChars: undefined });
    expect(config.toolboxes.size).toBe(0);
  });

  test('keeps any names of toolboxes, servers and variables, in order', () => {
    const special = fc.constantFrom(
      '__proto__',
      'constructor',
      'toString',
      '10',
      '2',
      'a__b',
      'a/b',
      'a.b',
      ' ',
      '"',
      '\\',
    );
    const names = fc.uniqueArray(
      fc.oneof(special, fc.string({ unit: 'binary', minLength: 1 })).filter((name) => name !== '*'),
      { minLength: 1, maxLength: 5 },
    );
    const variables = names.map((all) => all.filter((name) => !/[=\0]/.test(name)));
    fc.assert(
      fc.property(names, names, variables, (toolboxes, servers, env) => {
        const entries = (all: string[], value: string) =>
          `{${all.map((name) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
        const server = `{"command":"x","env":${entries(env, '"v"')}}`;
        const text = `{"toolboxes":${entries(toolboxes, `{"description":"d","mcpServers":${entries(servers, server)}}`)}}`;
        const config = parse(text);
        expect([...config.toolboxes.keys()]).toEqual(toolboxes);
        for (const [name, toolbox] of config.toolboxes) {
          expect(toolbox.name).toBe(name);
          expect([...toolbox.servers.keys()]).toEqual(servers);
          for (const [key, value] of toolbox.servers) {
            expect(value).toMatchObject({ toolbox: name, name: key });
            expect(value.target.kind === 'stdio' && [...value.target.env.keys()]).toEqual(env);
          }
        }
      }),
    );
  });
});

describe('a fault', () => {
  test.each([
    ['[]', 'config: Expected an object, found an array.'],
    ['null', 'config: Expected an object, found null.'],
    ['{}', 'config.toolboxes: toolboxes is missing. Add "toolboxes"'],
    ['{"toolboxes":[]}', 'config.toolboxes: Expected an object, found an array.'],
    [
      '{"toolboxes":{"*":{"description":"d","mcpServers":{"a":{"command":"x"}}}}}',
      `config.toolboxes["*"]: '*' is not a toolbox name.`,
    ],
    [
      '{"toolboxes":{"":{"description":"d","mcpServers":{"a":{"command":"x"}}}}}',
      'config.toolboxes[""]: A toolbox needs a name.',
    ],
    ['{"toolboxes":{"my box":3}}', 'config.toolboxes["my box"]: Expected an object, found a number.'],
    [
      withToolbox('{"description":" ","mcpServers":{"a":{"command":"x"}}}'),
      'config.toolboxes.dev.description: The string is empty.',
    ],
    [withToolbox('{"description":"d"}'), 'config.toolboxes.dev.mcpServers: mcpServers is missing.'],
    [withToolbox('{"description":"d","mcpServers":{}}'), 'config.toolboxes.dev.mcpServers: The toolbox has no server.'],
    [
      withToolbox('{"description":"d","mcpServers":{"":{"command":"x"}}}'),
      'config.toolboxes.dev.mcpServers[""]: A server needs a name.',
    ],
    [withServer('{}'), 'config.toolboxes.dev.mcpServers.api: A server needs a command or a url.'],
    [withServer('{"command":"x","url":"http://x"}'), 'api: A server has either a command or a url, not both.'],
    [withServer('{"command":""}'), 'api.command: The string is empty.'],
    [withServer('{"command":"x","type":"http"}'), 'api.type: This type does not match a server with a command.'],
    [withServer('{"url":"http://x","type":"stdio"}'), 'api.type: This type does not match a server with a url.'],
    [withServer('{"url":"ftp://x"}'), 'api.url: Not an http or https URL.'],
    [withServer('{"url":"http://x","headers":{"a b":"x"}}'), 'api.headers["a b"]: Not the name of an HTTP header.'],
    [withServer('{"command":"x","args":"-y"}'), 'api.args: Expected an array, found a string.'],
    [
      withServer('{"command":"x","args":["a",1]}'),
      'api.args[1]: Expected a string, found a number. Put it in double quotes.',
    ],
    [withServer('{"command":"x","env":{"PORT":80}}'), 'api.env.PORT: Expected a string, found a number.'],
    [withServer('{"command":"x","env":{"A=":"b"}}'), 'api.env["A="]: Not the name of an environment variable.'],
    [withServer('{"command":"x","args":["\\u0000"]}'), 'api.args[0]: Contains a NUL character.'],
    [
      withServer('{"command":"x","env":{"API_KEY":"${A-b}"}}'),
      "config.toolboxes.dev.mcpServers.api.env.API_KEY: The reference to variable 'A' is malformed.",
    ],
    [
      withServer('{"command":"x","toolFilters":["${"]}'),
      'api.toolFilters[0]: A variable reference without a name has no closing }',
    ],
    [
      withServer('{"command":"x","deny":["delete_*","@wrtie"]}'),
      'api.deny[1]: Unknown word: what begins with @ is a word for hints of the server. Did you mean "@write"? The words are @write and @destructive.',
    ],
    [withServer('{"command":"x","ask":["@destructiv"]}'), 'api.ask[0]: Unknown word: what begins with @ is a word'],
    [
      withServer('{"command":"x","ask":["@zzzzzzzzzzz"]}'),
      'hints of the server. The words are @write and @destructive.',
    ],
    [
      withServer('{"command":"x","allow":["@write"]}'),
      'api.allow[0]: Hints of the server cannot allow anything. Name the tools, with globs if need be.',
    ],
    [withServer('{"command":"x","ask":"delete"}'), 'api.ask: Expected an array, found a string.'],
    [withServer('{"command":"x","callTimeoutMs":"5"}'), 'api.callTimeoutMs: Expected a number, found a string.'],
    [
      withServer('{"command":"x","callTimeoutMs":1.5}'),
      'api.callTimeoutMs: Expected a whole number, found a fraction.',
    ],
    [withServer('{"command":"x","callTimeoutMs":0}'), 'api.callTimeoutMs: The number is too small. Write at least 1.'],
    [
      withServer('{"command":"x","callTimeoutMs":2147483648}'),
      'api.callTimeoutMs: The number is too large. Write at most 2147483647.',
    ],
    [
      withServer('{"command":"x","protocol":"new"}'),
      'api.protocol: Not an allowed value. Write one of "auto", "legacy", "2026-07-28".',
    ],
    [withServer('{"command":"x","disabled":"no"}'), 'api.disabled: Expected true or false, found a string.'],
    [withServer('null'), 'config.toolboxes.dev.mcpServers.api: Expected an object, found null.'],
    [
      '{"toolboxes":{},"defaults":{"idleTimeoutMs":-1}}',
      'config.defaults.idleTimeoutMs: The number is too small. Write at least 0.',
    ],
    ['{"toolboxes":{},"toolboxes":{}}', 'config.toolboxes: This key occurs more than once.'],
    [withServer('{"command":"x","env":{"A":"1","A":"2"}}'), 'api.env.A: This key occurs more than once.'],
  ])('%s is reported', (text, fault) => {
    const faults = faultsOf(text);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(fault);
  });

  test('is reported with file, line and column; all faults at once, in the order of the file', () => {
    const text = `{
  "toolboxes": {
    "dev": {
      "descripton": "d",
      "mcpServers": {
        "api": { "args": [1], "callTimeoutMs": 1.5 },
        "api": { "command": "x", "env": { "A": 1 } }\r
      }
    },
    "ops": {}
  },
  "openTimeoutMs": "x"
}`;
    expect(faultsOf(text).map((line) => line.split(':').slice(0, 4).join(':'))).toEqual([
      '/etc/wb/c.json:6:9 config.toolboxes.dev.mcpServers.api: A server needs a command or a url. Add "command" for a program to start, or "url" for a remote server.',
      '/etc/wb/c.json:6:27 config.toolboxes.dev.mcpServers.api.args[0]: Expected a string, found a number. Put it in double quotes.',
      '/etc/wb/c.json:6:48 config.toolboxes.dev.mcpServers.api.callTimeoutMs: Expected a whole number, found a fraction. Remove the decimals.',
      '/etc/wb/c.json:7:9 config.toolboxes.dev.mcpServers.api: This key occurs more than once. Remove or rename one of them.',
      '/etc/wb/c.json:7:48 config.toolboxes.dev.mcpServers.api.env.A: Expected a string, found a number. Put it in double quotes.',
      '/etc/wb/c.json:10:5 config.toolboxes.ops.mcpServers: mcpServers is missing. Add "mcpServers"',
      '/etc/wb/c.json:12:20 config.openTimeoutMs: Expected a number, found a string. Write digits without quotes.',
      `/etc/wb/c.json:4:7 config.toolboxes.dev.descripton: Unknown key. Did you mean 'description'?`,
    ]);
  });

  test('never shows a value of the file', () => {
    const secret = 'hunter2';
    const places = [
      'command',
      'args',
      'env',
      'url',
      'headers',
      'toolFilters',
      'protocol',
      'type',
      'transport',
      'httpUrl',
      'serverUrl',
      'disabled',
      'callTimeoutMs',
      'cwd',
      'other',
    ];
    const values = [
      `"${secret}"`,
      `["${secret}"]`,
      `[["${secret}"]]`,
      `{"A":["${secret}"]}`,
      `{"A":"\${A-${secret}}"}`,
      `{"type":"${secret}","url":"${secret}","headers":{"a":"${secret}","A":["${secret}"]}}`,
      `"\${A-${secret}"`,
    ];
    for (const place of places) {
      for (const value of values)
        expect(faultsOf(withServer(`{"${place}":${value}}`)).join('\n')).not.toContain(secret);
    }
  });

  test('that occurs thousands of times gives a short message', () => {
    const faults = faultsOf(withServer(`{"command":"x","args":[${Array.from({ length: 500 }, () => 1).join(',')}]}`));
    expect(faults).toHaveLength(201);
    expect(faults.at(-1)).toBe('… and 300 more.');
    const endless = faultsOf(withServer(`{"command":"x","args":[${'1,'.repeat(190_000)}]}`));
    expect(endless).toEqual([expect.stringContaining('config: There are too many faults to list.')]);
  });
});

describe('broken JSON', () => {
  test.each([
    ['', '1:1 config: The file is empty. Example: { "toolboxes"'],
    ['  \n// nothing\n', '1:1 config: The file is empty.'],
    ['{', '1:2 config: Missing closing }.'],
    ['{\n  "toolboxes": {}\n}\n}', '4:1 config: Unexpected text after the end of the object.'],
    [`{\n  'toolboxes': {} }`, '2:3 config: Not a JSON value.'],
    ['{ "toolboxes" {} }', 'Missing colon.'],
    ['{ "toolboxes": }', 'config.toolboxes: Expected a value.'],
    ['{ "toolboxes": {}, "$schema": "x }', 'config.$schema: Unclosed string.'],
    ['{ "toolboxes": {} /* }', 'Unclosed comment.'],
    ['['.repeat(100_000), '1:1 config: Nested too deeply.'],
    ['}}}', '1:1 config: Expected a value.'],
    ['yaml: true', 'Not a JSON value.'],
  ])('%.30s is reported, and that the rest was not checked', (text, fault) => {
    const [first, ...others] = faultsOf(text);
    expect(first).toContain(fault);
    expect(others).toEqual(['Fix the syntax first; the rest of the file has not been checked.']);
  });

  test('with a small mistake is still checked as a whole', () => {
    const faults = faultsOf('{\n"toolboxes": {}\n"openTimeoutMs": 0,\n"$schema": "C:\\dir" }');
    expect(faults.map((line) => line.replace(/^\S+:(\d+:\d+) /, '$1 '))).toEqual([
      '3:1 config.openTimeoutMs: Missing comma. Write a , before this.',
      '3:18 config.openTimeoutMs: The number is too small. Write at least 1.',
      expect.stringContaining('Invalid escape: a backslash before this character has no meaning.'),
    ]);
  });
});

describe('an unknown key', () => {
  test('is a warning that names its place and the nearest known key', () => {
    const config = parse('{\n  "toolboxes": {},\n  "openTimeout": 1,\n  "__proto__": 1, "zzzzzz": {"a": 1, "a": 2}\n}');
    expect(config.warnings).toEqual([
      "/etc/wb/c.json:3:3 config.openTimeout: Unknown key. Did you mean 'openTimeoutMs'?",
      '/etc/wb/c.json:4:3 config.__proto__: Unknown key. It has no effect.',
      '/etc/wb/c.json:4:19 config.zzzzzz: Unknown key. It has no effect.',
    ]);
  });
});
