import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { configOf, connectTo, FakeServer, serverConfig } from '../../test/support/fake-port.js';
import { messageOf } from '../contract/errors.js';
import type { CallToolResult } from '../contract/types.js';
import { toAbortSignal } from '../jsonrpc/cancellation.js';
import { isRecord } from '../jsonrpc/json.js';
import type { RpcMessage } from '../jsonrpc/messages.js';
import { silentLog } from '../platform/log.js';
import { pack } from '../results/pack.js';
import { PackedResult } from '../results/packed-result.js';
import { DownstreamFailure } from '../workbench/ports/downstream.js';
import { createWorkbench } from '../workbench/workbench.js';
import { createOpener } from './introduction/static-answers.js';
import { createHandlers } from './meta-tools/handlers.js';
import { createPlainPath } from './plain-path.js';
import { createUseTool } from './questions/use-tool.js';
import { serve } from './sdk-server.js';
import { openSession, servedBy } from './session.js';
import type { AgentWire } from './stdio-wire.js';

// The plain path must be what the SDK would be. So both serve the same agent, and must say the same.

type Behaviour = FakeServer['onCall'];

/** An agent's end of a connection: what it has received, and what it answers when it is asked. */
interface Agent {
  readonly received: RpcMessage[];
  send(message: object): Promise<boolean>;
  answerTo(id: unknown): Promise<RpcMessage>;
}

function createAgent(
  answers: object,
): Agent & { deliver: (message: RpcMessage) => void; take: (message: RpcMessage) => boolean } {
  const received: RpcMessage[] = [];
  const agent = {
    received,
    take: (message: RpcMessage) => message === undefined,
    deliver(message: RpcMessage) {
      // As it goes over a wire: packed results become their bytes.
      const result = 'result' in message ? message.result : undefined;
      const sent: RpcMessage =
        result instanceof PackedResult
          ? { ...message, result: JSON.parse(Buffer.concat(result.json()).toString()) }
          : JSON.parse(JSON.stringify(message));
      received.push(sent);
      if ('method' in sent && 'id' in sent)
        queueMicrotask(() => agent.take({ jsonrpc: '2.0', id: sent.id, ...answers } as RpcMessage));
    },
    send: async (message: object) => {
      const taken = agent.take({ jsonrpc: '2.0', ...message } as RpcMessage);
      await settled();
      return taken;
    },
    async answerTo(id: unknown) {
      for (const end = Date.now() + 20_000; Date.now() < end; ) {
        const found = received.find((message) => !('method' in message) && message.id === id);
        if (found !== undefined) return found;
        await settled();
      }
      throw new Error(`no answer to ${String(id)}: ${JSON.stringify(received)}`);
    },
  };
  return agent;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

function bench(behaviour: Behaviour) {
  const fake = new FakeServer();
  fake.tools = ['echo', { name: 'strict', inputSchema: { type: 'object', required: ['a'] } }];
  fake.onCall = behaviour;
  return createWorkbench(configOf([serverConfig()]), connectTo({ fs: fake }), silentLog);
}

const noAnswer = { error: { code: -1, message: 'User rejected' } };

function onPlainPath(behaviour: Behaviour, answers: object = noAnswer): Agent {
  const workbench = bench(behaviour);
  const agent = createAgent(answers);
  const handlers = createHandlers(workbench, createUseTool(workbench), silentLog);
  const plain = createPlainPath(createOpener(workbench.overview(), agent.deliver), handlers, agent.deliver);
  agent.take = (message) => plain.take(message);
  return agent;
}

function onFullPath(behaviour: Behaviour, answers: object = noAnswer): Agent {
  const workbench = bench(behaviour);
  const agent = createAgent(answers);
  const handlers = createHandlers(workbench, createUseTool(workbench), silentLog);
  const transport: Transport = {
    start: async () => {},
    send: async (message) => agent.deliver(message as RpcMessage),
    close: async () => {},
  };
  serve(servedBy(handlers, workbench.overview()), transport, silentLog);
  agent.take = (message) => {
    transport.onmessage?.(message as JSONRPCMessage);
    return true;
  };
  return agent;
}

/** Through the place that chooses between the two. */
function onSession(behaviour: Behaviour, answers: object = noAnswer): Agent {
  const workbench = bench(behaviour);
  const agent = createAgent(answers);
  const wire: AgentWire = { start: () => {}, close: () => {}, send: agent.deliver };
  const opener = createOpener(workbench.overview(), agent.deliver);
  const session = openSession(workbench, wire, { opener, handshake: [] }, silentLog);
  agent.take = (message) => {
    session.take(message);
    return true;
  };
  return agent;
}

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

/** Both paths, told the same; gives what the agent received on each. */
async function onBoth(
  era: Era,
  behaviour: Behaviour,
  messages: readonly object[],
  answers?: object,
  paths = [onPlainPath, onFullPath],
) {
  const received = [];
  for (const open of paths) {
    const agent = open(behaviour, answers);
    await introduce(agent, era);
    for (const message of messages) expect(await agent.send(message)).toBe(true);
    for (const message of messages) if ('id' in message) await agent.answerTo(message.id);
    received.push(agent.received.map(withoutOwnIds));
  }
  return received;
}

/** With its keys in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key_, held]) => [key_, sorted(held)]),
  );
}

/** Each counts its questions from where it likes. */
function withoutOwnIds(message: RpcMessage): unknown {
  return 'method' in message && 'id' in message ? { ...message, id: 'ours' } : message;
}

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

describe('the plain path and the SDK say the same', () => {
  test('to any call, whatever it asks for and whatever comes of it', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(eras, calls, metas, outcomes, async (era, call, meta, outcome) => {
        const message = { id: 1, method: 'tools/call', params: paramsOf(era, call, meta) };
        const [plain, full] = await onBoth(era, behave(outcome), [message]);
        expect(plain).toEqual(full);
      }),
      { numRuns: 400 },
    );
  });

  test('to any mixture of usual and unusual messages, through the place that chooses', {
    timeout: 120_000,
  }, async () => {
    const odd = fc.constantFrom<Sent>(
      { method: 'prompts/list', params: {} },
      { method: 'tools/call', params: { name: 'use_tool', arguments: {}, task: {} } },
      { method: 'resources/read', params: { uri: 'a:b' } },
      { method: 'logging/setLevel', params: { level: 'info' } },
    );
    const usual = calls.map((params): Sent => ({ method: 'tools/call', params }));
    const list = fc.constant<Sent>({ method: 'tools/list', params: {} });
    const requests = fc.array(fc.oneof(usual, list, odd), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(eras, requests, outcomes, async (era, sent, outcome) => {
        const messages = sent.map(({ method, params }, id) => ({ id, method, params: paramsOf(era, params) }));
        const [chosen, full] = await onBoth(era, behave(outcome), messages, noAnswer, [onSession, onFullPath]);
        const inOrder = (all: unknown[] | undefined) => all?.map((one) => JSON.stringify(one)).toSorted();
        expect(inOrder(chosen?.map(sorted))).toEqual(inOrder(full?.map(sorted)));
      }),
      { numRuns: 150 },
    );
  });

  test('after an agent has introduced itself anew', async () => {
    const again = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo };
    const messages = [
      { id: 1, method: 'prompts/list', params: {} },
      { id: 2, method: 'initialize', params: again },
      {
        id: 3,
        method: 'tools/call',
        params: { name: 'use_tool', arguments: { tool: { toolbox: 'dev', server: 'fs', name: 'echo' } } },
      },
    ];
    const tells: Behaviour = async (_, __, { agent }) => ({
      content: [{ type: 'text', text: JSON.stringify(agent?.capabilities) }],
    });
    const era = { revision: '2024-11-05', capabilities: {} };
    const [chosen, full] = await onBoth(era, tells, messages, noAnswer, [onSession, onFullPath]);
    expect(chosen?.map(sorted)).toEqual(full?.map(sorted));
    expect(JSON.stringify(chosen)).toContain('elicitation');
  });

  test('to calls whose large results stay bytes', { timeout: 120_000 }, async () => {
    const sign = { resultType: 'complete', _meta: { [key('serverInfo')]: { name: 'x', version: '1' } } };
    await fc.assert(
      fc.asyncProperty(eras, results, fc.boolean(), async (era, generated, isSigned) => {
        const { _meta, ...unsigned } = generated;
        const result: CallToolResult = isSigned ? unsigned : generated;
        const line = Buffer.from(
          JSON.stringify({ jsonrpc: '2.0', id: 7, result: { ...result, ...(isSigned && sign) } }),
        );
        const outline: unknown = JSON.parse(line.toString('latin1'));
        const packed = isRecord(outline) ? pack(line, outline) : undefined;
        fc.pre(packed !== undefined);
        const params = paramsOf(era, {
          name: 'use_tool',
          arguments: { tool: { toolbox: 'dev', server: 'fs', name: 'echo' } },
        });
        const message = { id: 1, method: 'tools/call', params };
        const asBytes = await onBoth(era, async () => packed ?? {}, [message]);
        const asObjects = await onBoth(era, async () => JSON.parse(JSON.stringify(result)), [message]);
        for (const one of [...asBytes, asObjects[1]]) expect(one).toEqual(asObjects[0]);
      }),
      { numRuns: 150 },
    );
  });

  test('to whatever a client asks when it begins', async () => {
    await fc.assert(
      fc.asyncProperty(
        eras,
        fc.constantFrom<string>('tools/list', 'resources/list', 'resources/templates/list'),
        async (era, method) => {
          const messages = [{ id: 1, method, params: paramsOf(era, {}) }];
          if (era.revision === '2026-07-28')
            messages.push({ id: 2, method: 'server/discover', params: paramsOf(era, {}) });
          else messages.push({ id: 2, method: 'ping', params: {} });
          const [plain, full] = await onBoth(era, behave({}), messages);
          expect(plain).toEqual(full);
        },
      ),
    );
  });

  test('when the server asks the agent in the middle of its call, and the agent answers, or does not want to', async () => {
    const asks: Behaviour = async (_, __, { agent, signal }) => {
      const asked = agent?.ask(
        { method: 'elicitation/create', params: { message: 'Name?' } },
        toAbortSignal(signal ?? AbortSignal.timeout(9)),
      );
      return { content: [{ type: 'text', text: (await asked?.then(JSON.stringify, messageOf)) ?? '' }] };
    };
    const call = { name: 'use_tool', arguments: { tool: { toolbox: 'dev', server: 'fs', name: 'echo' } } };
    for (const answers of [noAnswer, { result: { action: 'accept', content: { a: 1 }, extra: [1] } }]) {
      const [plain, full] = await onBoth(legacy, asks, [{ id: 1, method: 'tools/call', params: call }], answers);
      expect(plain).toEqual(full);
      expect(JSON.stringify(plain)).toContain('elicitation/create');
    }
  });
});

describe('the plain path', () => {
  const plainly = async (era: Era) => {
    const agent = onPlainPath(async () => ({ content: [] }));
    await introduce(agent, era);
    return agent;
  };

  test.each([
    ['another method', { method: 'prompts/list', params: {} }],
    ['a task', { method: 'tools/call', params: { name: 'use_tool', arguments: {}, task: {} } }],
    [
      'a progress token of the wrong type',
      { method: 'tools/call', params: { name: 'use_tool', _meta: { progressToken: {} } } },
    ],
    [
      'a second introduction',
      { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } },
    ],
  ])('does not take %s', async (_, message) => {
    const agent = await plainly(legacy);
    expect(await agent.send({ id: 1, ...message })).toBe(false);
    expect(agent.received).toHaveLength(1);
  });

  test('takes nothing from an agent that has not introduced itself, and no odd introduction', async () => {
    const agent = onPlainPath(async () => ({ content: [] }));
    expect(await agent.send({ id: 1, method: 'tools/list', params: {} })).toBe(false);
    expect(await agent.send({ method: 'notifications/initialized' })).toBe(false);
    const odd = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'no version' } };
    expect(await agent.send({ id: 2, method: 'initialize', params: odd })).toBe(false);
    const future = { protocolVersion: '2027-01-01', capabilities: {}, clientInfo };
    expect(await agent.send({ id: 3, method: 'initialize', params: future })).toBe(false);
    expect(agent.received).toEqual([]);
  });

  test.each([
    ['another revision', { [key('protocolVersion')]: '2027-01-01', [key('clientCapabilities')]: {} }],
    ['no capabilities', { [key('protocolVersion')]: '2026-07-28' }],
    [
      'an odd client',
      { [key('protocolVersion')]: '2026-07-28', [key('clientCapabilities')]: {}, [key('clientInfo')]: 'me' },
    ],
  ])('does not take a request of 2026-07-28 with %s', async (_, meta) => {
    const agent = await plainly(modern);
    expect(await agent.send({ id: 1, method: 'tools/list', params: { _meta: meta } })).toBe(false);
  });

  test('leaves an agent that comes back with answers to the SDK', async () => {
    const agent = await plainly(modern);
    for (const more of [{ requestState: 'x' }, { inputResponses: {} }]) {
      const params = paramsOf(modern, { name: 'use_tool', arguments: {}, ...more });
      expect(await agent.send({ id: 1, method: 'tools/call', params })).toBe(false);
    }
  });

  test('cancels the call that has an id now, not the one that had it', async () => {
    const aborted: number[] = [];
    let started = 0;
    const agent = onPlainPath((_, __, { signal }) => {
      const mine = ++started;
      return new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          aborted.push(mine);
          setImmediate(() => reject(new DownstreamFailure('cancelled', 'no')));
        });
      });
    });
    await introduce(agent, legacy);
    const call = {
      id: 1,
      method: 'tools/call',
      params: { name: 'use_tool', arguments: { tool: { toolbox: 'dev', server: 'fs', name: 'echo' } } },
    };
    const cancel = { method: 'notifications/cancelled', params: { requestId: 1 } };
    await agent.send(call);
    for (let turn = 0; turn < 10; turn++) await settled();
    void agent.send(cancel);
    await agent.send(call);
    for (let turn = 0; turn < 20; turn++) await settled();
    await agent.send(cancel);
    for (let turn = 0; turn < 10; turn++) await settled();
    expect(aborted).toEqual([1, 2]);
  });

  test('gives up what runs when the agent goes', async () => {
    const workbench = bench(async (_, __, { signal }) => {
      signals.push(signal?.aborted ?? false);
      return new Promise((resolve) => signal?.addEventListener('abort', () => resolve({ content: [] })));
    });
    const signals: boolean[] = [];
    const sent: RpcMessage[] = [];
    const send = (message: RpcMessage) => void sent.push(message);
    const opener = createOpener(workbench.overview(), send);
    const plain = createPlainPath(opener, createHandlers(workbench, createUseTool(workbench), silentLog), send);
    const call = { name: 'use_tool', arguments: { tool: { toolbox: 'dev', server: 'fs', name: 'echo' } } };
    plain.take({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...paramsOf(modern, call) } });
    for (let turn = 0; turn < 20; turn++) await settled();
    expect(signals).toEqual([false]);
    plain.close();
    for (let turn = 0; turn < 20; turn++) await settled();
    expect(sent).toEqual([]);
  });

  test('answers a cancelled call no more, and cancels only what it runs', async () => {
    const agent = onPlainPath(
      (_, __, { signal }) =>
        new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(new DownstreamFailure('cancelled', 'no'))),
        ),
    );
    await introduce(agent, legacy);
    await agent.send({
      id: 1,
      method: 'tools/call',
      params: { name: 'use_tool', arguments: { tool: { toolbox: 'dev', server: 'fs', name: 'echo' } } },
    });
    expect(await agent.send({ method: 'notifications/cancelled', params: { requestId: 2 } })).toBe(false);
    expect(await agent.send({ method: 'notifications/cancelled', params: { requestId: 1 } })).toBe(true);
    for (let turn = 0; turn < 20; turn++) await settled();
    expect(agent.received).toHaveLength(1);
  });
});
