import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DownstreamFailure } from '../../../contract/downstream-failure.js';
import type { JsonObject } from '../../../jsonrpc/json.js';
import { followTask, type TaskPort } from './follow-task.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

type State = JsonObject | Error;

/** A server that answers `tasks/get` with these states, and the last one again and again. */
function setUp(isModern: boolean, states: readonly State[], result: Promise<unknown> = new Promise(() => {})) {
  const taskId = 'task-123456';
  const sent: string[] = [];
  const updates: unknown[] = [];
  const messages: string[] = [];
  const waits: number[] = [];
  const asked: JsonObject[] = [];
  let polls = 0;
  let alive = 0;
  const port: TaskPort = {
    isModern,
    taskId,
    async request(method, params) {
      sent.push(method);
      if (method === 'tasks/result') return result;
      if (method === 'tasks/update') return void updates.push(params?.['inputResponses']);
      const state = states[Math.min(polls++, states.length - 1)];
      if (state instanceof Error) throw state;
      return { taskId, status: 'working', ...state };
    },
    alive(message) {
      alive++;
      if (message !== undefined) messages.push(message);
    },
    async ask(inputRequests) {
      asked.push(inputRequests);
      return Object.fromEntries(Object.keys(inputRequests).map((key) => [key, { action: 'accept' }]));
    },
    wait(ms) {
      waits.push(ms);
      return new Promise((resolve) => setTimeout(resolve, ms));
    },
  };
  const polled = () => sent.filter((method) => method === 'tasks/get').length;
  return { port, taskId, sent, updates, messages, waits, asked, polled, alive: () => alive };
}

const content = [{ type: 'text', text: 'done' }];
const completed = { status: 'completed', result: { content } };
const asking = (...keys: string[]) => ({
  status: 'input_required',
  inputRequests: Object.fromEntries(keys.map((key) => [key, { method: 'elicitation/create' }])),
});

describe.each([true, false])('the state of a task (modern: %s)', (isModern) => {
  const interval = isModern ? 'pollIntervalMs' : 'pollInterval';

  test.each([
    [0, 1_000],
    [-1, 1_000],
    ['often', 1_000],
    [undefined, 1_000],
    [2_500, 2_500],
    [1e12, 60_000],
    [Number.POSITIVE_INFINITY, 60_000],
  ])('is asked for with the interval %s after %i ms', async (wanted, ms) => {
    const { port, waits } = setUp(isModern, [{}]);
    void followTask({ taskId: port.taskId, [interval]: wanted }, port);
    await vi.advanceTimersByTimeAsync(0);
    expect(waits).toEqual([ms]);
  });

  test('may change the interval', async () => {
    const { port, waits } = setUp(isModern, [{ [interval]: 5_000 }, { [interval]: 2_000 }]);
    void followTask({ taskId: port.taskId }, port);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(waits).toEqual([1_000, 5_000, 2_000]);
  });

  test.each<[string, JsonObject]>([
    ['is about another task', { taskId: 'another', ...completed, statusMessage: 'theirs' }],
    ['has no status', { status: undefined, statusMessage: 'none' }],
    ['has a status that is not one', { status: { completed: true }, statusMessage: 'odd' }],
    ['has an unknown status', { status: 'dreaming', statusMessage: 'new' }],
  ])('is ignored if it %s, and is no sign of life', async (_, state) => {
    const { port, messages, alive, polled } = setUp(isModern, [state]);
    void followTask({ taskId: port.taskId }, port);
    const before = alive();
    await vi.advanceTimersByTimeAsync(5_500);
    expect(polled()).toBe(5);
    expect(alive()).toBe(before);
    expect(messages).toEqual([]);
  });

  test('is a sign of life each time; its text is passed on when it is new, short, visible and without the id', async () => {
    const long = { statusMessage: 'x'.repeat(10_000_000) };
    const states = [
      { statusMessage: 'a\u200B' },
      { statusMessage: 'a' },
      {},
      { statusMessage: 'task-123456 runs' },
      long,
    ];
    const { port, messages, alive } = setUp(isModern, states);
    void followTask({ taskId: port.taskId, statusMessage: 'created' }, port);
    await vi.advanceTimersByTimeAsync(5_500);
    expect(alive()).toBe(6);
    expect(messages.slice(0, 3)).toEqual(['created', 'a', '… runs']);
    expect(messages[3]).toHaveLength(1_000);
    expect(messages).toHaveLength(4);
  });

  test('is asked for again if the answer is lost, three times in a row', async () => {
    const lost = new DownstreamFailure('lost', 'the connection broke');
    const { port, polled } = setUp(isModern, [lost, lost, {}, lost, lost, lost]);
    const followed = expect(followTask({ taskId: port.taskId }, port)).rejects.toThrow('the connection broke');
    await vi.advanceTimersByTimeAsync(20_000);
    await followed;
    expect(polled()).toBe(6);
  });

  test('that the server refuses to give ends the wait', async () => {
    const { port } = setUp(isModern, [new DownstreamFailure('protocol', 'no such task')]);
    const followed = expect(followTask({ taskId: port.taskId }, port)).rejects.toThrow('no such task');
    await vi.advanceTimersByTimeAsync(1_000);
    await followed;
  });

  test('says that the server cancelled the task', async () => {
    const { port } = setUp(isModern, [{ status: 'cancelled', statusMessage: 'at night' }]);
    const followed = followTask({ taskId: port.taskId }, port);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await followed).toEqual({ is: 'cancelled', text: 'the server cancelled its task: at night' });
  });
});

describe('a modern task', () => {
  test('has its result in its state, also if it has ended when it is created', async () => {
    const { port, waits } = setUp(true, [completed]);
    expect(await followTask({ taskId: port.taskId, ...completed, result: 'not this' }, port)).toEqual({
      is: 'result',
      result: { content },
    });
    expect(waits).toEqual([]);
  });

  test.each<[unknown, object]>([
    [
      { code: -32_050, message: 'task-123456 is out' },
      { code: -32_050, message: '… is out' },
    ],
    [undefined, { code: -32_603, message: 'its task failed: no paper' }],
    [
      { code: 'E', message: 7 },
      { code: -32_603, message: 'its task failed: no paper' },
    ],
  ])('that fails with %j gives a JSON-RPC error', async (error, expected) => {
    const { port } = setUp(true, [{ status: 'failed', statusMessage: 'no paper', error }]);
    const followed = followTask({ taskId: port.taskId }, port);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await followed).toEqual({ is: 'error', ...expected });
  });

  test('asks each key once, however long the server lists it', async () => {
    const { port, asked, updates } = setUp(true, [asking('a'), asking('a'), asking('b', 'a'), asking('a'), completed]);
    const followed = followTask({ taskId: port.taskId }, port);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await followed).toMatchObject({ is: 'result' });
    expect(asked.map((questions) => Object.keys(questions))).toEqual([['a'], ['b']]);
    expect(updates).toEqual([{ a: { action: 'accept' } }, { b: { action: 'accept' } }]);
  });

  test('is asked for before the server forgets it, and given up when it should have', async () => {
    const { port, waits, polled } = setUp(true, [{ pollIntervalMs: 60_000, ttlMs: 5_000 }]);
    const followed = followTask({ taskId: port.taskId, pollIntervalMs: 60_000, ttlMs: 5_000 }, port);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await followed).toEqual({
      is: 'expired',
      text: 'its task did not end within the 5000 ms that the server keeps it',
    });
    expect(waits).toEqual([5_000]);
    expect(polled()).toBe(1);
  });

  test.each([null, 0, -5, 'long'])('with the ttlMs %s is kept for ever', async (ttlMs) => {
    const { port, polled } = setUp(true, [{ ttlMs }]);
    void followTask({ taskId: port.taskId, ttlMs }, port);
    await vi.advanceTimersByTimeAsync(10_500);
    expect(polled()).toBe(10);
  });
});

describe('a legacy task', () => {
  test('gives its result as soon as there is one', async () => {
    const { port, sent } = setUp(false, [{}], Promise.resolve({ content }));
    expect(await followTask({ taskId: port.taskId }, port)).toEqual({ is: 'result', result: { content } });
    expect(sent).toEqual(['tasks/result']);
  });

  test('that is completed is not asked for any more, until its result comes', async () => {
    const { port, polled } = setUp(false, [{ status: 'completed' }]);
    void followTask({ taskId: port.taskId }, port);
    await vi.advanceTimersByTimeAsync(10_500);
    expect(polled()).toBe(1);
  });

  test('that failed without a result gives an error after a while', async () => {
    const { port } = setUp(false, [{ status: 'failed', statusMessage: 'no paper' }]);
    const followed = followTask({ taskId: port.taskId }, port);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(await followed).toMatchObject({ is: 'error', message: 'its task failed: no paper' });
  });

  test('waits for its result again if the stream is lost', async () => {
    const { port, sent } = setUp(false, [{}]);
    let requests = 0;
    const flaky: TaskPort = {
      ...port,
      async request(method, params) {
        if (method !== 'tasks/result') return port.request(method, params);
        if (++requests < 5) throw new DownstreamFailure('lost', 'the stream ended');
        return { content };
      },
    };
    const followed = followTask({ taskId: port.taskId }, flaky);
    await vi.advanceTimersByTimeAsync(4_500);
    expect(await followed).toEqual({ is: 'result', result: { content } });
    expect(sent).toHaveLength(4);
  });
});
