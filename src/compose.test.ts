import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { configOf, FakeServer, outputTo, serverConfig } from '../test/support/fake-port.js';
import { createEngine, type EngineLink } from './compose.js';
import type { ToolLocks } from './config/lock-file/tool-lock.js';
import { overviewOf } from './config/overview.js';
import { toAbortSignal } from './jsonrpc/cancellation.js';
import { isRecord } from './jsonrpc/json.js';
import type { RpcMessage, RpcRequest } from './jsonrpc/messages.js';
import { silentLog } from './platform/log.js';
import { type Conversation, createConversation } from './session/conversation.js';
import { introductionOf } from './session/introduction/static-answers.js';
import { localUser } from './session/principal.js';
import type { CallOptions, ConnectDownstream } from './workbench/ports/downstream.js';
import { createMemoryCache } from './workbench/servers/memory-cache.js';

// Sessions in one process with the same configuration, request ids and URIs. Nothing of one may reach another.

const config = configOf([serverConfig()]);
const settled = () => new Promise((resolve) => setImmediate(resolve));

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await settled();
}

/** Reports progress, asks, links to a resource and answers, all marked with the caller's argument; slowly on request. */
async function marked(_: string, args: unknown, { agent, signal, onProgress }: CallOptions) {
  const { mark = '', asks = false, slow = 0 } = isRecord(args) ? args : {};
  await turns(Number(slow));
  onProgress?.({ progress: 1, message: String(mark) });
  const question = {
    method: 'elicitation/create',
    params: { message: `for ${String(mark)} of ${agent?.client?.name}` },
  };
  const answer = asks && agent && signal ? await agent.ask(question, toAbortSignal(signal)) : {};
  await turns(Number(slow));
  return {
    content: [
      { type: 'text', text: JSON.stringify({ mark, answer, agent: agent?.id, client: agent?.client?.name }) },
      { type: 'resource_link', uri: 'res:shared', name: String(mark) },
    ],
  };
}

function createProcess() {
  const servers: FakeServer[] = [];
  const connect: ConnectDownstream = (server, listener, signal, agent) => {
    const fake = new FakeServer();
    fake.onCall = marked;
    fake.onRead = async (uri) => ({ contents: [{ uri, text: `of ${agent?.client?.name}` }] });
    servers.push(fake);
    return fake.connect(server, listener, signal, agent);
  };
  const engine = createEngine(
    { of: () => ({ connectFor: () => ({ connect }), cache: createMemoryCache() }), flush: async () => {} },
    silentLog,
  );
  return { engine, servers };
}

type Engine = ReturnType<typeof createProcess>['engine'];

const key = (name: string) => `io.modelcontextprotocol/${name}`;

/** A client that answers every question with its own name, in the form of its era. */
class Client {
  readonly name: string;
  readonly isModern: boolean;
  readonly received: RpcMessage[] = [];
  readonly #session: Conversation;
  readonly served: EngineLink;
  readonly #calls = new Map<unknown, object>();
  readonly #cancelled = new Set<unknown>();

  constructor(engine: Engine, name: string, isModern: boolean) {
    this.name = name;
    this.isModern = isModern;
    const send = (message: RpcMessage) => this.#receive(JSON.parse(JSON.stringify(message)));
    this.served = engine.openLink(config, outputTo(send), { id: `of ${name}`, principal: localUser });
    this.#session = createConversation(introductionOf(overviewOf(config)), send, this.served, silentLog);
    if (!isModern)
      this.request(0, 'initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo: this.#info });
  }

  get #info() {
    return { name: this.name, version: '1' };
  }

  request(id: number, method: string, params: Record<string, unknown>): void {
    const envelope = {
      [key('protocolVersion')]: '2026-07-28',
      [key('clientInfo')]: this.#info,
      [key('clientCapabilities')]: capabilities,
    };
    const meta = { progressToken: id, ...(this.isModern && envelope) };
    const request: RpcRequest = { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } };
    this.#calls.set(id, params);
    this.#session.receive(request);
  }

  call(id: number, args: object): void {
    const tool = { toolbox: 'dev', server: 'fs', name: 'echo' };
    this.request(id, 'tools/call', { name: 'use_tool', arguments: { tool, arguments: args } });
  }

  cancel(requestId: number): void {
    this.#cancelled.add(requestId);
    this.#session.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  }

  receive(message: RpcMessage): void {
    this.#session.receive(message);
  }

  resultsOf(id: number): unknown[] {
    const responses = this.received.filter((message) => !('method' in message) && message.id === id);
    return responses.map((message) => ('result' in message ? message.result : message));
  }

  #receive(message: RpcMessage): void {
    this.received.push(message);
    const answer = { action: 'accept', content: { by: this.name } };
    if ('method' in message) {
      if ('id' in message) setImmediate(() => this.receive({ jsonrpc: '2.0', id: message.id, result: answer }));
      return;
    }
    const result = 'result' in message && isRecord(message.result) ? message.result : {};
    if (result['resultType'] !== 'input_required' || !isRecord(result['inputRequests'])) return;
    const inputResponses = Object.fromEntries(Object.keys(result['inputRequests']).map((one) => [one, answer]));
    const again = { ...this.#calls.get(message.id), requestState: result['requestState'], inputResponses };
    setImmediate(() => {
      if (!this.#cancelled.has(message.id)) this.request(Number(message.id), 'tools/call', again);
    });
  }
}

const capabilities = { elicitation: { form: {} } };

interface Step {
  readonly who: 0 | 1;
  readonly does: 'call' | 'ask' | 'cancel' | 'read' | 'list';
  readonly id: number;
  readonly slow: number;
  readonly pause: number;
}

const steps = fc.array(
  fc.record({
    who: fc.constantFrom<0 | 1>(0, 1),
    does: fc.constantFrom<Step['does']>('call', 'ask', 'ask', 'cancel', 'read', 'list'),
    id: fc.integer({ min: 1, max: 3 }),
    slow: fc.integer({ min: 0, max: 2 }),
    pause: fc.integer({ min: 0, max: 2 }),
  }),
  { minLength: 4, maxLength: 14 },
);

describe('two sessions in one process', () => {
  test.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])(
    'share ids, toolboxes and URIs, and nothing crosses in 500 random interleavings (modern: %s, %s)',
    {
      timeout: 300_000,
    },
    async (first, second) => {
      let runs = 0;
      const nothingCrosses = fc.asyncProperty(steps, async (script) => {
        const { engine, servers } = createProcess();
        const clients = [new Client(engine, 'client alice', first), new Client(engine, 'client bob', second)] as const;
        const expected = await play(clients, script);
        await quiet(clients);
        for (const [index, client] of clients.entries()) {
          const other = clients[1 - index]?.name ?? '';
          expect(JSON.stringify(client.received)).not.toContain(other);
          for (const [id, count] of expected[index] ?? [])
            expect([id, client.resultsOf(id).length]).toEqual([id, count]);
        }
        await engine.close();
        expect(servers.reduce((sum, { running }) => sum + running, 0)).toBe(0);
        runs++;
      });
      // Each part has a time budget of its own, so that a busy machine does not cut the whole short.
      for (let part = 0; part < 10; part++) await fc.assert(nothingCrosses, { numRuns: 50 });
      expect(runs).toBe(500);
    },
  );

  test("cannot use each other's states, parked calls or resources", async () => {
    const { engine } = createProcess();
    const [alice, bob] = [new Client(engine, 'client alice', true), new Client(engine, 'client bob', true)];
    alice.call(1, { mark: 'client alice', asks: true });
    await quiet([alice, bob]);
    const [asked] = alice.resultsOf(1);
    const state = isRecord(asked) ? asked['requestState'] : undefined;
    expect(state).toEqual(expect.any(String));
    const tool = { toolbox: 'dev', server: 'fs', name: 'echo' };
    bob.request(1, 'tools/call', {
      name: 'use_tool',
      arguments: { tool, arguments: { mark: 'client alice', asks: true } },
      requestState: state,
      inputResponses: { 'question-1': { action: 'accept' } },
    });
    bob.request(2, 'resources/read', { uri: 'res:shared' });
    await quiet([alice, bob]);
    expect(bob.resultsOf(1)).toMatchObject([{ error: { message: 'Invalid or expired requestState' } }]);
    expect(bob.resultsOf(2)).toMatchObject([{ error: { code: -32_602 } }]);
    await engine.close();
  });

  test.each([false, true])(
    'end one by one: each cancels only its own calls and ends only its own servers (modern: %s)',
    async (isModern) => {
      const { engine, servers } = createProcess();
      const [alice, bob] = [new Client(engine, 'client alice', isModern), new Client(engine, 'client bob', isModern)];
      for (const client of [alice, bob]) client.call(1, { mark: client.name, asks: true, slow: 30 });
      await turns(10);
      await alice.served.close();
      expect(servers.map(({ running }) => running)).toEqual([0, 1]);
      await expect.poll(() => bob.resultsOf(1).length).toBeGreaterThan(0);
      await quiet([bob]);
      expect(JSON.stringify(bob.resultsOf(1))).toContain('client bob');
      expect(alice.resultsOf(1)).toEqual([]);
      await engine.close();
      expect(servers.map(({ running }) => running)).toEqual([0, 0]);
    },
  );

  test('end with the engine: calls in flight and parked calls are cancelled, and no session can be opened any more', async () => {
    const { engine, servers } = createProcess();
    const [alice, bob] = [new Client(engine, 'client alice', false), new Client(engine, 'client bob', true)];
    for (const client of [alice, bob]) client.call(1, { mark: client.name, slow: 1_000 });
    await turns(10);
    await engine.close();
    expect(servers.map(({ running }) => running)).toEqual([0, 0]);
    await quiet([alice, bob]);
    expect([...alice.resultsOf(1), ...bob.resultsOf(1)]).toEqual([]);
    expect(() =>
      engine.openLink(
        config,
        outputTo(() => {}),
        { id: 'late', principal: localUser },
      ),
    ).toThrow('shutting down');
  });
});

/** Sends everything; returns how many responses each request id must get. */
async function play(clients: readonly [Client, Client], script: readonly Step[]): Promise<Map<number, number>[]> {
  const counts = [new Map<number, number>(), new Map<number, number>()];
  let nextId = 100;
  for (const { who, does, id, slow, pause } of script) {
    const client = clients[who];
    // Ids 1 to 3 belong to calls, each used once; they may be cancelled.
    const used = counts[who]?.has(id) === true;
    if ((does === 'call' || does === 'ask') && !used) {
      client.call(id, { mark: client.name, asks: does === 'ask', slow });
      counts[who]?.set(id, does === 'ask' && client.isModern ? 2 : 1);
    } else if (does === 'cancel' && used) {
      client.cancel(id);
      counts[who]?.set(id, client.resultsOf(id).length);
    } else if (does === 'read' || does === 'list') {
      client.request(++nextId, does === 'read' ? 'resources/read' : 'tools/list', { uri: 'res:shared' });
      counts[who]?.set(nextId, 1);
    }
    await turns(pause);
  }
  return counts;
}

/** Waits until nothing has been received for a while. */
async function quiet(clients: readonly Client[]): Promise<void> {
  for (let idle = 0, seen = -1; idle < 15; idle++) {
    const count = clients.reduce((sum, { received }) => sum + received.length, 0);
    if (count !== seen) idle = 0;
    seen = count;
    await settled();
  }
}

test('the end of the process waits for the files of a session that is already ending', async () => {
  let written = () => {};
  const flushed = new Promise<void>((resolve) => {
    written = resolve;
  });
  const locks: ToolLocks = { of: () => expect.unreachable(), flush: () => flushed };
  const { connect } = new FakeServer();
  const resources = { connectFor: () => ({ connect }), cache: createMemoryCache(), locks };
  const engine = createEngine({ of: () => resources, flush: async () => {} }, silentLog);
  const link = engine.openLink(
    config,
    outputTo(() => {}),
    { id: 'one', principal: localUser },
  );
  void link.close();
  await settled();
  const closed = engine.close();
  let isClosed = false;
  void closed.then(() => {
    isClosed = true;
  });
  await turns(5);
  expect(isClosed).toBe(false);
  written();
  expect(await closed).toBe(true);
});
