import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { text } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { connectAgent, startWorkbench } from '../support/in-process.js';
import { temporaryDirectory } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';
import { scriptedServersWith } from '../support/processes.js';
import { fixture, fixtureWith } from '../support/servers.js';
import { until } from '../support/until.js';
import { initialize, modern, type RunningWorkbench, startWorkbench as startProgram } from '../support/workbench.js';

const config = devToolbox({ any: fixture() });

const useTool = (name: string, args: object) => ({
  name: 'use_tool',
  arguments: { tool: { toolbox: 'dev', server: 'any', name }, arguments: args },
});

async function expectWorks(
  workbench: RunningWorkbench,
  envelope: (params: object) => object = (params) => params,
): Promise<void> {
  const { result } = await workbench.request('tools/call', envelope(useTool('echo', { still: 'here' })));
  expect(result).toMatchObject({ content: [{ type: 'text', text: '{"still":"here"}' }] });
}

const garbage: Record<string, string | Uint8Array> = {
  'a line that is not JSON': 'hello?\n',
  'half a message': '{"jsonrpc":"2.0","id":1,"method":\n',
  'empty lines': '\n\n   \n\r\n',
  'binary bytes': Buffer.from([0, 1, 2, 255, 254, 192, 128, 10]),
  'JSON that is not a message': 'null\n42\n"text"\n[]\n{}\n[[]]\n[null]\n{"jsonrpc":"2.0"}\n',
  'a method of the wrong type':
    '{"jsonrpc":"2.0","id":"w1","method":5}\n{"jsonrpc":"2.0","id":"w2","method":{"a":1}}\n',
  'parameters of the wrong type': '{"jsonrpc":"2.0","id":"w3","method":"tools/call","params":"use_tool"}\n',
  'an id of the wrong type':
    '{"jsonrpc":"2.0","id":{"a":1},"method":"tools/list"}\n{"jsonrpc":"2.0","id":[1],"method":"ping"}\n',
  'another version of JSON-RPC': '{"jsonrpc":"1.0","id":"w4","method":"tools/list"}\n',
  'responses without a request':
    '{"jsonrpc":"2.0","id":4711,"result":{}}\n{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}\n',
  'unknown notifications': '{"jsonrpc":"2.0","method":"notifications/of/tomorrow","params":{}}\n',
  'cancellations of nothing': '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"never"}}\n',
  'a key that pollutes': '{"jsonrpc":"2.0","id":"w5","method":"tools/list","params":{"__proto__":{"x":1}}}\n',
};

describe('broken JSON-RPC from the client', () => {
  test.each(Object.entries(garbage))('%s leaves a legacy connection working', async (_what, bytes) => {
    const workbench = startWorkbench({ config });
    workbench.write(bytes);
    await initialize(workbench);
    workbench.write(bytes);
    await expectWorks(workbench);
    for (const line of workbench.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  });

  test('all of this leaves a modern connection working', async () => {
    const workbench = startWorkbench({ config });
    // A valid request first: the first message decides the era of the connection.
    await workbench.request('server/discover', modern());
    await workbench.request('tools/list', modern());
    for (const bytes of Object.values(garbage)) {
      workbench.write(bytes);
      await expectWorks(workbench, modern);
    }
    for (const line of workbench.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  });

  test('a line of 12 MB that is not a message leaves the connection working', async () => {
    const workbench = startWorkbench({ config });
    await initialize(workbench);
    workbench.write(`${'x'.repeat(8 * 1024 * 1024 - 1_000)}\n`);
    await expectWorks(workbench);
  });

  test('arguments of 8 MB, less what is around them, arrive', async () => {
    const workbench = startWorkbench({ config });
    await initialize(workbench);
    const { result } = await workbench.request(
      'tools/call',
      useTool('write_stderr', { text: '', filler: 'x'.repeat(8 * 1024 * 1024 - 1_000) }),
    );
    expect(result).toEqual({ content: [{ type: 'text', text: 'written' }] });
  });

  test('a message in many chunks and many messages in one chunk are all answered', async () => {
    const workbench = startWorkbench({ config });
    await initialize(workbench);
    const line = (id: string) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params: {} })}\r\n`;
    for (const character of line('pieces')) workbench.write(character);
    workbench.write(line('one') + line('two') + line('three'));
    for (const id of ['pieces', 'one', 'two', 'three'])
      expect((await workbench.answerTo(id)).result).toHaveProperty('tools');
  });

  test('a call in flight is not disturbed', async () => {
    const workbench = startWorkbench({ config });
    await initialize(workbench);
    const sleeping = workbench.request('tools/call', useTool('sleep', { ms: 800 }));
    for (const bytes of Object.values(garbage)) workbench.write(bytes);
    expect((await sleeping).result).toEqual({ content: [{ type: 'text', text: 'slept 800 ms' }] });
  });

  test('an unknown method gets -32601', async () => {
    const workbench = startWorkbench({ config });
    await initialize(workbench);
    expect((await workbench.request('tools/destroy', {})).error?.code).toBe(-32_601);
    expect((await workbench.request('prompts/list', {})).error?.code).toBe(-32_601);
    await expectWorks(workbench);
  });

  test('requests before the handshake do not break it', async () => {
    const workbench = startWorkbench({ config });
    workbench.send({ id: 'early', method: 'tools/list', params: {} });
    await workbench.answerTo('early');
    await initialize(workbench);
    await expectWorks(workbench);
  });
});

test('a client that calls an unknown meta-tool gets a JSON-RPC error', async () => {
  const agent = await connectAgent('v2 modern', { config });
  for (const name of ['close_toolbox', 'echo', '__proto__', '']) {
    await expect(agent.call(name, {})).rejects.toMatchObject({ code: -32_602 });
  }
  expect(text(await agent.use('dev', 'any', 'echo'))).toBe('{}');
});

const invalidConfigs: [what: string, configText: string, expected: RegExp[]][] = [
  ['invalid JSON', '{ "toolboxes": ', [/workbench-config\.json:1:\d+/]],
  ['an empty file', '', [/workbench-config\.json:1:1/]],
  ['no toolboxes', '{}', [/config.*toolboxes/]],
  ['an array', '[]', [/workbench-config\.json:1:1/]],
  [
    'a toolbox with an empty description and one without servers',
    '{\n "toolboxes": {\n  "a": { "description": "", "mcpServers": { "s": { "command": "x" } } },\n  "b": { "description": "B", "mcpServers": {} }\n }\n}',
    [
      /workbench-config\.json:3:\d+ config\.toolboxes\.a\b.*description/,
      /workbench-config\.json:4:\d+ config\.toolboxes\.b\.mcpServers/,
    ],
  ],
  [
    'a server with neither command nor url',
    '{"toolboxes":{"a":{"description":"A","mcpServers":{"s":{"args":[]}}}}}',
    [/config\.toolboxes\.a\.mcpServers\.s\b.*command.*url/],
  ],
  [
    'a key that occurs twice',
    '{"toolboxes":{"a":{"description":"A","description":"B","mcpServers":{"s":{"command":"x"}}}}}',
    [/config\.toolboxes\.a.*description/],
  ],
  ['the toolbox *', '{"toolboxes":{"*":{"description":"A","mcpServers":{"s":{"command":"x"}}}}}', [/'\*'/]],
  [
    'a malformed variable',
    '{"toolboxes":{"a":{"description":"A","mcpServers":{"api":{"command":"x","env":{"API_KEY":"${API KEY}"}}}}}}',
    [/config\.toolboxes\.a\.mcpServers\.api\.env\.API_KEY/],
  ],
  [
    'types that do not match their servers',
    '{"toolboxes":{"a":{"description":"A","mcpServers":{\n"s":{"command":"x","type":"sse"},\n"t":{"url":"http://x","type":"http","transport":"sse"},\n"u":{"url":"http://x","type":"ws"}}}}}',
    [
      /workbench-config\.json:2:\d+ config\.toolboxes\.a\.mcpServers\.s\.type: .*command.*Remove "type"/,
      /workbench-config\.json:3:\d+ config\.toolboxes\.a\.mcpServers\.t\.transport: .*"type".*Keep one/,
      /workbench-config\.json:4:\d+ config\.toolboxes\.a\.mcpServers\.u\.type: .*"streamable-http".*"sse"/,
    ],
  ],
  [
    'URLs that are wrong or differ',
    '{"toolboxes":{"a":{"description":"A","mcpServers":{\n"s":{"url":"http://x","httpUrl":"http://y"},\n"t":{"transport":{"type":"http","url":"ws://x"}},\n"u":{"command":"x","serverUrl":"http://x"}}}}}',
    [
      /workbench-config\.json:2:\d+ config\.toolboxes\.a\.mcpServers\.s\.httpUrl: .*"url".*Keep one/,
      /workbench-config\.json:3:\d+ config\.toolboxes\.a\.mcpServers\.t\.transport\.url: Not an http or https URL/,
      /workbench-config\.json:4:\d+ config\.toolboxes\.a\.mcpServers\.u: .*command or a url, not both/,
    ],
  ],
  [
    'headers that are wrong or occur twice',
    '{"toolboxes":{"a":{"description":"A","mcpServers":{"s":{"url":"http://x","headers":{"A b":"1","X":"1","x":"2"}}}}}}',
    [/s\.headers\["A b"\]: Not the name of an HTTP header/, /s\.headers\.x: This header occurs more than once/],
  ],
  [
    'settings of the wrong type',
    '{"openTimeoutMs":"soon","toolboxes":{"a":{"description":"A","mcpServers":{"s":{"command":"x","callTimeoutMs":-1,"disabled":"no"}}}}}',
    [/config\.openTimeoutMs/, /s\.callTimeoutMs/, /s\.disabled/],
  ],
];

test.each(invalidConfigs)(
  'with --frozen, a configuration with %s makes the program exit with code 3 and every fault on stderr',
  async (_what, configText, expected) => {
    const workbench = startProgram({ configText, args: ['--frozen'] });
    expect(await workbench.exited).toEqual({ code: 3, signal: null });
    for (const pattern of expected) expect(workbench.stderr()).toMatch(pattern);
    expect(workbench.lines).toEqual([]);
  },
);

test('the message about an invalid configuration does not contain its values', async () => {
  const server = {
    command: 7,
    args: ['canary-argument'],
    env: { KEY: 'canary-env', OTHER: { canary: 'canary-object' } },
    url: 'canary-url',
  };
  const workbench = startProgram({
    configText: JSON.stringify({ toolboxes: { a: { description: 'A', mcpServers: { s: server } } } }),
    args: ['--frozen'],
  });
  expect(await workbench.exited).toEqual({ code: 3, signal: null });
  expect(workbench.stderr()).not.toContain('canary-');
});

test('a named configuration file that does not exist makes the program exit with code 3', async () => {
  const missing = join(temporaryDirectory(), 'nowhere.json');
  for (const options of [{ args: ['--config', missing] }, { env: { WORKBENCH_CONFIG: missing } }]) {
    const workbench = startProgram(options);
    expect(await workbench.exited).toEqual({ code: 3, signal: null });
    expect(workbench.stderr()).toContain(missing);
    expect(workbench.lines).toEqual([]);
  }
});

test('an unknown option makes the program exit with a hint', async () => {
  const workbench = startProgram({ args: ['--confg', 'x.json'] });
  const { code } = await workbench.exited;
  expect(code).toBeGreaterThan(0);
  expect(workbench.stderr()).toMatch(/--confg/);
  expect(workbench.lines).toEqual([]);
});

const brokenServers = {
  'is not there': [{ command: '/does/not/exist' }, /does\/not\/exist/],
  'is not there, by a plain name': [{ command: 'surely-no-such-command' }, /surely-no-such-command/],
  'may not be executed': [{ command: '/etc/hostname' }, /\/etc\/hostname/],
  'has no such directory': [{ ...fixture(), cwd: '/does/not/exist' }, /\/does\/not\/exist/],
  'exits at once with a code': [fixture('--exit', 9), /\b9\b/],
  'exits at once with success': [fixture('--exit', 0), /exit/],
  'never answers': [{ ...fixture('--never-answer'), startTimeoutMs: 400 }, /400/],
  'never answers and ignores signals': [
    { ...fixture('--never-answer', '--ignore-eof', '--ignore-sigterm'), startTimeoutMs: 400 },
    /400/,
  ],
  'talks nonsense only': [
    { command: 'sh', args: ['-c', 'while :; do echo nonsense; sleep 0.05; done'], startTimeoutMs: 400 },
    /400/,
  ],
  'is not a server': [{ command: 'true' }, /exit/],
} as const;

describe.each(Object.entries(brokenServers))('a server that %s', (_what, [entry, reason]) => {
  test('is reported, affects no other server, and leaves no process', async () => {
    linuxOnly('counts processes in /proc');
    const agent = await connectAgent('v2 modern', {
      config: devToolbox({ broken: entry, works: fixtureWith(['one']) }),
    });
    // At once: a stubborn process is ended for seconds, and only then started again.
    const [used, listed] = await Promise.all([agent.use('dev', 'broken', 'anything'), agent.open('dev')]);
    expect(used.isError).toBe(true);
    expect(text(used)).toMatch(/^Failed to connect to server 'broken' in toolbox 'dev': ./);
    expect(text(used)).toMatch(reason);
    const listing = JSON.parse(text(listed));
    expect(listing).toMatchObject({ servers_connected: 1, unavailable: [{ server: 'broken' }] });
    expect(listing.unavailable[0].reason).toMatch(reason);
    expect(text(await agent.use('dev', 'works', 'one'))).toBe('{}');
    await until(() => scriptedServersWith(agent.marker).length === 1, { what: 'the end of the broken server' });
  });
});

test('a server that could not be started is started again by the next call, which fails for the same reason', async () => {
  const [entry, reason] = brokenServers['is not a server'];
  const agent = await connectAgent('v2 modern', { config: devToolbox({ broken: entry, works: fixtureWith(['one']) }) });
  expect(text(await agent.use('dev', 'broken', 'anything'))).toMatch(reason);
  expect(text(await agent.use('dev', 'broken', 'anything'))).toMatch(reason);
  const listing = JSON.parse(text(await agent.open('dev')));
  expect(listing).toMatchObject({ servers_connected: 1, unavailable: [{ server: 'broken' }] });
  expect(listing.unavailable[0].reason).toMatch(reason);
});
