import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { flawedValues, soundValues, writeJson } from '../../../test/support/config-values.js';
import type { Config, ServerConfig } from '../config.js';
import { describeToolbox } from '../describe-toolbox.js';
import { resolveLate } from '../resolve/resolve-target.js';
import { containerKeys } from '../schema/containers.js';
import { writtenFileSchema } from '../schema/dialect-schema.js';
import { parseConfig, parseFile } from './parse.js';

const options = {
  path: '/etc/workbench/c.json',
  env: {
    GITHUB_TOKEN: 'github',
    LINEAR_TOKEN: 'linear',
    INPUT_API_KEY: 'asked',
    FIGMA_TOKEN: 'figma',
    FIGMA_TEAM: 'team',
    AWS_PROFILE: 'work',
    MAPS_KEY: 'maps',
    VAULT: '/vault',
    TRACKER_KEY: 'tracker',
    SET: 'value',
  },
  cwd: '/project',
  home: '/home/me',
};

function serversOf(config: Config): ServerConfig[] {
  return [...config.toolboxes.values()].flatMap(({ servers }) => [...servers.values()]);
}

/** Without what depends on how an entry is written. */
function meaningOf({ target, ...server }: ServerConfig): object {
  const { fingerprint: _, cacheKey: __, secrets, ...rest } = server;
  const values = secrets.map(({ value }) => value).toSorted();
  return { ...rest, values, target: targetOf(target) };
}

function targetOf(target: ServerConfig['target']): unknown {
  // The reason names places.
  if (target.kind === 'broken') return 'broken';
  if (target.kind !== 'late') return target;
  const { envCommand, draft } = target;
  return { envCommand, draft, resolved: targetOf(resolveLate(target, new Map([['SET', 'printed']])).target) };
}

const inToolbox = (block: object) => ({ toolboxes: { default: { description: 'd', ...block } } });
const load = (file: object) => parseConfig(JSON.stringify(file), options);

/** The blocks of docs/client-blocks.md: as pasted, and in our own form. */
const documented = (() => {
  const docs = readFileSync(new URL('../../../docs/client-blocks.md', import.meta.url), 'utf8');
  const [, part = ''] = /<!-- dialects -->([^]*)<!-- end of dialects -->/.exec(docs) ?? [];
  const blocks = part.matchAll(/\*\*(.+?)\*\*[^`]*```json\n([^]*?)```\s*```json\n([^]*?)```/g);
  return Array.from(blocks, ([, client = '', pasted = '', means = '']) => [client, pasted, means] as const);
})();

test('every client has a documented block', () => {
  expect(documented.map(([client]) => client)).toEqual([
    ...['Claude Code', 'Claude Desktop', 'Cursor', 'VS Code', 'Codex'],
    ...['Gemini CLI', 'opencode', 'opencode 2', 'Windsurf', 'Zed'],
  ]);
});

describe.each(documented)('the block of %s', (_, pasted, means) => {
  const block: object = JSON.parse(pasted);
  const own = load(inToolbox({ mcpServers: JSON.parse(means) }));

  test('means what docs/client-blocks.md says, as a whole file and in a toolbox', () => {
    for (const file of [block, inToolbox(block)]) {
      const config = load(file);
      expect([...config.toolboxes.keys()]).toEqual(['default']);
      expect(config.warnings).toEqual([]);
      expect(serversOf(config).map(meaningOf)).toEqual(serversOf(own).map(meaningOf));
    }
  });
});

describe('settings of clients that are no servers', () => {
  const mcpServers = { a: { command: 'a' } };

  test.each([{ allowed: ['a'] }, { excluded: [], serverCommand: 'x' }])('of Gemini CLI: %j', (mcp) => {
    const config = load({ mcpServers, mcp });
    expect(serversOf(config).map(({ name }) => name)).toEqual(['a']);
    expect(config.warnings).toEqual([
      expect.stringMatching(/config\.mcp: These are settings of Gemini CLI, not servers\./),
    ]);
  });

  test('but servers of opencode that have such names are servers', () => {
    expect(serversOf(load({ mcp: { allowed: { command: ['a'] } } })).map(({ name }) => name)).toEqual(['allowed']);
    expect(() => load({ mcpServers, mcp: { allowed: { command: ['a'] } } })).toThrow('There are servers in "mcp"');
  });
});

test('oauth: false, as opencode writes it, means no login', () => {
  const remote = { type: 'remote', url: 'https://a.example/mcp' };
  const [server] = serversOf(load({ mcp: { a: { ...remote, oauth: false } } }));
  expect(server?.target).toMatchObject({ oauth: { grant: 'none' } });
  expect(() => load({ mcp: { a: { ...remote, oauth: true } } })).toThrow('Not an allowed value. Write one of false.');
});

describe('the effective entry of', () => {
  const only = (file: object) => serversOf(load(file))[0] as ServerConfig;
  const stdio = (command: string, args: string[], env: Record<string, string> = {}, cwd?: string) => ({
    ...{ kind: 'stdio', command, args, cwd },
    env: new Map(Object.entries(env)),
  });
  const blockOf = (client: string) => JSON.parse(documented.find(([name]) => name === client)?.[1] ?? '') as object;

  test('Claude Code, with a header and a timeout', () => {
    const server = only(blockOf('Claude Code'));
    expect(server.target).toEqual({
      ...{ kind: 'remote', url: 'https://api.example.com/mcp', transport: 'http' },
      headers: new Map([['Authorization', 'Bearer github']]),
      credentials: 'the variable GITHUB_TOKEN',
    });
    expect(server.limits.callTimeoutMs).toBe(90_000);
  });

  test('Cursor, with its directories', () => {
    const args = ['/project/tools/linear.js', '/home/me/.cache'];
    const server = only(blockOf('Cursor'));
    expect(server.target).toEqual(stdio('node', args, { TOKEN: 'linear' }));
    expect(server.secrets.map(({ value }) => value)).not.toContain('/project');
  });

  test('VS Code, with an input', () => {
    const target = stdio('npx', ['-y', 'server-search'], { API_KEY: 'asked' }, '/project');
    expect(only(blockOf('VS Code')).target).toEqual(target);
  });

  test('Codex, with headers from variables, names of variables and filters', () => {
    const [figma, aws] = serversOf(load(blockOf('Codex')));
    expect(figma?.target).toMatchObject({
      headers: new Map([
        ['X-Region', 'eu'],
        ['X-Team', 'team'],
        ['Authorization', 'Bearer figma'],
      ]),
    });
    expect(figma?.limits.callTimeoutMs).toBe(120_000);
    expect(aws?.target).toEqual(stdio('uvx', ['server-aws'], { AWS_PROFILE: 'work' }));
    expect(aws).toMatchObject({ disabled: true, toolFilters: ['list_*'], excludedTools: ['list_secrets'] });
    expect(aws?.limits.startTimeoutMs).toBe(20_000);
  });

  test('Gemini CLI, Windsurf and Zed: their urls and the units of their times', () => {
    expect(only(blockOf('Gemini CLI')).target).toMatchObject({ transport: 'http' });
    expect(only(blockOf('Gemini CLI')).limits.callTimeoutMs).toBe(30_000);
    expect(only(blockOf('Zed')).limits.callTimeoutMs).toBe(90_000);
    expect(
      parseFile(JSON.stringify(blockOf('Windsurf')), 'c')
        .file.toolboxes.get('default')
        ?.mcpServers.get('crm'),
    ).toEqual({
      serverUrl: 'https://crm.example.com/sse',
      headers: new Map([['Authorization', 'Bearer ${file:~/.crm-token}']]),
      excludeTools: ['delete_contact'],
    });
  });

  test('opencode: a command in one list', () => {
    const [notes, tracker] = serversOf(load(blockOf('opencode 2')));
    expect(notes?.target).toEqual(stdio('bunx', ['server-notes']));
    expect(tracker?.target).toMatchObject({ headers: new Map([['X-Key', 'tracker']]), transport: 'auto' });
  });

  test('a server with the name of a container', () => {
    const entry = { type: 'local', command: ['x'] };
    expect([
      ...(load({ mcp: { servers: entry, other: entry } })
        .toolboxes.get('default')
        ?.servers.keys() ?? []),
    ]).toEqual(['servers', 'other']);
    expect([
      ...(load({ mcp: { servers: { servers: entry } } })
        .toolboxes.get('default')
        ?.servers.keys() ?? []),
    ]).toEqual(['servers']);
    expect(serversOf(load({ 'mcp.servers': { a: entry } }))).toHaveLength(1);
  });
});

test('a toolbox without a description is described by the servers that it offers', () => {
  const described = (file: object) => [...load(file).toolboxes.values()].map(describeToolbox).join();
  const x = { command: 'x' };
  const off = { command: 'x', disabled: true };
  expect(described({ servers: { github: x, files: x } })).toBe('Tools of github, files');
  expect(described({ toolboxes: { dev: { mcpServers: { github: x, off } } } })).toBe('Tools of github');
  expect(described({ toolboxes: { dev: { mcpServers: { off } } } })).toBe('All its servers are disabled');
  expect(described({ servers: { github: x }, description: 'Code' })).toBe('Code');
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`s${index}`, x]));
  expect(described({ servers: many })).toMatch(/^Tools of s0, .* and 28 more$/);
});

describe('faults of a pasted block', () => {
  function faultsOf(file: object): string {
    try {
      load(file);
      return '';
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
  }
  const server = (entry: object) => ({ servers: { a: entry } });

  test.each([
    [
      { command: 'x', env: { A: '1' }, environment: { A: '2' } },
      '"environment" and "env" mean the same and have different values.',
    ],
    [
      { url: 'https://a.b', headers: { A: '1' }, http_headers: { A: '2' } },
      '"http_headers" and "headers" mean the same',
    ],
    [{ command: 'x', disabled: true, enabled: true }, '"enabled" and "disabled" mean the same'],
    [{ command: 'x', toolFilters: ['a'], tools: ['b'] }, '"tools" and "toolFilters" mean the same'],
    [{ command: 'x', excludeTools: ['a'], disabledTools: ['b'] }, '"disabledTools" and "excludeTools" mean the same'],
    [{ command: 'x', timeout: 5, tool_timeout_sec: 5 }, '"tool_timeout_sec" and "timeout" mean the same'],
    [
      { command: 'x', startTimeoutMs: 5, startup_timeout_sec: 5 },
      '"startup_timeout_sec" and "startTimeoutMs" mean the same',
    ],
    [
      { url: 'https://a.b', headers: { authorization: 'x' }, bearer_token_env_var: 'T' },
      '"bearer_token_env_var" and "headers.authorization" set the same header.',
    ],
    [
      { url: 'https://a.b', http_headers: { A: 'x', a: 'y' } },
      '"http_headers.a" and "http_headers.A" set the same header.',
    ],
    [
      { url: 'https://a.b', bearer_token_env_var: 'a-b' },
      'bearer_token_env_var: Not the name of an environment variable.',
    ],
    [{ environment: {} }, 'A server needs a command or a url.'],
    [{ command: [] }, 'command: The list is empty.'],
    [{ command: ['x', 7] }, 'command[1]: Expected a string, found a number.'],
    [{ command: 7 }, 'command: Expected a string, found a number.'],
    [{ command: { path: 'x' } }, 'command: Expected a string, found an object.'],
    [{ command: 'x', timeout: 1.5 }, 'timeout: Expected a whole number'],
    [{ command: 'x', tool_timeout_sec: '1.5' }, 'tool_timeout_sec: Expected a number, found a string.'],
  ])('%j', (entry, fault) => {
    expect(faultsOf(server(entry))).toContain(`config.servers.a`);
    expect(faultsOf(server(entry))).toContain(fault);
    expect(faultsOf(server(entry))).toContain('(1 fault)');
  });

  test('equal values under two keys are no fault', () => {
    const entry = {
      command: 'x',
      env: { A: '1', B: '2' },
      environment: { B: '2', A: '1' },
      disabled: false,
      enabled: true,
    };
    expect(faultsOf(server({ ...entry, timeout: 5_000, tool_timeout_sec: 5 }))).toBe('');
    expect(faultsOf({ context_servers: { a: { command: 'x', timeout: 5, tool_timeout_sec: 5 } } })).toBe('');
  });

  test('the inputs of VS Code are known, also in the block of its settings', () => {
    const block = { inputs: [{ id: 'key' }], servers: { a: { command: 'x' } } };
    for (const file of [block, { mcp: block }, inToolbox(block), inToolbox({ mcp: block })])
      expect(load(file).warnings).toEqual([]);
  });

  test('servers under two keys are one', () => {
    const x = { a: { command: 'x' } };
    expect(faultsOf({ mcpServers: x, servers: x })).toContain(
      'config.servers: There are servers in "servers" and in "mcpServers".',
    );
    expect(faultsOf({ ...inToolbox({ servers: x }), mcp: x })).toContain(
      'config.mcp: There are servers in "mcp" and in "toolboxes".',
    );
    expect(faultsOf(inToolbox({}))).toContain('config.toolboxes.default.mcpServers: mcpServers is missing.');
    expect(faultsOf({})).toContain('config.toolboxes: toolboxes is missing.');
  });

  test('an unknown key gives one warning with the nearest known key', () => {
    const { warnings } = load(server({ command: 'x', enviroment: {}, autoApprove: [] }));
    expect(warnings).toEqual([
      expect.stringContaining("config.servers.a.enviroment: Unknown key. Did you mean 'environment'?"),
      expect.stringContaining('config.servers.a.autoApprove: Unknown key.'),
    ]);
  });

  test('messages about values name the keys as written', () => {
    const reasons = (entry: object) => serversOf(load({ mcp: { servers: { a: entry } } })).map(({ target }) => target);
    const entry = { command: ['x', '${GONE_1}'], args: ['${GONE_2}'], environment: { T: '{env:GONE_3}' } };
    expect(reasons(entry)[0]).toMatchObject({
      kind: 'broken',
      reason: expect.stringMatching(
        /^GONE_1 \(command\[1\]\), GONE_2 \(args\[0\]\) and GONE_3 \(environment\.T\) are not set\. /,
      ),
    });
    const remote = { url: 'https://a.b', bearer_token_env_var: 'GONE_4', http_headers: { A: '${GONE_5}' } };
    expect(reasons(remote)[0]).toMatchObject({
      reason: expect.stringMatching(/^GONE_5 \(http_headers\.A\) and GONE_4 \(bearer_token_env_var\) are not set\. /),
    });
    const input = { command: 'x', args: ['${input:gone-id}'] };
    expect(reasons(input)[0]).toMatchObject({
      reason: expect.stringMatching(/^The input 'gone-id' \(args\[0\]\) is missing.* INPUT_GONE_ID,/),
    });
  });
});

describe('for any file', () => {
  const budget = { numRuns: 500, plugins: [fc.interruptAfterTimeLimit(10_000)] };
  const writeEntry = (entry: unknown) => JSON.parse(writeJson(entry)) as Record<string, unknown>;

  /** What contradicts it is a fault of the whole file, which the schema accepts. */
  const isForEveryone = (source: string) => /"forEveryone":\s*true/.test(source);

  test('a valid one is translated, and then means the same in our own form', () => {
    fc.assert(
      fc.property(soundValues(writtenFileSchema).map(writeJson), (source) => {
        fc.pre(!isForEveryone(source));
        const written = parseConfig(source, options);
        const { file } = parseFile(source, options.path);
        const again = parseConfig(writeJson(file), options);
        expect(serversOf(again).map(meaningOf)).toEqual(serversOf(written).map(meaningOf));
        expect([...again.toolboxes.keys()]).toEqual([...written.toolboxes.keys()]);
      }),
      budget,
    );
  });

  test('every container means the same, but for the unit of time', () => {
    const entries = soundValues(writtenFileSchema.def.shape.servers).map(writeEntry);
    fc.assert(
      fc.property(entries, fc.constantFrom(...containerKeys), (servers, key) => {
        fc.pre(!isForEveryone(JSON.stringify(servers)));
        if (key === 'context_servers' && JSON.stringify(servers).includes('"timeout"')) return;
        const expected = serversOf(load({ mcpServers: servers })).map(meaningOf);
        expect(serversOf(load({ [key]: servers })).map(meaningOf)).toEqual(expected);
        expect(serversOf(load(inToolbox({ [key]: servers }))).map(meaningOf)).toEqual(expected);
        if (key === 'mcp') expect(serversOf(load({ mcp: { servers } })).map(meaningOf)).toEqual(expected);
      }),
      budget,
    );
  });

  test('one with flaws is read, or its faults are listed', () => {
    fc.assert(
      fc.property(fc.oneof(flawedValues(writtenFileSchema).map(writeJson), fc.string(), fc.json()), (source) => {
        try {
          parseConfig(source, options);
        } catch (error) {
          expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
        }
      }),
      budget,
    );
  });
});
