import { describe, expect, test } from 'vitest';
import type { ServerFileEntry } from '../schema/schema.js';
import { parseFile } from './parse.js';
import { fileText, restrictedBy } from './restrictions.js';

const server = (rules: object = {}) => ({ command: 'x', ...rules });
const textWith = (servers: object, others: object = {}) =>
  JSON.stringify({ ...others, toolboxes: { dev: { description: 'D', mcpServers: servers } } });
const read = (text: string) => parseFile(text, '/config.json').file;

/** The entry of `api` in `dev` when the file has become `faulty`. */
function restricted(before: object, faulty: string, others: object = {}): Partial<ServerFileEntry> | undefined {
  const file = restrictedBy(read(textWith({ api: server(before), other: server() }, others)), faulty);
  expect(read(fileText(file))).toEqual(file);
  const { command: _, ...rules } = file.toolboxes.get('dev')?.mcpServers.get('api') ?? {};
  return rules;
}

describe('a faulty text restricts an earlier one', () => {
  const strict = { deny: ['delete'], ask: ['@write'], disabled: true };

  test.each([
    ['a missing comma', (text: string) => text.replace(',"mcpServers"', ' "mcpServers"')],
    [
      'a missing brace before it',
      (text: string) => text.replace('{"first":{"command":"x"},', '{"first":{"command":"x",'),
    ],
    ['a missing end', (text: string) => text.slice(0, -3)],
    ['an unclosed quote before it', (text: string) => text.replace('"command":"x"', '"command":"x')],
    ['a brace too many before it', (text: string) => text.replace('"command":"x"}', '"command":"x"}}}')],
    ['single quotes', (text: string) => text.replaceAll('"', "'")],
    ['names without quotes', (text: string) => text.replace(/"(\w+)":/g, '$1: ')],
    ['a missing colon', (text: string) => text.replace('"deny":', '"deny" ').replace('"api":', '"api"')],
    ['the marks of a merge', (text: string) => text.replace('"api"', '\n<<<<<<< HEAD\n"api"')],
    ['a wrong setting', (text: string) => text.replace('"command":"x"', '"command":7')],
    ['an empty description', (text: string) => text.replace('"description":"D"', '"description":""')],
    ['a byte order mark and a comment', (text: string) => `\uFEFF// mine\n${text},`],
  ])('with %s', (_, damage) => {
    const faulty = damage(textWith({ first: server(), api: server(strict) }));
    expect(() => read(faulty)).toThrow('is not valid');
    expect(restricted({}, faulty)).toEqual(strict);
  });

  test('by what it adds, and takes nothing back', () => {
    const faulty = `${textWith({ api: server({ deny: ['b'], ask: ['d'] }) })}}`;
    expect(restricted({ deny: ['a'], ask: ['c'], disabled: true }, faulty)).toEqual({
      deny: ['a', 'b'],
      ask: ['c', 'd'],
      disabled: true,
    });
  });

  test('in each entry with the name, if there are two', () => {
    const faulty = textWith({ api: server({ deny: ['a'] }), API: server({ deny: ['b'] }) }).replace('"API"', '"api"');
    expect(restricted({}, faulty)).toEqual({ deny: ['a', 'b'] });
  });

  test('in its own entry only, also where the syntax is broken', () => {
    const faulty = `{"x" "y": ${textWith({
      first: server({ env: { A: 'b' }, deny: ['first'] }),
      api: server({ env: { A: 'b' }, deny: ['own'] }),
      unknown: server({ disabled: true }),
      other: server({ ask: ['other'] }),
    })}\n// "api": { "disabled": true }`;
    expect(restricted({}, faulty)).toEqual({ deny: ['own'] });
  });

  test('by one rule without brackets, and by the words of other clients', () => {
    expect(restricted({}, textWith({ api: server({ deny: 'delete', enabled: false }) }))).toEqual({
      deny: ['delete'],
      disabled: true,
    });
  });

  test('by nothing that is no rule', () => {
    const deny = [7, '@nothing', '${OPEN', 'fine'];
    expect(restricted({}, textWith({ api: server({ deny, ask: null, disabled: 'yes' }) }))).toEqual({ deny: ['fine'] });
  });

  test('by rules of its defaults', () => {
    const faulty = `${textWith({ api: server() }, { defaults: { deny: ['a'], ask: ['@write'] } })}}`;
    const file = restrictedBy(read(textWith({ api: server() }, { defaults: { deny: ['b'] } })), faulty);
    expect(file.defaults).toEqual({ deny: ['b', 'a'], ask: ['@write'] });
  });

  test('not by anything else: commands, variables, new servers', () => {
    const faulty = `${textWith({ api: { command: 'evil', env: { A: 'b' }, toolFilters: ['*'] }, more: server() })}}`;
    expect(restricted({ toolFilters: ['a'] }, faulty)).toEqual({ toolFilters: ['a'] });
  });
});

describe('an exception to ask', () => {
  const allow = ['create', 'list'];

  test('stays as long as the faulty text has it, too', () => {
    const faulty = `${textWith({ api: server({ ask: ['*'], allow: ['list', 'more'] }) })}}`;
    expect(restricted({ allow }, faulty)).toEqual({ ask: ['*'], allow: ['list'] });
  });

  test('does not undo what the defaults of the faulty text ask for', () => {
    const faulty = `${textWith({ api: server({ allow: ['list'] }) }, { defaults: { ask: ['*'] } })}}`;
    expect(restricted({ allow }, faulty)).toEqual({ allow: ['list'] });
  });

  test('stays if the faulty text asks for nothing, or its entry cannot be read', () => {
    expect(restricted({ allow }, `${textWith({ api: server() })}}`)).toEqual({ allow });
    expect(restricted({ allow }, '{"defaults":{"ask":["*"]},,')).toEqual({ allow });
  });
});

test('a rule is for the server of its toolbox; without a toolbox around it, for all of that name', () => {
  const box = { description: 'D', mcpServers: { api: server() } };
  const file = read(JSON.stringify({ toolboxes: { dev: box, prod: box } }));
  const denied = (faulty: string) =>
    Array.from(restrictedBy(file, faulty).toolboxes.values(), ({ mcpServers }) => mcpServers.get('api')?.deny);
  const strict = { api: server({ deny: ['a'] }) };
  expect(denied(`${JSON.stringify({ toolboxes: { dev: box, prod: { mcpServers: strict } } })}}`)).toEqual([
    undefined,
    ['a'],
  ]);
  expect(denied(`${JSON.stringify({ mcpServers: strict })}}`)).toEqual([['a'], ['a']]);
});

test.each(['', '{', '[[[', 'null', '"api"', '['.repeat(100_000), '{"api":'])(
  'the text %.20s restricts nothing',
  (faulty) => {
    expect(restricted({ deny: ['a'] }, faulty)).toEqual({ deny: ['a'] });
  },
);

test('a file in any dialect is the same after it was written as text: names, their order, and every setting', () => {
  const text = `{
    "$schema": "x", "envFile": ".env", "openTimeoutMs": 5, "shared": false, "defaults": { "deny": ["a"] },
    "toolboxes": { "__proto__": { "description": "“D”", "envFile": "b.env", "mcpServers": { "10": { "command": ["x", "y"], "enabled": false, "environment": { "__proto__": "1" } } } },
    "2": { "description": "D", "servers": { "é \\u2028": { "url": "https://a.example", "http_headers": { "A": "b" }, "bearer_token_env_var": "T", "oauth": false } } } } }`;
  const file = read(text);
  expect(read(fileText(file))).toEqual(file);
  expect([...read(fileText(file)).toolboxes.keys()]).toEqual(['__proto__', '2']);
});
