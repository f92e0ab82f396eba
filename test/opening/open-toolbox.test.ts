import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as program from '../support/agents.js';
import { opened, statsOf, text } from '../support/agents.js';
import { callLog } from '../support/call-log.js';
import { devToolbox } from '../support/configs.js';
import { connectAgent } from '../support/in-process.js';
import { temporaryDirectory } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';
import { scriptedServersWith } from '../support/processes.js';
import { fixture, fixtureWith } from '../support/servers.js';
import { until } from '../support/until.js';

const inputSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };

test('an ordinary toolbox gives four fields, as compact JSON in one text block', async () => {
  const read = {
    name: 'read',
    title: 'Read',
    description: 'Reads a file',
    inputSchema,
    annotations: { readOnlyHint: true },
  };
  const agent = await connectAgent('v2 modern', { config: devToolbox({ files: fixtureWith([read]) }) });
  const result = await agent.open('dev');
  expect(result.content.map((block) => block.type)).toEqual(['text']);
  expect(text(result)).toBe(JSON.stringify(JSON.parse(text(result))));
  expect(Object.keys(opened(result))).toEqual(['toolbox', 'description', 'servers_connected', 'tools']);
  expect(opened(result)).toEqual({
    toolbox: 'dev',
    description: 'For development',
    servers_connected: 1,
    tools: [{ ...read, toolbox: 'dev', server: 'files' }],
  });
});

test('tools are listed as their server describes them, with fields that the lock does not hold only where it is off', async () => {
  const odd = {
    name: 'odd',
    description: 'Ünïcode ✓\nand lines',
    inputSchema: {
      type: 'object',
      properties: { x: { $ref: '#/$defs/10' }, y: { $ref: '#/$defs/a' } },
      $defs: { '10': {}, a: {} },
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: { sum: { type: 'number' } } },
  };
  const more = {
    icons: [{ src: 'data:image/png;base64,AAAA' }],
    _meta: { 'example.com/cost': 3 },
    fromTheFuture: { nested: [1, null] },
  };
  const files = fixtureWith([{ ...odd, ...more }]);
  const config = devToolbox({ files, free: { ...files, lock: 'off' } });
  const agent = await connectAgent('v2 modern', { config });
  expect(opened(await agent.open('dev')).tools).toEqual([
    { ...odd, toolbox: 'dev', server: 'files' },
    { ...odd, ...more, toolbox: 'dev', server: 'free' },
  ]);
});

test('servers are in the order of the file and tools in the order of their server, whichever answers first', async () => {
  const config = devToolbox(
    new Map([
      ['slow', fixtureWith(['z', 'a', 'm'], '--start-delay', 700)],
      ['10', fixtureWith(['second', 'first'], '--start-delay', 300)],
      ['2', fixtureWith(['b', '10', '2'])],
    ]),
  );
  const agent = await connectAgent('v2 modern', { config });
  const { tools, servers_connected } = opened(await agent.open('dev'));
  expect(servers_connected).toBe(3);
  expect(tools.map(({ server, name }) => [server, name])).toEqual([
    ['slow', 'z'],
    ['slow', 'a'],
    ['slow', 'm'],
    ['10', 'second'],
    ['10', 'first'],
    ['2', 'b'],
    ['2', '10'],
    ['2', '2'],
  ]);
});

test('instructions of servers are listed under instructions', async () => {
  const config = devToolbox({ quiet: fixture(), wordy: fixture('--instructions', 'Call me first.') });
  const agent = await connectAgent('v2 legacy', { config });
  expect(opened(await agent.open('dev')).instructions).toEqual([{ server: 'wordy', text: 'Call me first.' }]);
});

test('servers that cannot be reached are listed beside the others', async () => {
  linuxOnly('counts processes in /proc');
  const config = devToolbox({
    missing: { command: '/does/not/exist' },
    works: fixtureWith(['one']),
    exits: { command: process.execPath, args: ['-e', "console.error('I have no', 'licence'); process.exit(7)"] },
    mute: { ...fixture('--never-answer'), startTimeoutMs: 500 },
    remote: { url: 'https://mcp.invalid/mcp' },
    needy: { ...fixture(), args: ['${NOT_SET_ANYWHERE}'] },
    off: { ...fixture(), disabled: true },
  });
  const agent = await connectAgent('v2 modern', { config });
  const { servers_connected, tools, unavailable } = opened(await agent.open('dev'));
  expect(servers_connected).toBe(1);
  expect(tools.map(({ server, name }) => [server, name])).toEqual([['works', 'one']]);
  expect(unavailable?.map(({ server }) => server)).toEqual(['missing', 'exits', 'mute', 'remote', 'needy']);
  const reasons = Object.fromEntries(unavailable?.map(({ server, reason }) => [server, reason]) ?? []);
  expect(reasons['missing']).toContain('/does/not/exist');
  expect(reasons['exits']).toMatch(/7.*I have no licence/);
  expect(reasons['mute']).toContain('500');
  expect(reasons['remote']).not.toBe('');
  expect(reasons['needy']).toContain('NOT_SET_ANYWHERE');
  expect(reasons['needy']).toContain('(args[0])');
  // Processes of failed servers end after the answer.
  await until(() => scriptedServersWith(agent.marker).length === 1);
});

test('opening a toolbox fails with one line per server if none can be reached', async () => {
  const config = devToolbox({
    missing: { command: '/does/not/exist' },
    exits: fixture('--exit', 7),
    remote: { url: 'https://mcp.invalid/mcp' },
  });
  const agent = await connectAgent('v2 legacy', { config });
  const result = await agent.open('dev');
  expect(result.isError).toBe(true);
  const lines = text(result).split('\n');
  expect(lines).toHaveLength(3);
  for (const [index, server] of ['missing', 'exits', 'remote'].entries()) {
    expect(lines[index]).toMatch(new RegExp(`^Failed to connect to server '${server}' in toolbox 'dev': .`));
  }
});

test('a disabled server is left out of the listing and cannot be called', async () => {
  const log = callLog();
  const config = devToolbox({ on: fixtureWith(['one']), off: { ...fixture('--log', log.path), disabled: true } });
  const agent = await connectAgent('v2 legacy', { config });
  const { servers_connected, tools } = opened(await agent.open('dev'));
  expect(servers_connected).toBe(1);
  expect(tools.map(({ server }) => server)).toEqual(['on']);
  const called = await agent.use('dev', 'off', 'echo');
  expect(called.isError).toBe(true);
  expect(text(called)).toMatch(/^Failed to connect to server 'off' in toolbox 'dev': .*disabled/);
  expect(log.entries()).toEqual([]);
});

test('opening again returns the same result without new processes or handshakes', async () => {
  const log = callLog();
  const agent = await connectAgent('v2 modern', { config: devToolbox({ files: fixture('--log', log.path) }) });
  const first = await agent.open('dev');
  const before = log.entries();
  const again = await Promise.all([agent.open('dev'), agent.open('dev'), agent.open('dev')]);
  for (const result of again) expect(text(result)).toBe(text(first));
  expect(log.entries()).toEqual(before);
  expect(log.methods('start')).toHaveLength(1);
  expect(log.methods('tools/list')).toHaveLength(1);
});

test('servers that failed are retried, the others keep their processes', async () => {
  const log = callLog();
  const late = join(temporaryDirectory(), 'late.mjs');
  const config = devToolbox({ works: fixture('--log', log.path), late: { command: process.execPath, args: [late] } });
  const agent = await connectAgent('v2 modern', { config });
  const first = opened(await agent.open('dev'));
  expect(first.unavailable?.map(({ server }) => server)).toEqual(['late']);
  writeFileSync(late, `await import(${JSON.stringify(fixture().args?.[0])});`);
  const second = opened(await agent.open('dev'));
  expect(second.unavailable).toBeUndefined();
  expect(second.servers_connected).toBe(2);
  expect(log.methods('start')).toHaveLength(1);
});

test('the same server in two toolboxes has a process and an environment of its own in each', async () => {
  const entry = (token: string) => ({ ...fixture(), env: { TOKEN: token } });
  const config = {
    toolboxes: {
      dev: { description: 'Development', mcpServers: { api: entry('dev-token') } },
      prod: { description: 'Production', mcpServers: { api: entry('prod-token') } },
    },
  };
  const agent = await connectAgent('v2 modern', { config });
  expect(opened(await agent.open('dev')).servers_connected).toBe(1);
  expect(opened(await agent.open('prod')).servers_connected).toBe(1);
  expect((await statsOf(agent, 'dev', 'api')).pid).not.toBe((await statsOf(agent, 'prod', 'api')).pid);
  expect(JSON.parse(text(await agent.use('dev', 'api', 'env')))).toMatchObject({ TOKEN: 'dev-token' });
  expect(JSON.parse(text(await agent.use('prod', 'api', 'env')))).toMatchObject({ TOKEN: 'prod-token' });
});

test('a paginated listing is read to its end', async () => {
  const names = Array.from({ length: 25 }, (_, index) => `tool_${index + 1}`);
  const config = devToolbox({ many: fixture('--tools', '', '--tool-count', 25, '--page-size', 4) });
  const agent = await connectAgent('v2 legacy', { config });
  expect(opened(await agent.open('dev')).tools.map(({ name }) => name)).toEqual(names);
});

test('a listing that never ends is cut off, and the toolbox opens', async () => {
  const log = callLog();
  const config = devToolbox({ endless: fixture('--endless-pages', '--log', log.path), works: fixtureWith(['one']) });
  const agent = await connectAgent('v2 modern', { config });
  const { tools, servers_connected } = opened(await agent.open('dev'));
  expect(servers_connected).toBe(2);
  expect(tools.at(0)).toMatchObject({ server: 'endless', name: 'page_0' });
  expect(tools.at(-1)).toMatchObject({ server: 'works', name: 'one' });
  expect(log.methods('tools/list').length).toBeLessThanOrEqual(1_000);
});

test.each([
  ['by name', ['write_file'], ['write_file']],
  ['by globs', ['read_*', '*_all'], ['read_file', 'read_folder', 'drop_all']],
  ['by a name with a wildcard in the middle', ['read_*er'], ['read_folder']],
  ['by both', ['drop_all', 'read_f*e'], ['read_file', 'drop_all']],
  ['with all of them', ['*'], ['read_file', 'read_folder', 'write_file', 'drop_all', 'READ_FILE', 'a.b']],
  ['with none of them', [], []],
  ['with a literal dot', ['a.*', 'd.op_all'], ['a.b']],
])('filters choose tools %s, in listings and in calls', async (_how, toolFilters, expected) => {
  const log = callLog();
  const all = ['read_file', 'read_folder', 'write_file', 'drop_all', 'READ_FILE', 'a.b'];
  const config = devToolbox({ files: { ...fixtureWith(all, '--log', log.path), toolFilters } });
  const agent = await connectAgent('v2 modern', { config });
  expect(opened(await agent.open('dev')).tools.map(({ name }) => name)).toEqual(expected);
  for (const name of all) {
    const result = await agent.use('dev', 'files', name);
    if (expected.includes(name)) expect(text(result)).toBe('{}');
    else expect(text(result)).toMatch(new RegExp(`^Tool '${name}' not found in server 'files' \\(toolbox 'dev'\\)`));
  }
  expect(log.methods('tools/call').map(({ name }) => name)).toEqual(expected);
});

test('opening one toolbox starts no server of another', async () => {
  const log = callLog();
  const config = {
    toolboxes: {
      dev: { description: 'Development', mcpServers: { files: fixture() } },
      prod: { description: 'Production', mcpServers: { files: fixture('--log', log.path) } },
    },
  };
  const agent = await connectAgent('v2 modern', { config });
  await agent.open('dev');
  expect(existsSync(log.path)).toBe(false);
});

test('a client gets text only: structured content would be shown beside it, or instead of it', async () => {
  const agent = await program.connectAgent('v1', { config: devToolbox({ any: fixture() }) });
  const { content, structuredContent } = await agent.open('dev');
  expect(content).toEqual([{ type: 'text', text: expect.stringMatching(/^{"toolbox":"dev"/) }]);
  expect(structuredContent).toBeUndefined();
  for (const tool of await agent.listTools()) expect(tool).not.toHaveProperty('outputSchema');
});
