import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { flavours, opened, type RawResult, statsOf, text } from '../support/agents.js';
import { callLog } from '../support/call-log.js';
import { devToolbox } from '../support/configs.js';
import { connectAgent, startWorkbench } from '../support/in-process.js';
import { linuxOnly } from '../support/platform.js';
import { scriptedServersWith } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { startStopwatch } from '../support/stopwatch.js';
import { initialize, modern, type RunningWorkbench } from '../support/workbench.js';

const identity = 'io.modelcontextprotocol/serverInfo';

const kinds = [
  { type: 'text', text: 'plain ✓', annotations: { audience: ['user'], priority: 0.5 }, _meta: { 'example.com/a': 1 } },
  { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png', fromTheFuture: true },
  { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
  { type: 'resource_link', uri: 'file:///a%20b.txt', name: 'a b', mimeType: 'text/plain', size: 12, extra: [1] },
  { type: 'resource', resource: { uri: 'memo://1', text: 'a memo', mimeType: 'text/plain', extra: null } },
  {
    type: 'resource',
    resource: { uri: 'memo://2', blob: 'AAEC' },
    annotations: { lastModified: '2026-01-01T00:00:00Z' },
  },
];

const results = {
  'every content kind': { content: kinds },
  'no content at all': { content: [] },
  'structured content': {
    content: [{ type: 'text', text: '{}' }],
    structuredContent: { deep: { list: [1, null, 'x'] } },
  },
  'an error of the tool': {
    content: [{ type: 'text', text: 'no such file' }],
    isError: true,
    structuredContent: { errno: 2 },
  },
  'unknown fields': { content: [], fromTheFuture: { a: [1, { b: null }] }, _meta: { 'example.com/trace': { id: 7 } } },
};

/** A connection of either era without a client library, which would change results. */
async function connectRaw(era: 'legacy' | 'modern', downstreamFlags: string[]) {
  const workbench = startWorkbench({ config: devToolbox({ any: fixture(...downstreamFlags) }) });
  if (era === 'legacy') await initialize(workbench);
  const params = (name: string, args?: unknown) => {
    const call = { name: 'use_tool', arguments: { tool: { toolbox: 'dev', server: 'any', name }, arguments: args } };
    return era === 'legacy' ? call : modern(call);
  };
  return {
    workbench,
    use: async (name: string, args?: unknown) => (await workbench.request('tools/call', params(name, args))).result,
  };
}

describe.each(['legacy', 'modern'] as const)('a %s agent', (era) => {
  test.each(['legacy', 'modern'])('gets results exactly as a %s server sent them', async (downstreamEra) => {
    const { use } = await connectRaw(era, downstreamEra === 'modern' ? ['--modern'] : []);
    for (const [what, sent] of Object.entries(results)) {
      const received = { ...(await use('result', sent)) };
      // These two belong to the connection between the agent and us: the revision requires them.
      if (era === 'modern') {
        expect(received['resultType']).toBe('complete');
        delete received['resultType'];
        expect(received['_meta']).toMatchObject({ [identity]: { name: 'mcp-workbench' } });
        const { [identity]: _, ...meta } = received['_meta'] as Record<string, unknown>;
        if (Object.keys(meta).length === 0) delete received['_meta'];
        else received['_meta'] = meta;
      }
      expect(received, what).toStrictEqual(sent);
    }
  });

  test('sends arguments unchanged, a key named __proto__ included', async () => {
    const { workbench, use } = await connectRaw(era, []);
    await use('echo');
    const args = '{"__proto__":{"admin":true},"constructor":{"prototype":1},"list":[{"__proto__":null}],"ü ✓":1e3}';
    await sendUse(workbench, era, 'by-hand', args);
    const { result } = await workbench.answerTo('by-hand');
    expect(JSON.stringify((result as unknown as RawResult).content[0]?.text)).toBe(
      JSON.stringify(args.replace('1e3', '1000')),
    );
    expect({}).not.toHaveProperty('admin');
  });
});

async function sendUse(workbench: RunningWorkbench, era: string, id: string, args: string): Promise<void> {
  const tool = '{"toolbox":"dev","server":"any","name":"echo"}';
  const meta = era === 'modern' ? `,"_meta":${JSON.stringify((modern() as { _meta: object })._meta)}` : '';
  workbench.write(
    `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":{"name":"use_tool","arguments":{"tool":${tool},"arguments":${args}}${meta}}}\n`,
  );
}

test.each([
  ['2024-11-05', ['text', 'image', 'text', 'text', 'resource', 'resource']],
  ['2025-03-26', ['text', 'image', 'audio', 'text', 'resource', 'resource']],
  ['2025-06-18', ['text', 'image', 'audio', 'resource_link', 'resource', 'resource']],
])('an agent of %s gets kinds of content that its revision lacks as text', async (version, expected) => {
  const workbench = startWorkbench({ config: devToolbox({ any: fixture() }) });
  await initialize(workbench, version);
  const call = { tool: { toolbox: 'dev', server: 'any', name: 'result' }, arguments: { content: kinds } };
  const { result } = await workbench.request('tools/call', { name: 'use_tool', arguments: call });
  const { content } = result as unknown as RawResult;
  expect(content.map(({ type }) => type)).toEqual(expected);
  // The text still contains the original content.
  expect(JSON.stringify(content)).toContain('audio/wav');
  expect(JSON.stringify(content)).toContain('file:///a%20b.txt');
});

test.each(flavours)('every result passes the validation of a %s client', async (flavour) => {
  const agent = await connectAgent(flavour, { config: devToolbox({ any: fixture() }) });
  for (const sent of Object.values(results)) {
    const tool = { toolbox: 'dev', server: 'any', name: 'result' };
    const received = await agent.callTool('use_tool', { tool, arguments: sent });
    expect(received.content).toHaveLength(sent.content.length);
    expect(received.isError ?? false).toBe('isError' in sent);
  }
});

describe('for a client', () => {
  test('a call without a prior open connects only the server it needs', async () => {
    linuxOnly('counts processes in /proc');
    const log = callLog();
    const config = devToolbox({ needed: fixture(), other: fixture('--log', log.path) });
    const agent = await connectAgent('v2 legacy', { config });
    expect(text(await agent.use('dev', 'needed', 'echo', { a: 1 }))).toBe('{"a":1}');
    expect(existsSync(log.path)).toBe(false);
    expect(scriptedServersWith(agent.marker)).toHaveLength(1);
  });

  test('arguments may be absent, null, an object, or a string that contains one', async () => {
    const agent = await connectAgent('v2 modern', { config: devToolbox({ any: fixture() }) });
    const tool = { toolbox: 'dev', server: 'any', name: 'echo' };
    const use = async (args: object) => text(await agent.call('use_tool', { tool, ...args }));
    expect(await use({})).toBe('{}');
    expect(await use({ arguments: null })).toBe('{}');
    expect(await use({ arguments: {} })).toBe('{}');
    expect(await use({ arguments: '{}' })).toBe('{}');
    expect(await use({ arguments: '{"path": "a b", "n": [1, null]}' })).toBe('{"path":"a b","n":[1,null]}');
    const { received } = await statsOf(agent, 'dev', 'any');
    expect(received.slice(0, 4).map((call) => call.arguments)).toEqual([{}, {}, {}, {}]);
  });
});

test('a call after an open uses the same process', async () => {
  const log = callLog();
  const agent = await connectAgent('v2 modern', { config: devToolbox({ any: fixture('--log', log.path) }) });
  await agent.open('dev');
  await agent.use('dev', 'any', 'echo');
  await agent.use('dev', 'any', 'echo');
  expect(log.methods('start')).toHaveLength(1);
  expect(log.methods('tools/list')).toHaveLength(1);
});

test('a tool added after the listing is found by one fresh listing', async () => {
  const log = callLog();
  const agent = await connectAgent('v2 modern', { config: devToolbox({ any: fixture('--log', log.path) }) });
  await agent.open('dev');
  await agent.use('dev', 'any', 'change_tools', { add: ['brand_new'] });
  expect(log.methods('tools/list')).toHaveLength(1);
  expect(text(await agent.use('dev', 'any', 'brand_new', { a: 1 }))).toBe('{"a":1}');
  expect(log.methods('tools/list')).toHaveLength(2);
  expect(opened(await agent.open('dev')).tools.map(({ name }) => name)).toContain('brand_new');
});

test('an unknown tool is not found after one fresh listing', async () => {
  const log = callLog();
  const agent = await connectAgent('v2 modern', { config: devToolbox({ any: fixture('--log', log.path) }) });
  await agent.open('dev');
  expect(text(await agent.use('dev', 'any', 'nowhere'))).toMatch(/^Tool 'nowhere' not found in server 'any'/);
  expect(log.methods('tools/list')).toHaveLength(2);
  expect(log.methods('tools/call')).toHaveLength(0);
});

test('calls run concurrently, on one server and on several', async () => {
  const config = devToolbox({ one: fixture(), two: fixture() });
  const agent = await connectAgent('v2 modern', { config });
  await agent.open('dev');
  const elapsed = startStopwatch();
  const calls = Array.from({ length: 20 }, (_, index) =>
    agent.use('dev', index % 2 ? 'one' : 'two', 'sleep', { ms: 500 }),
  );
  for (const result of await Promise.all(calls)) expect(text(result)).toBe('slept 500 ms');
  // Sequentially they would take ten seconds.
  expect(elapsed()).toBeLessThan(5_000);
});

test('each call gets its own answer, in whichever order the answers arrive', async () => {
  const agent = await connectAgent('v2 modern', { config: devToolbox({ any: fixture('--noise', 'partial') }) });
  const answers = Array.from({ length: 40 }, async (_, index) =>
    text(await agent.use('dev', 'any', 'echo', { index })),
  );
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 40 }, (_, index) => JSON.stringify({ index })));
});
