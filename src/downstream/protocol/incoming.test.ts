import { setImmediate as turn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { DownstreamFailure, failureOf } from '../../contract/downstream-failure.js';
import type { RpcMessage } from '../../jsonrpc/messages.js';
import { createIncoming } from './incoming.js';
import type { Questions } from './questions.js';

function setUp(ask: Questions['ask'] = async () => ({ answered: true })) {
  const sent: RpcMessage[] = [];
  const onToolsChanged = vi.fn<() => void>();
  const incoming = createIncoming({ questions: { ask }, send: (message) => void sent.push(message), onToolsChanged });
  return { sent, onToolsChanged, ...incoming };
}

test('a ping and a question are answered, under the ids they came with', async () => {
  const { sent, receive } = setUp();
  receive({ jsonrpc: '2.0', id: 0, method: 'ping' });
  receive({ jsonrpc: '2.0', id: 'q', method: 'roots/list' });
  await turn();
  expect(sent).toEqual([
    { jsonrpc: '2.0', id: 0, result: {} },
    { jsonrpc: '2.0', id: 'q', result: { answered: true } },
  ]);
});

test('the reason why a question was not answered has its code and data', async () => {
  const { sent, receive } = setUp(async () => {
    throw Object.assign(new Error('User rejected'), { code: -1, data: { a: 1 } });
  });
  receive({ jsonrpc: '2.0', id: 7, method: 'sampling/createMessage' });
  await turn();
  expect(sent).toEqual([{ jsonrpc: '2.0', id: 7, error: { code: -1, message: 'User rejected', data: { a: 1 } } }]);
});

test('one that is withdrawn is not answered, and of two under one id only the first is asked', async () => {
  const asked: AbortSignal[] = [];
  const { sent, receive } = setUp(
    (_, signal) =>
      new Promise((resolve) => {
        asked.push(signal);
        signal.addEventListener('abort', () => resolve({ late: true }));
      }),
  );
  for (let i = 0; i < 2; i++) receive({ jsonrpc: '2.0', id: 7, method: 'roots/list' });
  receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 8 } });
  receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
  await turn();
  expect(asked.map(({ aborted }) => aborted)).toEqual([true]);
  expect(sent).toEqual([]);
});

test.each([
  ['is lost', new DownstreamFailure('crashed', 'it exited'), 'the server that asked was lost: it exited'],
  ['is closed', undefined, 'the workbench closed the connection'],
])('whatever is asked when the connection %s is withdrawn with that reason', async (_, failure, reason) => {
  const asked: AbortSignal[] = [];
  const { sent, receive, end } = setUp((_question, signal) => {
    asked.push(signal);
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ late: true })));
  });
  receive({ jsonrpc: '2.0', id: 7, method: 'roots/list' });
  end(failure);
  await turn();
  expect(asked.map((signal) => failureOf(signal).message)).toEqual([reason]);
  expect(sent).toEqual([]);
});

test('a notification of changed tools is reported, and other notifications are ignored', () => {
  const { sent, onToolsChanged, receive } = setUp();
  receive({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  receive({ jsonrpc: '2.0', method: 'notifications/message', params: {} });
  receive({ jsonrpc: '2.0', id: 1, result: {} });
  expect(onToolsChanged).toHaveBeenCalledTimes(1);
  expect(sent).toEqual([]);
});
