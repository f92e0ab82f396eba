import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DownstreamFailure } from '../../contract/downstream-failure.js';
import type { RpcMessage } from '../../jsonrpc/messages.js';
import { createRequests } from './requests.js';
import { callTool } from './tools.js';
import type { Wire, WireSink } from './wire.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

async function connected() {
  const sent: RpcMessage[] = [];
  let sink: WireSink | undefined;
  const wire: Wire = {
    start: (to) => {
      sink = to;
    },
    close: async () => {},
    lastWords: async () => undefined,
    pause: () => {},
    resume: () => {},
    send: (message) => void sent.push(message),
  };
  const passedOn: unknown[] = [];
  const mask = (text: string) => text.replaceAll('hunter2', '***');
  const journal = { file: undefined, mask, note: () => {}, warn: () => {}, output: () => {} };
  const requests = createRequests(wire, journal, {
    incoming: (message) => passedOn.push(message),
    ended: () => {},
  });
  const idOf = (index: number) => (sent[index] as { id: number }).id;
  const receive = (message: object, bytes = 10) => sink?.message(message as RpcMessage, bytes);
  return { requests, sent, passedOn, idOf, receive, sink: () => sink };
}

const answerTo = (id: unknown, result: object) => ({ jsonrpc: '2.0', id, result });

const settings = { idle: 'idleMs', total: 'totalMs', bytes: 'maxResultBytes' };

describe('a tool that reports an error', () => {
  test.each<[string, object, string | undefined]>([
    ['the first line of its first text', { content: [{ type: 'image' }, { text: '\n no file\n at x' }] }, 'no file'],
    ['no secret', { content: [{ type: 'text', text: 'bad key hunter2' }] }, 'bad key ***'],
    ['nothing without a text', { content: [{ type: 'image', data: 'x' }, null] }, undefined],
    ['nothing without content', {}, undefined],
  ])('has as its reason %s', async (_, result, reason) => {
    const { requests, idOf, receive } = await connected();
    const call = callTool(requests, 'x', {}, undefined, { timeoutMs: 1_000 });
    receive(answerTo(idOf(0), { ...result, isError: true }));
    const answer = await call;
    expect(answer.reason).toBe(reason);
    expect(answer.value()).toEqual({ ...result, isError: true });
  });

  test('has none if it reports none', async () => {
    const { requests, idOf, receive } = await connected();
    const call = callTool(requests, 'x', {}, undefined, { timeoutMs: 1_000 });
    receive(answerTo(idOf(0), { content: [{ type: 'text', text: 'a result' }] }));
    expect((await call).reason).toBeUndefined();
  });
});

describe('requests of ours', () => {
  test('get their own answers, in whatever order these come', async () => {
    const { requests, idOf, receive } = await connected();
    const first = requests.request('tools/call', {}, { timeoutMs: 1_000 });
    const second = requests.request('tools/call', {}, { timeoutMs: 1_000 });
    receive(answerTo(idOf(1), { n: 2 }));
    receive(answerTo(idOf(0), { n: 1 }));
    expect(await Promise.all([first, second])).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test('leave everything else to others, and drop answers to no pending request', async () => {
    const { requests, idOf, receive, passedOn } = await connected();
    const call = requests.request('x', {}, { timeoutMs: 1_000 });
    receive(answerTo(idOf(0), {}));
    await call;
    receive(answerTo(idOf(0), { again: true }));
    receive(answerTo(0, {}));
    receive({ jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(passedOn).toEqual([{ jsonrpc: '2.0', id: 1, method: 'ping' }]);
  });

  test('do not run out of time while the user thinks: afterwards the total limit continues and the idle limit restarts', async () => {
    const { requests, idOf, receive } = await connected();
    const options = { timeoutMs: 1_000, totalTimeoutMs: 1_500 };
    const first = requests.request('x', {}, options);
    await vi.advanceTimersByTimeAsync(900);
    const [goOn, goOnToo] = [requests.pauseClocks(), requests.pauseClocks()];
    // One that comes while others wait does not hurry either.
    const second = requests.request('x', {}, options);
    receive({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: idOf(0), progress: 1 } });
    await vi.advanceTimersByTimeAsync(100_000);
    goOn();
    goOn();
    await vi.advanceTimersByTimeAsync(100_000);
    goOnToo();
    const limits = [
      expect(first).rejects.toMatchObject({ kind: 'timeout', message: 'no answer within 1500 ms' }),
      expect(second).rejects.toMatchObject({ kind: 'timeout', message: 'no answer within 1000 ms' }),
    ];
    await vi.advanceTimersByTimeAsync(600);
    await limits[0];
    await vi.advanceTimersByTimeAsync(400);
    await limits[1];
  });

  test('are given up after the limit, and the server is told', async () => {
    const { requests, sent, idOf } = await connected();
    const call = expect(requests.request('x', {}, { timeoutMs: 1_000, settings })).rejects.toMatchObject({
      kind: 'timeout',
      message: 'no answer within 1000 ms (idleMs)',
    });
    await vi.advanceTimersByTimeAsync(1_000);
    await call;
    expect(sent[1]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: idOf(0) } });
  });

  test('live on while there is progress, but not past the total limit', async () => {
    const { requests, idOf, receive } = await connected();
    const seen: unknown[] = [];
    const options = { timeoutMs: 1_000, totalTimeoutMs: 2_500, settings, onProgress: (p: unknown) => seen.push(p) };
    const call = expect(requests.request('x', {}, options)).rejects.toThrow('no answer within 2500 ms (totalMs)');
    for (let i = 0; i < 3; i++) {
      await vi.advanceTimersByTimeAsync(800);
      receive({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: idOf(0), progress: i } });
    }
    await vi.advanceTimersByTimeAsync(100);
    await call;
    expect(seen).toEqual([{ progress: 0 }, { progress: 1 }, { progress: 2 }]);
  });

  test('are cancelled by their signal, before or after they were sent', async () => {
    const { requests, sent } = await connected();
    const agent = new AbortController();
    const call = expect(requests.request('x', {}, { timeoutMs: 9, signal: agent.signal })).rejects.toMatchObject({
      kind: 'cancelled',
    });
    agent.abort();
    await call;
    await expect(requests.request('x', {}, { timeoutMs: 9, signal: agent.signal })).rejects.toThrow('cancelled');
    expect(sent).toHaveLength(2);
  });

  test('fail alone when their answer is too large for the agent or for us', async () => {
    const { requests, idOf, receive, sink } = await connected();
    const forAgent = requests.request('x', {}, { timeoutMs: 1_000, maxBytes: 99, settings });
    const forUs = requests.request('x', {}, { timeoutMs: 1_000 });
    const other = requests.request('x', {}, { timeoutMs: 1_000, maxBytes: 99 });
    receive(answerTo(idOf(0), {}), 100);
    sink()?.lost(
      5,
      { id: idOf(1), isRequest: false },
      new DownstreamFailure('too-large', 'its message of 5 bytes is over the limit'),
    );
    receive(answerTo(idOf(2), { fits: true }), 99);
    await expect(forAgent).rejects.toThrow('its result of 100 bytes is over the limit maxResultBytes (99)');
    await expect(forUs).rejects.toMatchObject({ kind: 'too-large' });
    expect(await other).toEqual({ fits: true });
  });

  test('fail when a page of tools is over what is left of the limit', async () => {
    const { requests, idOf, sink } = await connected();
    const bytes: number[] = [];
    const page = requests.request('tools/list', {}, { maxBytes: -1, mayBePage: true, onBytes: (n) => bytes.push(n) });
    const line = JSON.stringify(answerTo(idOf(0), { tools: [{ name: 'x'.repeat(100_000) }] }));
    expect(sink()?.line(Buffer.from(line))).toBe(true);
    await expect(page).rejects.toMatchObject({ kind: 'too-large' });
    expect(bytes).toEqual([line.length]);
  });

  test('fail with the beginning of a long error, and without one that is too large', async () => {
    const { requests, idOf, receive } = await connected();
    const [long, large] = [requests.request('x', {}, {}), requests.request('x', {}, { maxBytes: 99 })];
    for (const index of [0, 1]) {
      receive({ jsonrpc: '2.0', id: idOf(index), error: { code: 7, message: 'x'.repeat(20_000) } }, 100);
    }
    await expect(long).rejects.toThrow(/^the server answered with error 7: x{9999}… \(20000 characters\)$/);
    await expect(large).rejects.toMatchObject({ kind: 'too-large' });
  });

  test('do not let other messages be large: those are not parsed, and requests among them are answered', async () => {
    const { requests, sent, idOf, sink, passedOn } = await connected();
    const call = requests.request('x', {}, { maxBytes: 9_000_000 });
    const text = 'x'.repeat(1_100_000);
    const receiveLine = (message: object) => sink()?.line(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })));
    for (const message of [
      { method: 'notifications/x', params: { text } },
      { id: 'é', method: 'ping', params: { text } },
      { id: idOf(0), method: 'ping', params: { text } },
      { id: 1, result: { text } },
    ]) {
      expect(receiveLine(message)).toBe(true);
    }
    expect(passedOn).toEqual([]);
    expect(sent.slice(1)).toMatchObject([
      { id: 'é', error: {} },
      { id: idOf(0), error: {} },
    ]);
    receiveLine({ id: idOf(0), result: { text } });
    expect(await call).toEqual({ text });
  });

  test('all fail at once when the connection ends', async () => {
    const { requests, sink } = await connected();
    const calls = [1, 2, 3].map(() => requests.request('x', {}, { timeoutMs: 1_000 }));
    const all = Promise.allSettled(calls);
    sink()?.ended(new DownstreamFailure('crashed', 'it exited with code 1'));
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('are never answered by a message that was not meant for them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 20 }), async (junk) => {
        const { requests, idOf, receive } = await connected();
        const call = requests.request('x', {}, { timeoutMs: 1_000 });
        for (const value of junk) {
          receive({ jsonrpc: '2.0', id: value, result: { wrong: true } });
          receive({
            jsonrpc: '2.0',
            method: 'notifications/progress',
            params: { progressToken: value, progress: value },
          });
        }
        receive(answerTo(idOf(0), { right: true }));
        expect(await call).toEqual({ right: true });
      }),
    );
  });
});
