import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fakeAgent, pending } from '../../../test/support/fake-port.js';
import type { CallToolResult } from '../../contract/types.js';
import type { Agent } from '../../workbench/ports/agent.js';
import { createParkedCalls, type Follower, type RunCall as RunCallOf, type Step as StepOf } from './parked-calls.js';

type Step = StepOf<CallToolResult>;
type RunCall = RunCallOf<CallToolResult>;

const question = { method: 'roots/list' };
const signal = new AbortController().signal;
const follower: Follower = { signal, onProgress: () => {} };
const caller = fakeAgent();
const done: CallToolResult = { content: [] };

function create(mostCalls = 10) {
  const expired = vi.fn<() => void>();
  return { parked: createParkedCalls<CallToolResult>(1_000, mostCalls, expired), expired };
}

const asksOnce: RunCall = async (agent) => ({ content: [], answer: await agent.ask(question, signal) });

function waiting(step: Step): Extract<Step, { is: 'waiting' }> {
  if (step.is !== 'waiting') throw new Error(`it does not wait: ${JSON.stringify(step)}`);
  return step;
}

const answers = (step: Step, answer: object = { roots: [] }) =>
  Object.fromEntries(Object.keys(waiting(step).questions).map((key) => [key, answer]));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a call that asks nothing simply ends', async () => {
  expect(await create().parked.start(async () => done, caller, follower)).toEqual({ is: 'ended', result: done });
  await expect(create().parked.start(() => Promise.reject(new Error('no')), caller, follower)).rejects.toThrow('no');
});

test('a call that asks waits, and continues with the answer', async () => {
  const { parked } = create();
  const step = await parked.start(asksOnce, caller, follower);
  expect(waiting(step).questions).toEqual({ 'question-1': question });
  const ended = await parked.resume(waiting(step).id, answers(step), follower);
  expect(ended).toEqual({ is: 'ended', result: { content: [], answer: { roots: [] } } });
});

test('the agent of a parked call has the capabilities of the caller', async () => {
  const seen = pending<Agent['capabilities']>();
  const run: RunCall = async ({ capabilities }) => {
    seen.resolve(capabilities);
    return done;
  };
  await create().parked.start(run, fakeAgent({ capabilities: { roots: {} } }), follower);
  expect(await seen.promise).toEqual({ roots: {} });
});

test.each([undefined, null, 'text', 7, [], true])(
  'the answer %j is ignored, so the question is asked again',
  async (value) => {
    const { parked } = create();
    const step = waiting(await parked.start(asksOnce, caller, follower));
    const again = waiting((await parked.resume(step.id, { 'question-1': value }, follower)) ?? step);
    expect(again.questions).toEqual(step.questions);
    expect(await parked.resume(again.id, answers(again), follower)).toMatchObject({ is: 'ended' });
  },
);

test('answers under prototype keys are ignored', async () => {
  const { parked } = create();
  const step = waiting(await parked.start(asksOnce, caller, follower));
  const again = await parked.resume(step.id, JSON.parse('{"__proto__":{"question-1":{}}}'), follower);
  expect(again?.is).toBe('waiting');
});

test('several questions may be open and are answered by their keys', async () => {
  const { parked } = create();
  const run: RunCall = async (agent) => {
    const both = await Promise.all([agent.ask({ method: 'a' }, signal), agent.ask({ method: 'b' }, signal)]);
    return { both };
  };
  const step = waiting(await parked.start(run, caller, follower));
  expect(step.questions).toEqual({ 'question-1': { method: 'a' }, 'question-2': { method: 'b' } });
  const last = await parked.resume(step.id, { 'question-2': { of: 'b' }, 'question-1': { of: 'a' } }, follower);
  expect(last).toEqual({ is: 'ended', result: { both: [{ of: 'a' }, { of: 'b' }] } });
});

describe('a call that is never resumed', () => {
  test('is cancelled at the server after its timeout', async () => {
    const { parked, expired } = create();
    const aborted = pending<unknown>();
    const run: RunCall = (agent, { signal: given }) => {
      given.addEventListener('abort', () => aborted.resolve(given.reason));
      return asksOnce(agent, follower);
    };
    const step = waiting(await parked.start(run, caller, follower));
    vi.advanceTimersByTime(1_000);
    expect(await aborted.promise).toMatchObject({
      kind: 'timeout',
      message: 'its question was not answered within 1000 ms',
    });
    expect(expired).toHaveBeenCalledOnce();
    expect(parked.resume(step.id, answers(step), follower)).toBeUndefined();
  });

  test('has its full timeout again after each answer', async () => {
    const { parked, expired } = create();
    const run: RunCall = async (agent) => {
      await agent.ask(question, signal);
      return { second: await agent.ask(question, signal) };
    };
    const first = waiting(await parked.start(run, caller, follower));
    vi.advanceTimersByTime(900);
    const second = waiting((await parked.resume(first.id, answers(first), follower)) ?? first);
    vi.advanceTimersByTime(900);
    expect(await parked.resume(second.id, answers(second), follower)).toMatchObject({ is: 'ended' });
    vi.advanceTimersByTime(10_000);
    expect(expired).not.toHaveBeenCalled();
  });
});

test('a call can be resumed by only one request at a time, and not after its end', async () => {
  const { parked } = create();
  const step = waiting(await parked.start(asksOnce, caller, follower));
  const resumed = parked.resume(step.id, answers(step), follower);
  expect(parked.resume(step.id, answers(step), follower)).toBeUndefined();
  await resumed;
  expect(parked.resume(step.id, answers(step), follower)).toBeUndefined();
  expect(parked.resume('made up', {}, follower)).toBeUndefined();
});

test('a call that failed while parked reports its failure when resumed', async () => {
  const { parked } = create();
  const failure = pending<CallToolResult>();
  const run: RunCall = (agent) => {
    agent.ask(question, signal).catch(() => {});
    return failure.promise;
  };
  const step = waiting(await parked.start(run, caller, follower));
  failure.reject(new Error('it exited'));
  await vi.advanceTimersByTimeAsync(0);
  await expect(parked.resume(step.id, answers(step), follower)).rejects.toThrow('it exited');
});

test('cancelling a request cancels the call it follows, unless the request has been answered', async () => {
  const { parked } = create();
  const aborted = vi.fn<() => void>();
  const run: RunCall = async (agent, { signal: given }) => {
    const cancelled = new Promise<CallToolResult>((_, reject) =>
      given.addEventListener('abort', () => {
        aborted();
        reject(new Error('cancelled'));
      }),
    );
    await agent.ask(question, signal);
    return cancelled;
  };
  const [first, second] = [new AbortController(), new AbortController()];
  const step = waiting(await parked.start(run, caller, { ...follower, signal: first.signal }));
  first.abort();
  expect(aborted).not.toHaveBeenCalled();
  const resumed = parked.resume(step.id, answers(step), { ...follower, signal: second.signal });
  second.abort();
  await expect(resumed).rejects.toThrow('cancelled');
  expect(aborted).toHaveBeenCalledOnce();
});

test('progress goes to the request that currently waits', async () => {
  const { parked } = create();
  const run: RunCall = async (agent, { onProgress }) => {
    onProgress({ progress: 1 });
    await agent.ask(question, signal);
    onProgress({ progress: 2 });
    return done;
  };
  const [first, second] = [vi.fn<Follower['onProgress']>(), vi.fn<Follower['onProgress']>()];
  const step = waiting(await parked.start(run, caller, { signal, onProgress: first }));
  await parked.resume(step.id, answers(step), { signal, onProgress: second });
  expect(first.mock.calls).toEqual([[{ progress: 1 }]]);
  expect(second.mock.calls).toEqual([[{ progress: 2 }]]);
});

test('a question after the end of the call is refused', async () => {
  const { parked } = create();
  const asked = pending<Agent>();
  await parked.start(
    async (agent) => {
      asked.resolve(agent);
      return done;
    },
    caller,
    follower,
  );
  await vi.advanceTimersByTimeAsync(0);
  await expect((await asked.promise).ask(question, signal)).rejects.toThrow('the call has ended');
});

test('calls beyond the limit of waiting calls are refused and cancelled', async () => {
  const { parked } = create(2);
  const aborted = vi.fn<() => void>();
  const run: RunCall = (agent, { signal: given }) => {
    given.addEventListener('abort', aborted);
    return asksOnce(agent, follower);
  };
  const first = waiting(await parked.start(run, caller, follower));
  await parked.start(run, caller, follower);
  await expect(parked.start(run, caller, follower)).rejects.toMatchObject({ code: 'SERVER_BUSY' });
  expect(aborted).toHaveBeenCalledOnce();
  await parked.resume(first.id, answers(first), follower);
  expect(await parked.start(run, caller, follower)).toMatchObject({ is: 'waiting' });
});

test('when the agent disconnects, its waiting calls are cancelled and cannot be resumed', async () => {
  const { parked, expired } = create();
  const aborted = pending<unknown>();
  const run: RunCall = (agent, { signal: given }) => {
    given.addEventListener('abort', () => aborted.resolve(given.reason));
    return asksOnce(agent, follower);
  };
  const step = waiting(await parked.start(run, caller, follower));
  parked.close();
  expect(await aborted.promise).toMatchObject({ kind: 'cancelled' });
  expect(parked.resume(step.id, answers(step), follower)).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
  expect(expired).not.toHaveBeenCalled();
});

test('a call that is cancelled as it is resumed is not parked again', async () => {
  const { parked, expired } = create();
  const run: RunCall = (agent, { signal: given }) => {
    const cancelled = new Promise<CallToolResult>((_, reject) => {
      given.addEventListener('abort', () => reject(new Error('cancelled')));
    });
    agent.ask(question, signal).catch(() => {});
    agent.ask(question, signal).catch(() => {});
    return cancelled;
  };
  const step = waiting(await parked.start(run, caller, follower));
  const abort = new AbortController();
  const resumed = parked.resume(step.id, {}, { ...follower, signal: abort.signal });
  abort.abort();
  await expect(resumed).rejects.toThrow('cancelled');
  vi.advanceTimersByTime(10_000);
  expect(expired).not.toHaveBeenCalled();
});
