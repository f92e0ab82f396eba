import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RpcMessage } from '../../jsonrpc/messages.js';
import { answerTimeoutMs } from '../../limits.js';
import { createAsking } from './asking.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const { signal } = new AbortController();
const question = { method: 'roots/list' };

function setUp(fails = false) {
  const sent: RpcMessage[] = [];
  const asking = createAsking((message) => {
    if (fails) throw new RangeError('too deep');
    sent.push(message);
  });
  const lastId = () => {
    const last = sent.at(-1);
    return last !== undefined && 'id' in last ? last.id : '';
  };
  return { sent, asking, lastId };
}

test('an answer is accepted', async () => {
  const { asking, lastId } = setUp();
  const asked = asking.ask(question, signal);
  expect(asking.answered({ jsonrpc: '2.0', id: lastId(), result: { a: 1 } })).toBe(true);
  expect(await asked).toEqual({ a: 1 });
  expect(vi.getTimerCount()).toBe(0);
});

test('an error keeps its code, and a malformed answer is an error', async () => {
  const { asking, lastId } = setUp();
  const refused = asking.ask(question, signal);
  asking.answered({ jsonrpc: '2.0', id: lastId(), error: { code: -1, message: 'no', data: [1] } });
  await expect(refused).rejects.toMatchObject({ code: -1, message: 'no', data: [1] });
  const odd = asking.ask(question, signal);
  asking.answered({ jsonrpc: '2.0', id: lastId(), result: 7 });
  await expect(odd).rejects.toThrow('not an object');
  expect(asking.answered({ jsonrpc: '2.0', id: lastId(), result: {} })).toBe(false);
});

test('a question times out, and the agent is notified that it is cancelled', async () => {
  const { asking, sent } = setUp();
  const abort = new AbortController();
  const [late, withdrawn] = [asking.ask(question, signal), asking.ask(question, abort.signal)];
  const both = Promise.allSettled([late, withdrawn]);
  abort.abort();
  await vi.advanceTimersByTimeAsync(answerTimeoutMs);
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const cancellations = sent.filter((message) => 'method' in message && message.method === 'notifications/cancelled');
  expect(cancellations).toHaveLength(2);
  await expect(asking.ask(question, abort.signal)).rejects.toThrow();
});

test('a question that cannot be sent fails at once and leaves nothing behind', async () => {
  const { asking } = setUp(true);
  await expect(asking.ask(question, signal)).rejects.toThrow('too deep');
  expect(vi.getTimerCount()).toBe(0);
});

test('an elicitation in URL mode has an id', () => {
  const { asking, sent } = setUp();
  void asking.ask({ method: 'elicitation/create', params: { mode: 'url', url: 'https://a.b' } }, signal);
  expect(sent[0]).toMatchObject({ params: { elicitationId: expect.any(String) } });
});
