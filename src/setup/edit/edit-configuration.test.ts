import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { applyEdits, openDocument } from '../../clients/documents/open-document.js';
import { parseFile } from '../../config/read/parse.js';
import type { ConfigurationEdit } from './configuration-edit.js';
import { editConfiguration, planEdits } from './edit-configuration.js';

const files = { command: 'npx', args: ['-y', 'server-files', '.'] };
const addFiles: ConfigurationEdit = { kind: 'add server', toolbox: 'dev', server: 'files', entry: files };

const commented = `// My servers.
{
  "toolboxes": {
    // For work.
    "dev": {
      "description": "Code", // chosen by it
      "mcpServers": {
        // Reads issues.
        // Needs a token.
        "github": { "command": "gh" }, // pinned later

        /* searches */
        "web": {
          "command": "w" // no args
        }
      }
    },
    "data": { "description": "Data", "mcpServers": { "sql": { "url": "https://a.example/mcp" } } }
  }
}
`;

describe('a new file', () => {
  test('has toolboxes with descriptions, servers and comments', () => {
    const text = editConfiguration(undefined, [
      { kind: 'add toolbox', toolbox: 'dev', description: 'Code "here"' },
      { ...addFiles, comments: ['Asked for "key":\nsay it'] },
      { kind: 'add server', toolbox: 'dev', server: '10', entry: { url: 'https://a.example', headers: { A: 'b' } } },
    ]);
    expect(text).toBe(`{
  "toolboxes": {
    "dev": {
      "description": "Code \\"here\\"",
      "mcpServers": {
        // Asked for "key":
        // say it
        "files": {
          "command": "npx",
          "args": ["-y", "server-files", "."]
        },
        "10": {
          "url": "https://a.example",
          "headers": { "A": "b" }
        }
      }
    }
  }
}
`);
    expect(() => parseFile(text, 'f')).not.toThrow();
  });

  test.each(['', ' \n'])('is made of a blank one: %j', (blank) => {
    const edits: ConfigurationEdit[] = [{ kind: 'add toolbox', toolbox: 'dev', description: 'Code' }, addFiles];
    expect(editConfiguration(blank, edits)).toBe(editConfiguration(undefined, edits));
  });
});

describe('a file with comments', () => {
  test('gets a server behind those of its toolbox', () => {
    const text = editConfiguration(commented, [{ ...addFiles, comments: ['New.'] }]);
    expect(text).toBe(
      commented.replace(
        `"command": "w" // no args
        }
`,
        `"command": "w" // no args
        },
        // New.
        "files": {
          "command": "npx",
          "args": ["-y", "server-files", "."]
        }
`,
      ),
    );
  });

  test('gets a server on the line of the others', () => {
    const text = editConfiguration(commented, [{ ...addFiles, toolbox: 'data', comments: ['N */ w'] }]);
    expect(text).toContain(
      '/mcp" }, /* N * / w */ "files": { "command": "npx", "args": ["-y", "server-files", "."] } } }\n  }\n}\n',
    );
  });

  test('loses a server with the comments that are about it', () => {
    const text = editConfiguration(commented, [{ kind: 'remove server', toolbox: 'dev', server: 'github' }]);
    expect(text).toBe(
      commented.replace(
        `        // Reads issues.
        // Needs a token.
        "github": { "command": "gh" }, // pinned later
`,
        '',
      ),
    );
  });

  test('keeps a commented-out entry above a server that is removed', () => {
    const text = commented.replace('// Needs a token.', '// "old": {\n        // },');
    const removed = editConfiguration(text, [{ kind: 'remove server', toolbox: 'dev', server: 'github' }]);
    expect(removed).toContain('// Reads issues.\n        // "old": {\n        // },\n');
  });

  test('keeps a comment before the comma of the server before', () => {
    const text =
      '{"toolboxes":{"d":{"description":"d","mcpServers":{"a":{"command":"x"}\n  // e\n  ,"b":{"command":"x"}}}}}';
    const removed = editConfiguration(text, [{ kind: 'remove server', toolbox: 'd', server: 'b' }]);
    expect(removed).toContain('"a":{"command":"x"}\n  // e\n');
    expect(modelOf(removed)).toEqual(new Map([['d', new Map([['a', { command: 'x' }]])]]));
  });

  test('has a server moved with its comments', () => {
    const text = editConfiguration(commented, [{ kind: 'move server', toolbox: 'dev', server: 'github', to: 'data' }]);
    expect(text).not.toContain('Reads issues.\n        // Needs a token.\n        "github": { "command": "gh" }, //');
    for (const comment of ['// Reads issues.', '// Needs a token.', '// pinned later', '/* searches */'])
      expect(text.split(comment)).toHaveLength(2);
    expect([...(parseFile(text, 'f').file.toolboxes.get('data')?.mcpServers.keys() ?? [])]).toEqual(['sql', 'github']);
  });

  test('has a toolbox removed with its last server, also if that is moved', () => {
    const removed = editConfiguration(commented, [{ kind: 'remove server', toolbox: 'data', server: 'sql' }]);
    expect([...parseFile(removed, 'f').file.toolboxes.keys()]).toEqual(['dev']);
    const moved = editConfiguration(commented, [{ kind: 'move server', toolbox: 'data', server: 'sql', to: 'dev' }]);
    const { toolboxes } = parseFile(moved, 'f').file;
    expect([...toolboxes.keys()]).toEqual(['dev']);
    expect([...(toolboxes.get('dev')?.mcpServers.keys() ?? [])]).toEqual(['github', 'web', 'sql']);
  });

  test('has keys of a server set and unset', () => {
    const at = { kind: 'set key', toolbox: 'dev', server: 'github', key: 'disabled' } as const;
    const disabled = editConfiguration(commented, [{ ...at, value: true }]);
    expect(disabled).toBe(commented.replace('{ "command": "gh" }', '{ "command": "gh", "disabled": true }'));
    expect(editConfiguration(disabled, [{ ...at, value: true }])).toBe(disabled);
    expect(editConfiguration(disabled, [{ ...at, value: false }])).toContain('"gh", "disabled": false }');
    expect(editConfiguration(disabled, [{ ...at, value: undefined }])).toBe(commented);
    expect(editConfiguration(commented, [{ ...at, value: undefined }])).toBe(commented);
  });
});

describe('servers in the block of another client', () => {
  test.each(['mcpServers', 'servers', 'context_servers', 'mcp', 'mcp.servers', 'mcp_servers'])('%s', (key) => {
    const flat = `{ "${key}": { "a": { "command": "a" } } }`;
    expect(editConfiguration(flat, [{ ...addFiles, toolbox: 'default' }])).toBe(
      `{ "${key}": { "a": { "command": "a" }, "files": { "command": "npx", "args": ["-y", "server-files", "."] } } }`,
    );
    const inToolbox = `{ "toolboxes": { "dev": { "description": "d", "${key}": { "a": { "command": "a" } } } } }`;
    const { toolboxes } = parseFile(editConfiguration(inToolbox, [addFiles]), 'f').file;
    expect([...(toolboxes.get('dev')?.mcpServers.keys() ?? [])]).toEqual(['a', 'files']);
  });

  test('of opencode from version 2', () => {
    const text = editConfiguration('{ "mcp": { "servers": { "a": { "command": ["a"] } } } }', [
      { ...addFiles, toolbox: 'default' },
    ]);
    expect([...(parseFile(text, 'f').file.toolboxes.get('default')?.mcpServers.keys() ?? [])]).toEqual(['a', 'files']);
  });
});

describe('an edit that does not fit is refused', () => {
  const flat = '{ "mcpServers": { "a": { "command": "a" } } }';
  const zed =
    '{ "toolboxes": { "a": { "description": "d", "context_servers": { "s": { "command": "s", "timeout": 5 }, "t": { "command": "t" } } }, "b": { "description": "d", "mcpServers": { "u": { "command": "u" } } } } }';
  test.each<[string, string, ConfigurationEdit, string]>([
    ['an unknown toolbox', commented, { ...addFiles, toolbox: 'x' }, 'TOOLBOX_NOT_FOUND'],
    ['an unknown server', commented, { kind: 'remove server', toolbox: 'dev', server: 'x' }, 'SERVER_NOT_FOUND'],
    ['a server of that name', commented, { ...addFiles, server: 'web' }, 'ENTRY_TAKEN'],
    ['a toolbox of that name', commented, { kind: 'add toolbox', toolbox: 'dev', description: 'd' }, 'ENTRY_TAKEN'],
    ['a move to itself', commented, { kind: 'move server', toolbox: 'dev', server: 'web', to: 'dev' }, 'ENTRY_TAKEN'],
    ['a toolbox beside none', flat, { kind: 'add toolbox', toolbox: 'x', description: 'd' }, 'CONFIG_UNEDITABLE'],
    ['the last server', flat, { kind: 'remove server', toolbox: 'default', server: 'a' }, 'CONFIG_UNEDITABLE'],
    ['another unit of time', zed, { kind: 'move server', toolbox: 'a', server: 's', to: 'b' }, 'CONFIG_UNEDITABLE'],
  ])('%s', (_, text, edit, code) => {
    expect(() => editConfiguration(text, [edit])).toThrow(expect.objectContaining({ code }));
  });

  test('with the way out for a file without toolboxes', () => {
    expect(() => editConfiguration(flat, [{ kind: 'add toolbox', toolbox: 'x', description: 'd' }])).toThrow(
      /To have another one, move them: \{ "toolboxes": \{ "default":/,
    );
  });
});

test('ten thousand servers are added at once, to a new toolbox and to one that is there', () => {
  const many = Array.from({ length: 10_000 }, (_, index): ConfigurationEdit => ({ ...addFiles, server: `s${index}` }));
  const started = process.cpuUsage();
  const made = editConfiguration(undefined, [{ kind: 'add toolbox', toolbox: 'dev', description: 'd' }, ...many]);
  const { text, inverse } = planEdits(commented, many);
  expect(parseFile(made, 'f').file.toolboxes.get('dev')?.mcpServers.size).toBe(10_000);
  expect(parseFile(text, 'f').file.toolboxes.get('dev')?.mcpServers.size).toBe(10_002);
  expect(inverse).toHaveLength(10_000);
  // Parsing the file anew for each would take minutes.
  expect(process.cpuUsage(started).user / 1e6).toBeLessThan(20);
});

const names = fc.constantFrom('a', 'b', 'c', '__proto__', 'x y', '10', '2', 'ü"\\');
const blank = fc.constantFrom('', ' ', '\n', '\r\n\t', ' // c "a": {\n', '/* d */', '\n\n  // e\n  ');
const entry = fc.constantFrom(
  '{"command":"x"}',
  '{ "command": "x", "args": [ "a,b" ] /* why */ }',
  '{\n"url": "https://a.example/mcp", // u\n"headers": { "A": "}" },\n}',
);

function object(members: fc.Arbitrary<readonly (readonly [string, string])[]>): fc.Arbitrary<string> {
  return fc
    .tuple(members, fc.array(blank, { minLength: 40, maxLength: 40 }), fc.boolean())
    .map(([list, gaps, comma]) => {
      let at = 0;
      const gap = () => gaps[at++ % gaps.length] ?? '';
      const texts = list.map(([name, value]) => `${gap()}${JSON.stringify(name)}${gap()}:${gap()}${value}${gap()}`);
      return `{${texts.join(',')}${comma && texts.length > 0 ? ',' : ''}${gap()}}`;
    });
}

const servers = object(
  fc.uniqueArray(fc.tuple(names, entry), { selector: ([name]) => name, minLength: 1, maxLength: 4 }),
);
const toolbox = object(servers.map((text) => [['description', '"d"'] as const, ['mcpServers', text] as const]));
const toolboxes = object(
  fc.uniqueArray(fc.tuple(names, toolbox), { selector: ([name]) => name, minLength: 1, maxLength: 3 }),
);
const configuration = object(
  toolboxes.map((text) => [['openTimeoutMs', '5000'] as const, ['toolboxes', text] as const]),
);

type Model = Map<string, Map<string, unknown>>;

function modelOf(text: string): Model {
  const { toolboxes: found } = parseFile(text, 'f').file;
  return new Map(Array.from(found, ([name, { mcpServers }]) => [name, new Map<string, unknown>(mcpServers)]));
}

function commentsOf(text: string): string[] {
  const document = openDocument('json', text);
  return document.comments().map(({ start, end }) => text.slice(start, end).trimEnd());
}

/** Whether all characters of one text are in the other, in order. */
function isWithin(small: string, large: string): boolean {
  let at = 0;
  for (let index = 0; index < large.length; index++) if (large[index] === small[at]) at++;
  return at === small.length;
}

const withoutSpace = (text: string) => text.replaceAll(/\s/g, '');

describe('a description', () => {
  test('is the first key of its toolbox, replaces the one that is there, and is taken back to the byte', () => {
    const text = '{\n  "toolboxes": {\n    "dev": {\n      "mcpServers": { "a": { "command": "x" } }\n    }\n  }\n}\n';
    const edit = (description: string, name = 'dev'): ConfigurationEdit => ({
      kind: 'describe toolbox',
      toolbox: name,
      description,
    });
    const { text: after, inverse } = planEdits(text, [edit('Code')]);
    expect(after).toBe(text.replace('"mcpServers"', '"description": "Code",\n      "mcpServers"'));
    expect(applyEdits('json', after, inverse).text).toBe(text);
    expect(editConfiguration(after, [edit('Data')])).toBe(after.replace('Code', 'Data'));
    const flat = editConfiguration('{"mcpServers":{"a":{"command":"x"}}}', [edit('All', 'default')]);
    expect(JSON.parse(flat)).toMatchObject({ description: 'All' });
  });
});

describe('whatever a file looks like', () => {
  test('new servers and toolboxes leave all other text as it is', () => {
    fc.assert(
      fc.property(configuration, fc.nat(), fc.array(fc.string(), { maxLength: 2 }), (text, pick, comments) => {
        const before = modelOf(text);
        const name = [...before.keys()][pick % before.size] ?? '';
        const edits: ConfigurationEdit[] = [
          { ...addFiles, toolbox: name, server: 'new 1', comments },
          { ...addFiles, toolbox: name, server: 'new 2' },
          { kind: 'add toolbox', toolbox: 'another', ...(comments.length > 0 && { description: 'd' }) },
          { ...addFiles, toolbox: 'another' },
        ];
        const { text: after, inverse } = planEdits(text, edits);
        expect(isWithin(withoutSpace(text), withoutSpace(after))).toBe(true);
        const expected = [...before].map(([one, held]) => [
          one,
          [...held.keys(), ...(one === name ? ['new 1', 'new 2'] : [])],
        ]);
        expect([...modelOf(after)].map(([one, held]) => [one, [...held.keys()]])).toEqual([
          ...expected,
          ['another', ['files']],
        ]);
        expect(inverse).toHaveLength(3);
      }),
    );
  });

  test('a server is removed, moved or disabled without a change of anything else', () => {
    fc.assert(
      fc.property(configuration, fc.nat(), fc.nat(), fc.nat(2), (text, pickToolbox, pickServer, what) => {
        const before = modelOf(text);
        const name = [...before.keys()][pickToolbox % before.size] ?? '';
        const held = before.get(name) ?? new Map<string, unknown>();
        const server = [...held.keys()][pickServer % held.size] ?? '';
        const [to] = [...before].find(([one, inner]) => one !== name && !inner.has(server)) ?? [];
        const edits: ConfigurationEdit[] = [
          { kind: 'remove server', toolbox: name, server },
          { kind: 'set key', toolbox: name, server, key: 'disabled', value: true },
          ...(to === undefined ? [] : [{ kind: 'move server', toolbox: name, server, to } as const]),
        ];
        const edit = edits[what % edits.length] ?? { kind: 'remove server', toolbox: name, server };
        const after = editConfiguration(text, [edit]);
        const kept = held.get(server);
        if (edit.kind === 'set key') held.set(server, { ...Object(kept), disabled: true });
        else held.delete(server);
        if (held.size === 0) before.delete(name);
        if (edit.kind === 'move server') before.get(edit.to)?.set(server, kept);
        expect(modelOf(after)).toEqual(before);
        expect([...modelOf(after).keys()]).toEqual([...before.keys()]);
        expect(parse(after)).toMatchObject({ openTimeoutMs: 5000 });
        if (edit.kind === 'remove server') expect(isWithin(after, text)).toBe(true);
        // The comments of a toolbox that is empty now go with it.
        else if (held.size > 0) expect(commentsOf(after).toSorted()).toEqual(commentsOf(text).toSorted());
      }),
    );
  });
});
