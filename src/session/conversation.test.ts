import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { configOf, connectTo, FakeServer, outputTo, pending, serverConfig } from '../../test/support/fake-port.js';
import { serve, servedBy } from '../../test/support/sdk-server.js';
import { DownstreamFailure } from '../contract/downstream-failure.js';
import { messageOf } from '../contract/errors.js';
import type { CallToolResult } from '../contract/types.js';
import { Cancellation, toAbortSignal } from '../jsonrpc/cancellation.js';
import { isRecord } from '../jsonrpc/json.js';
import type { RpcMessage } from '../jsonrpc/messages.js';
import { silentLog } from '../platform/log.js';
import { outlineOf } from '../results/json-outline.js';
import { readBytes } from '../results/read-bytes.js';
import { createWorkbench } from '../workbench/workbench.js';
import { createCalls } from './calls.js';
import { createConversation } from './conversation.js';
import { introductionOf } from './introduction/static-answers.js';
import { createHandlers } from './meta-tools/handlers.js';
import { createMetaCalls } from './questions/meta-calls.js';

// The SDK's server is the oracle for our protocol stack: both serve the same agent and must respond alike.

type Behaviour = FakeServer['onCall'];

/** An agent's end of a connection: what it has received, and how it responds to requests. */
interface Agent {
  readonly received: RpcMessage[];
  send(message: object): Promise<void>;
  answerTo(id: unknown): Promise<RpcMessage>;
  leave(): void;
}

interface End {
  receive(message: RpcMessage): void;
  close(): void;
}

function createAgent(answers: object, connect: (deliver: (message: RpcMessage) => void) => End): Agent {
  const received: RpcMessage[] = [];
  const end = connect((message) => {
    // As it is sent over a wire.
    const sent: RpcMessage = JSON.parse(JSON.stringify(message));
    received.push(sent);
    if ('method' in sent && 'id' in sent)
      queueMicrotask(() => end.receive({ jsonrpc: '2.0', id: sent.id, ...answers } as RpcMessage));
  });
  return {
    received,
    async send(message) {
      end.receive({ jsonrpc: '2.0', ...message } as RpcMessage);
      await settled();
    },
    async answerTo(id) {
      for (const limit = performance.now() + 20_000; performance.now() < limit; ) {
        const found = received.find((message) => !('method' in message) && message.id === id);
        if (found !== undefined) return found;
        await settled();
      }
      throw new Error(`no answer to ${String(id)}: ${JSON.stringify(received)}`);
    },
    leave: () => end.close(),
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await settled();
};

function bench(behaviour: Behaviour) {
  const fake = new FakeServer();
  fake.tools = ['echo', { name: 'strict', inputSchema: { type: 'object', required: ['a'] } }];
  fake.onCall = behaviour;
  return createWorkbench(configOf([serverConfig()]), connectTo({ fs: fake }), silentLog);
}

const noAnswer = { error: { code: -1, message: 'User rejected' } };

type Open = (behaviour: Behaviour, answers?: object) => Agent;

const ours: Open = (behaviour, answers = noAnswer) => {
  const workbench = bench(behaviour);
  return createAgent(answers, (deliver) => {
    const served = createCalls('session-1', workbench, outputTo(deliver), silentLog);
    const conversation = createConversation(introductionOf(workbench.overview()), deliver, served, silentLog);
    return { ...conversation, close: () => served.leave() };
  });
};

const theirs: Open = (behaviour, answers = noAnswer) => {
  const workbench = bench(behaviour);
  const handlers = createHandlers(workbench, createMetaCalls(workbench, new Cancellation(), silentLog), silentLog);
  return createAgent(answers, (deliver) => {
    const transport: Transport = {
      start: async () => {},
      send: async (message) => deliver(message as RpcMessage),
      close: async () => {},
    };
    serve(servedBy(handlers, workbench.overview()), transport, silentLog);
    return {
      receive: (message) => transport.onmessage?.(message as JSONRPCMessage),
      close: () => transport.onclose?.(),
    };
  });
};

const clientInfo = { name: 'raw', version: '1.0.0' };
const key = (name: string) => `io.modelcontextprotocol/${name}`;

interface Sent {
  readonly method: string;
  readonly params: object;
}

interface Era {
  readonly revision: string;
  readonly capabilities: object;
}

async function introduce(agent: Agent, { revision, capabilities }: Era): Promise<void> {
  if (revision === '2026-07-28') return;
  const params = { protocolVersion: revision, capabilities, clientInfo };
  await agent.send({ id: 'hello', method: 'initialize', params });
  await agent.send({ method: 'notifications/initialized' });
}

function paramsOf({ revision, capabilities }: Era, params: object, meta: object = {}): object {
  const envelope = {
    [key('protocolVersion')]: revision,
    [key('clientInfo')]: clientInfo,
    [key('clientCapabilities')]: capabilities,
  };
  const marks = revision === '2026-07-28' ? { ...envelope, ...meta } : meta;
  return Object.keys(marks).length === 0 ? params : { ...params, _meta: marks };
}

/** Sends the same to both; returns what the agent received from each. */
async function onBoth(era: Era, behaviour: Behaviour, messages: readonly object[], answers?: object) {
  const received = [];
  for (const open of [ours, theirs]) {
    const agent = open(behaviour, answers);
    await introduce(agent, era);
    for (const message of messages) await agent.send(message);
    for (const message of messages) if ('id' in message) await agent.answerTo(message.id);
    received.push(agent.received.map(withoutOwnIds));
  }
  return received;
}

/** With sorted keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key_, held]) => [key_, sorted(held)]),
  );
}

/** The two stacks number their questions differently. */
function withoutOwnIds(message: RpcMessage): unknown {
  return 'method' in message && 'id' in message ? { ...message, id: 'ours' } : message;
}

/** A call of the tool that every workbench here has. */
const echo = { name: 'use_tool', arguments: { tool: { toolbox: 'dev', server: 'fs', name: 'echo' } } };
const envelope = () => ({
  [key('protocolVersion')]: '2026-07-28',
  [key('clientCapabilities')]: {},
});

const legacy = { revision: '2025-11-25', capabilities: { elicitation: {}, sampling: {}, roots: {} } };
const modern = { revision: '2026-07-28', capabilities: {} };
const eras = fc.constantFrom<Era>(
  legacy,
  modern,
  { revision: '2024-11-05', capabilities: {} },
  { revision: '2025-03-26', capabilities: { roots: {} } },
  { revision: '2025-06-18', capabilities: {} },
  { revision: '2026-07-28', capabilities: { elicitation: { form: {} }, sampling: {} } },
);

const text = fc.string({ unit: 'binary', maxLength: 40 });
const blocks = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('text'), text }) },
  fc.record({ type: fc.constantFrom('image', 'audio'), data: fc.base64String(), mimeType: fc.constant('x/y') }),
  fc.record({ type: fc.constant('resource_link'), uri: fc.webUrl(), name: text }),
  fc.record({ type: fc.constant('resource'), resource: fc.record({ uri: fc.webUrl(), text }) }),
  fc.dictionary(text, fc.jsonValue()).map((more) => ({ ...more, type: 'hologram' })),
);
const results: fc.Arbitrary<CallToolResult> = fc.record(
  {
    content: fc.array(blocks, { maxLength: 4 }),
    structuredContent: fc.jsonValue(),
    isError: fc.boolean(),
    _meta: fc.dictionary(text, fc.jsonValue(), { maxKeys: 3 }),
    vendor: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const failures = fc
  .constantFrom('unreachable', 'crashed', 'timeout', 'busy', 'too-large', 'protocol')
  .chain((kind) => text.map((message) => new DownstreamFailure(kind as DownstreamFailure['kind'], message)));
const outcomes = fc.oneof({ weight: 4, arbitrary: results }, failures);

const names = fc.constantFrom('echo', 'strict', 'none', '');
const inputs = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        tool: fc.record({
          toolbox: fc.constantFrom('dev', 'nope'),
          server: fc.constantFrom('fs', 'nope'),
          name: names,
        }),
        arguments: fc.oneof(
          fc.dictionary(text, fc.jsonValue()),
          fc.constantFrom<unknown>(null, '{"a":1}', 'x', [1], 7),
        ),
      },
      { requiredKeys: ['tool'] },
    ),
  },
  fc.record(
    {
      toolbox: fc.oneof(fc.constantFrom<unknown>('dev', 'nope', '', '*'), fc.jsonValue()),
      query: fc.oneof(text, fc.jsonValue()),
      detail: fc.constantFrom('names', 'all'),
    },
    { requiredKeys: ['toolbox'] },
  ),
  fc.jsonValue(),
);
const metas = fc.record(
  { progressToken: fc.oneof(fc.integer(), fc.string()), traceparent: text, 'vendor/key': fc.jsonValue() },
  { requiredKeys: [] },
);
const calls = fc.record(
  { name: fc.constantFrom('use_tool', 'use_tool', 'open_toolbox', 'echo'), arguments: inputs },
  { requiredKeys: ['name'] },
);

const behave =
  (outcome: CallToolResult | DownstreamFailure): Behaviour =>
  async (_, __, { onProgress, meta }) => {
    onProgress?.({ progress: 1, total: 2, message: JSON.stringify(meta) });
    if (outcome instanceof DownstreamFailure) throw outcome;
    return outcome;
  };

describe('our stack and the SDK respond alike', () => {
  test('to any call with any outcome', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(eras, calls, metas, outcomes, async (era, call, meta, outcome) => {
        const message = { id: 1, method: 'tools/call', params: paramsOf(era, call, meta) };
        const [own, sdk] = await onBoth(era, behave(outcome), [message]);
        expect(own).toEqual(sdk);
      }),
      { numRuns: 400 },
    );
  });

  test('to any mixture of requests', { timeout: 120_000 }, async () => {
    const odd = fc.constantFrom<Sent>(
      { method: 'prompts/list', params: {} },
      { method: 'tools/call', params: { name: 'use_tool', arguments: {}, task: {} } },
      { method: 'tools/call', params: { name: 'use_tool', arguments: {}, requestState: 'made up' } },
      { method: 'tools/call', params: { name: 'use_tool', requestState: 7, inputResponses: 'x' } },
      { method: 'resources/read', params: { uri: 'a:b' } },
      { method: 'resources/read', params: {} },
      { method: 'logging/setLevel', params: { level: 'info' } },
      { method: 'ping', params: {} },
      { method: 'server/discover', params: {} },
      { method: 'tasks/get', params: { taskId: 'a' } },
      { method: 'tools/list', params: { cursor: 'x' } },
    );
    const usual = calls.map((params): Sent => ({ method: 'tools/call', params }));
    const list = fc.constant<Sent>({ method: 'tools/list', params: {} });
    const requests = fc.array(fc.oneof(usual, list, odd), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(eras, requests, outcomes, async (era, sent, outcome) => {
        const messages = sent.map(({ method, params }, id) => ({ id, method, params: paramsOf(era, params) }));
        const [own, sdk] = await onBoth(era, behave(outcome), messages);
        const inOrder = (all: unknown[] | undefined) => all?.map((one) => JSON.stringify(sorted(one))).toSorted();
        expect(inOrder(own)).toEqual(inOrder(sdk));
      }),
      { numRuns: 200 },
    );
  });

  test('to calls whose large results are kept as bytes', { timeout: 120_000 }, async () => {
    const sign = { resultType: 'complete', _meta: { [key('serverInfo')]: { name: 'x', version: '1' } } };
    await fc.assert(
      fc.asyncProperty(eras, results, fc.boolean(), async (era, generated, isSigned) => {
        const { _meta, ...unsigned } = generated;
        const result: CallToolResult = isSigned ? unsigned : generated;
        const line = Buffer.from(
          JSON.stringify({ jsonrpc: '2.0', id: 7, result: { ...result, ...(isSigned && sign) } }),
        );
        const outline: unknown = JSON.parse(line.toString('latin1'));
        const inBytes = isRecord(outline) ? readBytes(line, outline, outlineOf(line)?.keys ?? [0, 0]) : undefined;
        fc.pre(inBytes !== undefined);
        const message = { id: 1, method: 'tools/call', params: paramsOf(era, echo) };
        const asBytes = await onBoth(era, async () => inBytes ?? {}, [message]);
        const asValue = await onBoth(era, async () => JSON.parse(JSON.stringify(result)), [message]);
        for (const one of [...asBytes, asValue[1]]) expect(one).toEqual(asValue[0]);
      }),
      { numRuns: 150 },
    );
  });

  test('to a second handshake, and to requests without a handshake', async () => {
    const again = { protocolVersion: '2025-11-25', capabilities: { elicitation: { form: {} } }, clientInfo };
    const messages = [
      { id: 1, method: 'tools/list', params: {} },
      { id: 2, method: 'initialize', params: again },
      { id: 3, method: 'tools/call', params: echo },
    ];
    const reports: Behaviour = async (_, __, { agent }) => ({
      content: [{ type: 'text', text: JSON.stringify(agent?.capabilities) }],
    });
    for (const era of [{ revision: '2024-11-05', capabilities: {} }, modern]) {
      const [own, sdk] = await onBoth(era, reports, messages);
      expect(own).toEqual(sdk);
      expect(JSON.stringify(own)).toContain('elicitation');
    }
  });

  test.each(['2027-01-01', '2026-07-28', '', '2025-03-26', '2024-10-07'])(
    'to the revision %j in initialize',
    async (protocolVersion) => {
      const params = { protocolVersion, capabilities: {}, clientInfo };
      const [own, sdk] = await onBoth(modern, behave({}), [{ id: 1, method: 'initialize', params }]);
      expect(own).toEqual(sdk);
    },
  );

  test.each([
    ['another revision', { [key('protocolVersion')]: '2027-01-01', [key('clientCapabilities')]: {} }],
    ['a legacy revision', { [key('protocolVersion')]: '2025-11-25', [key('clientCapabilities')]: {} }],
    ['no capabilities', { [key('protocolVersion')]: '2026-07-28' }],
    ['no client', { [key('protocolVersion')]: '2026-07-28', [key('clientCapabilities')]: {} }],
  ])('to a modern request with %s', async (_, _meta) => {
    for (const method of ['tools/list', 'tools/call', 'server/discover', 'nope']) {
      const [own, sdk] = await onBoth(modern, behave({}), [{ id: 1, method, params: { ...echo, _meta } }]);
      expect(own).toEqual(sdk);
    }
  });

  test('to a subscription, which stays open', async () => {
    const notifications = { toolsListChanged: true, resourceSubscriptions: ['a:b'] };
    const listen = { id: 1, method: 'subscriptions/listen', params: paramsOf(modern, { notifications }) };
    const list = { id: 2, method: 'tools/list', params: paramsOf(modern, {}) };
    const received = [];
    for (const open of [ours, theirs]) {
      const agent = open(behave({}));
      await agent.send(listen);
      await agent.send(list);
      await agent.answerTo(2);
      await agent.send({ method: 'notifications/cancelled', params: { requestId: 1 } });
      received.push(agent.received);
    }
    expect(received[0]).toEqual(received[1]);
    expect(received[0]).toHaveLength(2);
  });

  test('when the server asks the agent during its call, and the agent answers or declines', async () => {
    const asks: Behaviour = async (_, __, { agent, signal }) => {
      const asked = agent?.ask(
        { method: 'elicitation/create', params: { message: 'Name?' } },
        toAbortSignal(signal ?? new Cancellation()),
      );
      return { content: [{ type: 'text', text: (await asked?.then(JSON.stringify, messageOf)) ?? '' }] };
    };
    for (const answers of [noAnswer, { result: { action: 'accept', content: { a: 1 }, extra: [1] } }]) {
      const [own, sdk] = await onBoth(legacy, asks, [{ id: 1, method: 'tools/call', params: echo }], answers);
      expect(own).toEqual(sdk);
      expect(JSON.stringify(own)).toContain('elicitation/create');
    }
  });
});

describe('where the SDK is silent or unclear, our stack names the field', () => {
  test.each<[string, Sent, string]>([
    [
      'initialize without params',
      { method: 'initialize', params: {} },
      'Invalid params: protocolVersion: Expected string',
    ],
    [
      'initialize without capabilities',
      { method: 'initialize', params: { protocolVersion: '2025-11-25', clientInfo } },
      'Invalid params: capabilities: Expected object',
    ],
    [
      'initialize with an odd client',
      { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a' } } },
      'Invalid params: clientInfo: Expected object with name and version',
    ],
    [
      'a progress token that is an object',
      { method: 'tools/call', params: { ...echo, _meta: { progressToken: {} } } },
      'Invalid params: _meta.progressToken: Expected string or number',
    ],
    [
      '_meta that is a number',
      { method: 'tools/call', params: { ...echo, _meta: 7 } },
      'Invalid params: _meta: Expected object',
    ],
    [
      'a client that is a string',
      { method: 'tools/list', params: { _meta: { ...envelope(), [key('clientInfo')]: 'me' } } },
      `Invalid _meta envelope for protocol revision 2026-07-28: ${key('clientInfo')}: Expected object with name and version`,
    ],
    [
      'a revision that is a number',
      { method: 'tools/list', params: { _meta: { ...envelope(), [key('protocolVersion')]: 7 } } },
      `Invalid _meta envelope for protocol revision 2026-07-28: ${key('protocolVersion')}: Expected string`,
    ],
    [
      'a subscription to nothing',
      { method: 'subscriptions/listen', params: { _meta: envelope() } },
      'Invalid params: notifications: Expected object',
    ],
    [
      'an odd subscription',
      { method: 'subscriptions/listen', params: { _meta: envelope(), notifications: { toolsListChanged: 7 } } },
      'Invalid params: notifications.toolsListChanged: Expected boolean',
    ],
  ])('for %s', async (_, sent, message) => {
    const agent = ours(behave({}));
    await agent.send({ id: 1, ...sent });
    expect(await agent.answerTo(1)).toMatchObject({ error: { code: -32_602, message } });
    // A failed handshake does not end the connection.
    await introduce(agent, legacy);
    await agent.send({ id: 2, method: 'tools/call', params: echo });
    expect(await agent.answerTo(2)).toHaveProperty('result');
  });
});

describe('our stack', () => {
  const untilCancelled: Behaviour = (_, __, { signal }) =>
    new Promise((_resolve, reject) =>
      signal?.addEventListener('abort', () => reject(new DownstreamFailure('cancelled', 'no'))),
    );
  const call = { id: 1, method: 'tools/call', params: echo };
  const cancel = (requestId: unknown) => ({ method: 'notifications/cancelled', params: { requestId } });

  test('cancels the call that has an id now, not an earlier one with the same id', async () => {
    const aborted: number[] = [];
    let started = 0;
    const agent = ours((_, __, { signal }) => {
      const mine = ++started;
      return new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          aborted.push(mine);
          setImmediate(() => reject(new DownstreamFailure('cancelled', 'no')));
        });
      });
    });
    await introduce(agent, legacy);
    await agent.send(call);
    await turns(10);
    void agent.send(cancel(1));
    await agent.send(call);
    await turns(20);
    await agent.send(cancel(1));
    await turns(10);
    expect(aborted).toEqual([1, 2]);
  });

  test('cancels running calls when the agent disconnects, and writes nothing more', async () => {
    const signals: boolean[] = [];
    const agent = ours(async (_, __, { signal }) => {
      signals.push(signal?.aborted ?? false);
      return new Promise((resolve) =>
        signal?.addEventListener('abort', () => {
          signals.push(true);
          resolve({ content: [] });
        }),
      );
    });
    await agent.send({ ...call, params: paramsOf(modern, echo) });
    await turns(20);
    agent.leave();
    await turns(20);
    expect(signals).toEqual([false, true]);
    expect(agent.received).toEqual([]);
  });

  test('does not respond to a cancelled call, and cancels no other', async () => {
    const agent = ours(untilCancelled);
    await introduce(agent, legacy);
    for (const odd of [2, '1', undefined, {}, '__proto__']) await agent.send(cancel(odd));
    await agent.send(call);
    await turns(10);
    for (const odd of [2, '1', undefined, {}, '__proto__']) await agent.send(cancel(odd));
    await agent.send({ id: 'next', method: 'ping', params: {} });
    expect(agent.received.map((message) => 'id' in message && message.id)).toEqual(['hello', 'next']);
    await agent.send(cancel(1));
    await turns(20);
    expect(agent.received).toHaveLength(2);
  });

  test('ignores stray notifications and responses', async () => {
    const agent = ours(behave({ content: [] }));
    for (const message of [
      { method: 'notifications/initialized' },
      { method: 'notifications/roots/list_changed' },
      { method: 'x', params: {} },
      { id: 1_000_001, result: {} },
      { id: 7, error: { code: 1, message: 'x' } },
    ])
      await agent.send(message);
    expect(agent.received).toEqual([]);
  });
});

test('a result that cannot be projected is an internal error, whose details go to the log', async () => {
  const odd = {
    toJSON() {
      throw new Error('secret detail');
    },
  };
  const workbench = bench(async () => ({ content: [{ type: 'hologram', odd }] }));
  const logged: string[] = [];
  const log = { ...silentLog, error: (message: string) => void logged.push(message) };
  const agent = createAgent(noAnswer, (deliver) => {
    const served = createCalls('session-1', workbench, outputTo(deliver), log);
    const conversation = createConversation(introductionOf(workbench.overview()), deliver, served, log);
    return { ...conversation, close: () => served.leave() };
  });
  await agent.send({ id: 1, method: 'tools/call', params: echo });
  const message = 'Internal error in the workbench. Its log has the details.';
  expect(await agent.answerTo(1)).toMatchObject({ error: { code: -32_603, message } });
  expect(logged.join()).toContain('secret detail');
});

describe.each(['legacy', 'modern'] as const)('a slow call of a %s client', (name) => {
  test('gets signs of life under its own token until its result, if it came with one', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const result = pending<CallToolResult>();
    const agent = ours(() => result.promise);
    const era = name === 'legacy' ? legacy : modern;
    await introduce(agent, era);
    await agent.send({ id: 1, method: 'tools/call', params: paramsOf(era, echo, { progressToken: 'mine' }) });
    await agent.send({ id: 2, method: 'tools/call', params: paramsOf(era, echo) });
    await vi.advanceTimersByTimeAsync(31_000);
    const signs = agent.received.filter((message) => 'method' in message);
    const sign = (progress: number, message: string) => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progress, message, progressToken: 'mine' },
    });
    expect(signs).toEqual([sign(0.000001, 'running for 15 s'), sign(0.000002, 'running for 30 s')]);
    result.resolve({ content: [] });
    await turns(20);
    const [first, second] = [1, 2].map((id) => agent.received.find((message) => 'id' in message && message.id === id));
    expect({ ...first, id: 2 }).toEqual(second);
    expect(second).toMatchObject({ result: { content: [] } });
    await vi.advanceTimersByTimeAsync(31_000);
    expect(agent.received.filter((message) => 'method' in message)).toHaveLength(2);
  });
});

describe('after an edit of the configuration', () => {
  const answersOf = (description: string, configFile = '/c.json') =>
    introductionOf({ configFile, toolboxes: [{ name: 'dev', description, servers: ['fs'] }] });
  const listen = (id: number, notifications: object) => ({
    id,
    method: 'subscriptions/listen',
    params: paramsOf(modern, { notifications }),
  });

  function openOwn() {
    const received: RpcMessage[] = [];
    const served = createCalls(
      'session-1',
      bench(behave({})),
      outputTo(() => {}),
      silentLog,
    );
    const session = createConversation(answersOf('one'), (message) => void received.push(message), served, silentLog);
    const send = (message: object) => session.receive({ jsonrpc: '2.0', ...message } as RpcMessage);
    const notified = () =>
      received.flatMap((message) =>
        'method' in message && message.method === 'notifications/tools/list_changed' ? [message.params ?? {}] : [],
      );
    return { received, session, send, notified };
  }

  test('a legacy client is notified once its handshake is over, and only if the tools have changed', () => {
    const { session, send, notified, received } = openOwn();
    session.introduce(answersOf('two'));
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
    session.introduce(answersOf('three'));
    expect(notified()).toEqual([]);
    send({ method: 'notifications/initialized' });
    session.introduce(answersOf('three', '/other.json'));
    expect(notified()).toEqual([]);
    session.introduce(answersOf('four', '/other.json'));
    expect(notified()).toEqual([{}]);
    send({ id: 2, method: 'tools/list', params: {} });
    expect(JSON.stringify(received.at(-1))).toContain('four');
  });

  test('a client that does not say that it is initialized is notified if it has listed our tools', () => {
    const { session, send, notified } = openOwn();
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
    send({ id: 2, method: 'tools/list', params: {} });
    session.introduce(answersOf('two'));
    expect(notified()).toEqual([{}]);
  });

  test('a modern client is notified on each subscription that asks for it, until it cancels', () => {
    const { session, send, notified } = openOwn();
    send(listen(1, { toolsListChanged: true }));
    send(listen(2, { toolsListChanged: false }));
    send(listen(3, { toolsListChanged: true }));
    session.introduce(answersOf('two'));
    const on = (id: number) => ({ _meta: { [key('subscriptionId')]: id } });
    expect(notified()).toEqual([on(1), on(3)]);
    send({ method: 'notifications/cancelled', params: { requestId: 1 } });
    session.introduce(answersOf('three'));
    expect(notified()).toEqual([on(1), on(3), on(3)]);
  });
});
