import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fakeAgent } from '../../../test/support/fake-port.js';
import { DownstreamFailure, type FailureKind, NotSent } from '../../contract/downstream-failure.js';
import { Cancellation } from '../../jsonrpc/cancellation.js';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { isRequest, type RpcMessage, type RpcRequest } from '../../jsonrpc/messages.js';
import { newBudget } from '../../workbench/asking/asked-question.js';
import type { Agent } from '../../workbench/ports/agent.js';
import type { CallOptions, Progress } from '../../workbench/ports/downstream.js';
import { createRequests } from './requests.js';
import { createToolCalls } from './tool-calls.js';
import type { Wire, WireSink } from './wire.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

type Reaction = { readonly result: unknown } | { readonly error: JsonObject } | DownstreamFailure | 'silence';
type Era = 'legacy' | 'modern';

const settings = { idle: 'callTimeoutMs', total: 'callTotalTimeoutMs', bytes: 'maxResultBytes' };

/** A connection whose server is a function. */
function connectTo(era: Era, react: (request: RpcRequest) => Reaction, { bytes = 100 } = {}) {
  const sent: RpcMessage[] = [];
  const progress: Progress[] = [];
  let sink: WireSink | undefined;
  function answer(request: RpcRequest, reaction: Reaction): void {
    if (reaction === 'silence') return;
    if (reaction instanceof DownstreamFailure) sink?.unanswered(request.id, reaction);
    else
      sink?.message(
        { jsonrpc: '2.0', id: request.id, ...reaction } as RpcMessage,
        request.method === 'tools/call' ? 100 : bytes,
      );
  }
  const wire: Wire = {
    start(to) {
      sink = to;
    },
    send(message) {
      sent.push(message);
      if (isRequest(message)) setTimeout(() => answer(message, react(message)), 1);
    },
    pause() {},
    resume() {},
    lastWords: async () => undefined,
    close: async () => {},
  };
  const mask = (text: string) => text;
  const journal = { file: undefined, mask, note() {}, warn() {}, output() {} };
  const requests = createRequests(wire, journal, { incoming() {}, ended() {} });
  const handshake = {
    era,
    hasTasks: true,
    instructions: '',
    about: '',
    revision: '',
    software: '',
    metaFor: () => undefined,
  };
  const asker = { toolbox: 'dev', server: 'any', offersRoots: false };
  const tools = createToolCalls({ requests, handshake, asker });
  const signal = new Cancellation();
  function call(options: CallOptions = {}) {
    const result = tools.call(
      'long',
      { a: 1 },
      { ...(era === 'legacy' && { asTask: true }), signal, ...options },
      {
        timeoutMs: 10_000,
        totalTimeoutMs: 30_000,
        maxBytes: 1_000,
        settings,
        signal,
        onProgress: (one) => void progress.push(one),
        wantsProgress: true,
      },
    );
    const settled = Promise.resolve(result).then(
      (found) => found.value(),
      (error: unknown) => error,
    );
    return { settled };
  }
  const methods = () => sent.flatMap((message) => ('method' in message ? [message.method] : []));
  const count = (method: string) => methods().filter((one) => one === method).length;
  return {
    call,
    signal,
    sent,
    methods,
    count,
    progress,
    tools,
    receive: (message: RpcMessage) => sink?.message(message, 9),
  };
}

/** Timers and what is loaded with the first task. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(5);
  await vi.dynamicImportSettled();
  await vi.advanceTimersByTimeAsync(ms);
}

const task = { taskId: 'task-123456', status: 'working' };
const created: Record<Era, object> = { legacy: { task }, modern: { resultType: 'task', ...task } };

/** Creates a task, and then reacts to requests about it. */
const withTask = (era: Era, about: (request: RpcRequest) => Reaction) => (request: RpcRequest) =>
  request.method === 'tools/call' ? { result: created[era] } : about(request);

const working = () => ({ result: { ...task } });
const legacyWorking = ({ method }: RpcRequest): Reaction => (method === 'tasks/result' ? 'silence' : working());

describe.each(['legacy', 'modern'] as const)('a task of a %s server', (era) => {
  const forEver = withTask(era, era === 'legacy' ? legacyWorking : working);

  test('that works for ever is cancelled at the total limit, and nothing is left of it', async () => {
    const { call, count, methods } = connectTo(era, forEver);
    const { settled } = call();
    await pass(30_000);
    expect(await settled).toMatchObject({ kind: 'timeout', message: 'no answer within 30000 ms (callTotalTimeoutMs)' });
    await pass(10_000);
    expect(count('tasks/cancel')).toBe(1);
    expect(count('tools/call')).toBe(1);
    expect(methods().at(-1)).toBe('tasks/cancel');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('whose states say nothing is cancelled at the limit without progress', async () => {
    const { call, count } = connectTo(
      era,
      withTask(era, ({ method }) => (method === 'tasks/result' ? 'silence' : { result: { ...task, taskId: 'x' } })),
    );
    const { settled } = call();
    await pass(10_100);
    expect(await settled).toMatchObject({ kind: 'timeout', message: 'no answer within 10000 ms (callTimeoutMs)' });
    await pass(10_000);
    expect(count('tasks/cancel')).toBe(1);
  });

  test('is cancelled once with its call, whether or not the server says something about that', async () => {
    const react = withTask(era, (request) => (request.method === 'tasks/cancel' ? 'silence' : forEver(request)));
    const { call, signal, count, tools, progress } = connectTo(era, react);
    const { settled } = call();
    await pass(3_500);
    const before = count('tasks/get');
    signal.cancel();
    expect(await settled).toMatchObject({ kind: 'cancelled' });
    let hasEnded = false;
    void tools.cancelled().then(() => {
      hasEnded = true;
    });
    await pass(4_900);
    expect(hasEnded).toBe(false);
    await pass(200);
    expect(hasEnded).toBe(true);
    expect(count('tasks/cancel')).toBe(1);
    expect(count('tasks/get')).toBe(before);
    expect(progress).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each<[FailureKind]>([['unauthorized'], ['forgotten'], ['unreachable'], ['lost']])(
    'whose connection fails with %s has an unknown outcome: the call is not made again',
    async (kind) => {
      const { call, count } = connectTo(
        era,
        withTask(era, () => new NotSent(kind, 'not any more: task-123456')),
      );
      const { settled } = call();
      await pass(5_000);
      const failure = await settled;
      expect(failure).toMatchObject({ kind: 'lost', message: 'not any more: …' });
      expect(failure).not.toBeInstanceOf(NotSent);
      expect(count('tools/call')).toBe(1);
    },
  );

  test('without a usable id fails the call', async () => {
    for (const taskId of [undefined, '', 7, 'x'.repeat(5_000)]) {
      const result = era === 'legacy' ? { task: { taskId } } : { resultType: 'task', taskId };
      const { call, count } = connectTo(era, () => ({ result }));
      const { settled } = call();
      await pass(10);
      expect(await settled).toMatchObject({ kind: 'protocol', message: 'the task that it created has no usable id' });
      expect(count('tasks/get')).toBe(0);
    }
  });

  test.each(['input_required', 'task'])(
    'with a result of the type %s fails: it is not called again',
    async (resultType) => {
      const result = { resultType, taskId: 'another', inputRequests: {} };
      const { call, count } = connectTo(
        era,
        withTask(era, ({ method }) => ({
          result: method === 'tasks/result' ? result : { ...task, status: 'completed', result },
        })),
      );
      const { settled } = call();
      await pass(2_000);
      expect(await settled).toMatchObject({ kind: 'protocol' });
      expect([count('tools/call'), count('tasks/cancel')]).toEqual([1, 0]);
    },
  );

  test('with a state of ten megabytes goes on; one with a result that is too large fails the call', async () => {
    const large = { content: [{ type: 'text', text: 'x'.repeat(2_000) }] };
    const small = { content: [] };
    const states = [{ statusMessage: 'y'.repeat(10_000) }, { status: 'completed', result: small }];
    const react = withTask(era, ({ method }) => {
      if (method === 'tasks/result') return states.length === 0 ? { result: large } : 'silence';
      return { result: { ...task, ...states.shift() } };
    });
    const { call, progress } = connectTo(era, react, { bytes: 10_000_000 });
    const { settled } = call();
    await pass(3_000);
    expect(progress[0]?.message).toHaveLength(1_000);
    if (era === 'modern') expect(await settled).toEqual(small);

    const { call: another } = connectTo(
      era,
      withTask(era, ({ method }) =>
        method === 'tasks/result'
          ? { result: large }
          : { result: { ...task, status: 'completed', statusMessage: 'z', result: large } },
      ),
      { bytes: 2_100 },
    );
    const { settled: tooLarge } = another();
    await pass(3_000);
    expect(await tooLarge).toMatchObject({
      kind: 'too-large',
      message: expect.stringContaining('maxResultBytes (1000)'),
    });
  });
});

describe('a call of a legacy server as a task', () => {
  test('that is cancelled before the task has an id cancels the task once it has', async () => {
    const { call, signal, sent, methods, receive } = connectTo('legacy', ({ method }) =>
      method === 'tools/call' ? 'silence' : working(),
    );
    const { settled } = call();
    await pass(10);
    signal.cancel();
    await settled;
    await pass(2_000);
    const request = sent.find(isRequest);
    receive({ jsonrpc: '2.0', id: request?.id ?? 0, result: created.legacy });
    await pass(10_000);
    expect(methods()).toEqual(['tools/call', 'tasks/cancel']);
  });

  test('that creates no task in time is cancelled itself', async () => {
    const { call, signal, methods } = connectTo('legacy', () => 'silence');
    const { settled } = call();
    await pass(10);
    signal.cancel();
    await settled;
    await pass(6_000);
    expect(methods()).toEqual(['tools/call', 'notifications/cancelled']);
    await pass(10_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that was cancelled before it was sent is not sent', async () => {
    const { call, signal, methods } = connectTo('legacy', () => 'silence');
    const { settled } = call();
    signal.cancel();
    await pass(10);
    expect(await settled).toMatchObject({ kind: 'cancelled' });
    expect(methods()).toEqual([]);
  });

  test('is kept as long as the call may take, and reports progress under one token to its end', async () => {
    const { call, sent, progress, receive } = connectTo('legacy', withTask('legacy', legacyWorking));
    void call();
    await pass(2_000);
    const request = sent.find(isRequest);
    expect(request?.params).toMatchObject({ name: 'long', arguments: { a: 1 }, task: { ttl: 30_000 } });
    const meta = request?.params?.['_meta'];
    const progressToken = isRecord(meta) ? meta['progressToken'] : undefined;
    receive({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 5 } });
    expect(progress).toEqual([{ progress: 5 }]);
  });

  test('that is answered with a result has that result', async () => {
    const { call } = connectTo('legacy', () => ({ result: { content: [] } }));
    const { settled } = call();
    await pass(10);
    expect(await settled).toEqual({ content: [] });
  });

  test('that was not sent can be made again', async () => {
    const { call } = connectTo('legacy', () => new NotSent('lost', 'its connection ended before'));
    const { settled } = call();
    await pass(10);
    expect(await settled).toBeInstanceOf(NotSent);
  });
});

describe('a call of a modern server', () => {
  const extension = 'io.modelcontextprotocol/tasks';
  const missing = {
    code: -32_021,
    message: 'missing',
    data: { requiredCapabilities: { extensions: { [extension]: {} } } },
  };

  test('is sent once more with the extension if that is required, and no third time', async () => {
    const { call, count } = connectTo('modern', () => ({ error: missing }));
    const { settled } = call();
    await pass(100);
    expect(await settled).toMatchObject({ code: -32_021 });
    expect(count('tools/call')).toBe(2);
  });

  test.each([
    undefined,
    {},
    { requiredCapabilities: { extensions: { 'example.com/other': {} } } },
    { requiredCapabilities: 7 },
  ])('that lacks something else (%j) is not sent again', async (data) => {
    const { call, count } = connectTo('modern', () => ({ error: { ...missing, data } }));
    const { settled } = call();
    await pass(100);
    expect(await settled).toMatchObject({ code: -32_021 });
    expect(count('tools/call')).toBe(1);
  });

  test('whose task asks 21 questions is refused, and the task cancelled', async () => {
    const question = { method: 'elicitation/create', params: { message: 'x', requestedSchema: {} } };
    const inputRequests = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`q${index}`, question]));
    const ask = vi.fn<Agent['ask']>();
    const agent = fakeAgent({ capabilities: { elicitation: {} }, ask });
    const { call, count } = connectTo(
      'modern',
      withTask('modern', () => ({ result: { ...task, status: 'input_required', inputRequests } })),
    );
    const { settled } = call({ agent, budget: newBudget() });
    await pass(2_000);
    expect(await settled).toMatchObject({
      code: 'QUESTION_REFUSED',
      message: expect.stringContaining('a call may ask at most 20 questions'),
    });
    expect(ask).not.toHaveBeenCalled();
    expect(count('tasks/cancel')).toBe(1);
  });

  test('has no limit while the user thinks about a question of its task', async () => {
    const question = { method: 'elicitation/create', params: { message: 'x', requestedSchema: {} } };
    const ask: Agent['ask'] = () => new Promise((resolve) => setTimeout(resolve, 300_000, { action: 'accept' }));
    const agent = fakeAgent({ capabilities: { elicitation: {} }, ask });
    const states = [
      { status: 'input_required', inputRequests: { q: question } },
      { status: 'completed', result: { content: [] } },
    ];
    const { call, sent } = connectTo(
      'modern',
      withTask('modern', ({ method }) => ({ result: method === 'tasks/get' ? { ...task, ...states.shift() } : {} })),
    );
    const { settled } = call({ agent, budget: newBudget() });
    await pass(303_000);
    expect(await settled).toEqual({ content: [] });
    const update = sent.filter(isRequest).find(({ method }) => method === 'tasks/update');
    expect(update?.params).toMatchObject({ taskId: 'task-123456', inputResponses: { q: { action: 'accept' } } });
  });
});
