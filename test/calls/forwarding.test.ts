// @module-tag slow
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectAgentTo, flavours, type RawResult, type Stats, statsOf, text } from '../support/agents.js';
import { callLog } from '../support/call-log.js';
import { devToolbox } from '../support/configs.js';
import {
  connectRaw,
  type Era,
  flavourOf,
  forwards,
  oneServer,
  type RawAgent,
  serverOf,
} from '../support/forwarding.js';
import { connectAgent } from '../support/in-process.js';
import { prepareLaunch } from '../support/launch.js';
import { until } from '../support/until.js';
import type { Message } from '../support/workbench.js';

const identity = 'io.modelcontextprotocol/serverInfo';

const kinds = [
  { type: 'text', text: 'plain ✓', annotations: { audience: ['user'], priority: 0.5 }, _meta: { 'example.com/a': 1 } },
  { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
  { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
  { type: 'resource_link', uri: 'file:///a%20b.txt', name: 'a b', mimeType: 'text/plain', size: 12 },
  { type: 'resource', resource: { uri: 'memo://1', text: 'a memo', mimeType: 'text/plain' } },
  { type: 'resource', resource: { uri: 'memo://2', blob: 'AAEC' } },
];

function resultOf({ result, error }: Message): Record<string, unknown> {
  if (result === undefined) throw new Error(`no result: ${JSON.stringify(error)}`);
  return { ...result };
}

/** A result without the fields that 2026-07-28 requires for the connection between agent and workbench. */
function bare(message: Message): Record<string, unknown> {
  const { resultType: _, _meta, ...rest } = resultOf(message);
  const { [identity]: __, ...meta } = (_meta ?? {}) as Record<string, unknown>;
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}

async function rawStats(agent: RawAgent): Promise<Stats> {
  return JSON.parse((resultOf(await agent.use('stats')) as unknown as RawResult).content[0]?.text ?? '');
}

forwards('progress', async (eras) => {
  const agent = await eras.connectRaw(await eras.to(oneServer(eras.server)));
  const id = agent.send('progress', { steps: 3, everyMs: 5 }, { meta: { progressToken: 'mine ✓' } });
  await agent.workbench.answerTo(id);
  await agent.use('progress', { steps: 2 });
  const messages = agent.workbench.lines.map((line): Message => JSON.parse(line));
  expect(agent.received('notifications/progress').map(({ params }) => params)).toMatchObject(
    [1, 2, 3].map((step) => ({ progressToken: 'mine ✓', progress: step, total: 3, message: `step ${step}` })),
  );
  // All progress is sent before the result: a client stops listening then.
  expect(messages.findLastIndex(({ method }) => method === 'notifications/progress')).toBeLessThan(
    messages.findIndex((message) => message.id === id),
  );
  const { received } = await rawStats(agent);
  const tokens = received.map(({ _meta }) => _meta?.['progressToken']);
  expect(new Set(tokens).size).toBe(received.length);
  expect(tokens).not.toContain('mine ✓');
});

forwards('cancellation', async (eras) => {
  const log = callLog();
  const agent = await eras.connectRaw(await eras.to(oneServer(eras.server, '--log', log.path)));
  const id = agent.send('hang');
  const [hanging] = await until(() => log.methods('tools/call').length === 1 && log.methods('tools/call'));
  const meta = eras.agent === 'modern' ? { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } } : {};
  agent.workbench.notify('notifications/cancelled', { requestId: id, reason: 'changed my mind', ...meta });
  const [seen] = await until(
    () => log.methods('notifications/cancelled').length === 1 && log.methods('notifications/cancelled'),
  );
  expect(seen?.requestId).toBe(hanging?.id);
  expect(resultOf(await agent.use('echo', { a: 1 }))['isError']).not.toBe(true);
  expect(agent.workbench.lines.some((line) => line.includes(id))).toBe(false);
});

forwards('`_meta` of the call', async (eras) => {
  const agent = await eras.connectRaw(await eras.to(oneServer(eras.server)));
  const passed = {
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    tracestate: 'vendor=1',
    baggage: 'user=ada',
    'example.com/session': { deep: [1, null] },
  };
  const meta = { ...passed, progressToken: 'mine', 'io.modelcontextprotocol/related-task': { taskId: 't' } };
  await agent.use('echo', {}, { meta });
  const { received } = await rawStats(agent);
  const { progressToken, ...seen }: Record<string, unknown> = { ...received[0]?._meta };
  expect(progressToken).toBeTypeOf('number');
  const ours = Object.keys(seen).filter((key) => key.startsWith('io.modelcontextprotocol/'));
  for (const key of ours) delete seen[key];
  expect(seen).toEqual(passed);
  const own = ['protocolVersion', 'clientInfo', 'clientCapabilities'].map((key) => `io.modelcontextprotocol/${key}`);
  expect(ours.toSorted()).toEqual(eras.server === 'modern' ? own.toSorted() : []);
  expect(JSON.stringify(received[0]?._meta)).not.toContain('raw');
});

forwards('`_meta` of the result', async (eras) => {
  const agent = await eras.connectRaw(await eras.to(oneServer(eras.server, '--name', 'the-one-behind')));
  const _meta = {
    'example.com/cost': { tokens: 7 },
    traceparent: '00-1-1-01',
    'io.modelcontextprotocol/other': 'kept',
  };
  const answer = await agent.use('result', { content: [], _meta });
  expect(bare(answer)).toEqual({ content: [], _meta });
  expect(JSON.stringify(answer)).not.toContain('the-one-behind');
});

forwards('every kind of content', async (eras) => {
  const agent = await eras.connectRaw(await eras.to(oneServer(eras.server)));
  expect(bare(await agent.use('result', { content: kinds }))).toStrictEqual({ content: kinds });
});

forwards('unknown kinds of content', async (eras) => {
  const agent = await eras.connectRaw(await eras.to(oneServer(eras.server)));
  const content = [
    { type: 'hologram', data: 'depth' },
    { type: 'text', text: 'after' },
  ];
  expect(bare(await agent.use('result', { content }))).toEqual({
    content: [{ type: 'text', text: JSON.stringify(content[0]) }, content[1]],
  });
});

forwards('unknown fields', async (eras) => {
  const agent = await eras.connectRaw(await eras.to(oneServer(eras.server)));
  const content = [{ type: 'text', text: 'x', fromTheFuture: { a: [1, { b: null }] } }];
  const sent = { content, fromTheFuture: true, next: { deep: [{}] } };
  expect(bare(await agent.use('result', sent))).toStrictEqual(sent);
});

forwards('structured content', async (eras, how) => {
  const agent = await eras.connectRaw(await eras.to(oneServer(eras.server)));
  const content = [{ type: 'text', text: 'see there' }];
  const object = { content, structuredContent: { a: 1 } };
  expect(bare(await agent.use('result', object))).toStrictEqual(object);
  for (const structuredContent of [[1, { a: null }], 'text', 7, 0, '', null, false]) {
    const expected = how === 'in an object' ? { result: structuredContent } : structuredContent;
    expect(bare(await agent.use('result', { content, structuredContent }))).toStrictEqual({
      content,
      structuredContent: expected,
    });
  }
});

forwards('errors of a tool (`isError`)', async (eras) => {
  const agent = await eras.connectRaw(await eras.to(oneServer(eras.server)));
  const sent = { content: [{ type: 'text', text: 'no such file' }], isError: true, structuredContent: { errno: 2 } };
  expect(bare(await agent.use('result', sent))).toStrictEqual(sent);
});

forwards('JSON-RPC errors', async (eras) => {
  const agent = await eras.connectRaw(await eras.to(oneServer(eras.server)));
  for (const code of [-32602, -32603, -32000, -32021, -32042, 17]) {
    const answer = await agent.use('rpc_error', { code, message: `because of ${code}`, data: { secret: 1 } });
    const { isError, content } = resultOf(answer) as unknown as RawResult;
    expect(isError).toBe(true);
    expect(content[0]?.text).toBe(
      `Tool 'rpc_error' of server 'any' (toolbox 'dev') failed: the server answered with error ${code}: because of ${code}`,
    );
  }
});

describe.each(['legacy', 'modern'] as const)('a call to a %s server', (server) => {
  const limits = { callTimeoutMs: 3_000, callTotalTimeoutMs: 30_000 };
  const config = () => devToolbox({ any: { ...serverOf(server), ...limits } });

  test('may take longer than its timeout while it reports progress, requested by the agent or not', async () => {
    const agent = await connectAgent('v2 modern', { config: config() });
    await agent.open('dev');
    const result = await agent.use('dev', 'any', 'progress', { steps: 8, everyMs: 500 });
    expect(text(result)).toBe('8 steps');
    const silent = await agent.use('dev', 'any', 'hang');
    expect(text(silent)).toContain('no answer within 3000 ms');
    expect((await statsOf(agent, 'dev', 'any')).cancelled).toHaveLength(1);
  });

  test('is cancelled at the server when a real client cancels it', async () => {
    for (const flavour of flavours) {
      const log = callLog();
      const agent = await connectAgent(flavour, { config: oneServer(server, '--log', log.path) });
      const giveUp = new AbortController();
      const tool = { toolbox: 'dev', server: 'any', name: 'hang' };
      const params = { name: 'use_tool', arguments: { tool } };
      const call = agent.request('tools/call', params, { signal: giveUp.signal });
      call.catch(() => {});
      await until(() => log.methods('tools/call').length === 1);
      giveUp.abort();
      await expect(call).rejects.toThrow();
      await until(() => log.methods('notifications/cancelled').length === 1);
    }
  });

  test('reports its progress to real clients', async () => {
    const agentIsDone = new AbortController();
    onTestFinished(() => agentIsDone.abort());
    for (const flavour of flavours) {
      const agent = await connectAgent(flavour, { config: oneServer(server) });
      const seen: object[] = [];
      const tool = { toolbox: 'dev', server: 'any', name: 'progress' };
      // Clients may lose progress that arrives together with the result, so the call does not return.
      const params = { name: 'use_tool', arguments: { tool, arguments: { steps: 3, hang: true } } };
      const { signal } = agentIsDone;
      const call = agent.request('tools/call', params, { signal, onprogress: (progress) => void seen.push(progress) });
      call.catch(() => {});
      await until(() => seen.length === 3);
      expect(seen).toMatchObject([1, 2, 3].map((progress) => ({ progress, total: 3, message: `step ${progress}` })));
    }
  });

  test('that returns a result of an unknown type fails with that reason', async () => {
    const agent = await connectRaw('modern', oneServer(server));
    const { isError, content } = resultOf(
      await agent.use('result', { resultType: 'dream', content: [] }),
    ) as unknown as RawResult;
    expect(isError).toBe(true);
    expect(content[0]?.text).toContain('its result has a type, which is not supported');
  });
});

/** The same call, directly and through the workbench. */
const direct: readonly [what: string, tool: string, args: Record<string, unknown>][] = [
  ['a plain call', 'echo', { path: 'a b', n: [1, null], 'ü ✓': true }],
  ['every kind of content', 'result', { content: kinds }],
  ['structured content', 'result', { content: [], structuredContent: { deep: { list: [1, null, 'x'] } } }],
  ['an error of the tool', 'result', { content: [{ type: 'text', text: 'no' }], isError: true }],
  ['unknown fields', 'result', { content: [], next: { a: 1 }, _meta: { 'example.com/a': [1] } }],
  ['a large result', 'blob', { bytes: 300_000 }],
];

test.each(['legacy', 'modern'] as const)(
  'a %s client gets the same result from a server of its own era with and without the workbench',
  async (era: Era) => {
    const { command = '', args = [] } = serverOf(era);
    const launch = prepareLaunch({});
    const alone = await connectAgentTo({ ...launch, command, args: [...args] }, flavourOf(era));
    const through = await connectAgent(flavourOf(era), { config: oneServer(era) });
    for (const [what, name, given] of direct) {
      const expected = withoutIdentity(await alone.request('tools/call', { name, arguments: given }));
      const call = { tool: { toolbox: 'dev', server: 'any', name }, arguments: given };
      const result = await through.request('tools/call', { name: 'use_tool', arguments: call });
      expect(withoutIdentity(result), what).toStrictEqual(expected);
    }
  },
);

function withoutIdentity({ _meta, ...result }: Record<string, unknown>): object {
  const { [identity]: _, ...meta } = (_meta ?? {}) as Record<string, unknown>;
  return Object.keys(meta).length === 0 ? result : { ...result, _meta: meta };
}
