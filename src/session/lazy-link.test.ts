import { expect, test } from 'vitest';
import { pending } from '../../test/support/fake-port.js';
import type { RpcMessage, RpcRequest } from '../jsonrpc/messages.js';
import { silentLog } from '../platform/log.js';
import { unknownClient } from './caller.js';
import { createLazyLink } from './lazy-link.js';
import type { OpenLink, SessionLink } from './link.js';

const request = (id: number): RpcRequest => ({ jsonrpc: '2.0', id, method: 'tools/call' });

/** A lazy link whose opening the test controls; `events` records what reached the real ones. */
function setUp() {
  const events: string[] = [];
  const sent: RpcMessage[] = [];
  const losses: Parameters<OpenLink>[0][] = [];
  const loads: ReturnType<typeof pending<SessionLink>>[] = [];
  const real: SessionLink = {
    start: ({ id }) => void events.push(`start ${id}`),
    cancel: (id) => void events.push(`cancel ${String(id)}`),
    answered: ({ id }) => void events.push(`answered ${id}`),
    rootsChanged: () => void events.push('roots changed'),
    apply: () => void events.push('apply'),
    note: (text) => void events.push(`note ${text}`),
    close: async () => void events.push('close'),
  };
  const load: OpenLink = (lost) => {
    losses.push(lost);
    const loading = pending<SessionLink>();
    loads.push(loading);
    return loading.promise;
  };
  const calls = createLazyLink(load, (message) => void sent.push(message), silentLog);
  const loaded = async () => {
    loads.at(-1)?.resolve(real);
    await Promise.resolve();
    await Promise.resolve();
  };
  return { calls, events, sent, loads, losses, loaded };
}

test('nothing is loaded before the first call, and then once', async () => {
  const { calls, loads, events, loaded } = setUp();
  calls.cancel(1);
  calls.answered({ jsonrpc: '2.0', id: 1, result: {} });
  expect(loads).toHaveLength(0);
  for (const id of [1, 2]) calls.start(request(id), unknownClient);
  await loaded();
  calls.start(request(3), unknownClient);
  expect(loads).toHaveLength(1);
  expect(events).toEqual(['start 1', 'start 2', 'start 3']);
});

test('a call that is cancelled while queued is never made', async () => {
  const { calls, events, loaded } = setUp();
  for (const id of [1, 2]) calls.start(request(id), unknownClient);
  calls.cancel(1);
  await loaded();
  calls.cancel(2);
  calls.answered({ jsonrpc: '2.0', id: 9, result: {} });
  expect(events).toEqual(['start 2', 'cancel 2', 'answered 9']);
});

test('a loading failure answers every queued call, and the next call retries', async () => {
  const { calls, events, sent, loads, loaded } = setUp();
  for (const id of [1, 2]) calls.start(request(id), unknownClient);
  loads[0]?.reject(new Error('a part is missing'));
  await expect.poll(() => sent.length).toBe(2);
  expect(sent).toEqual(
    [1, 2].map((id) => expect.objectContaining({ id, error: { code: -32_603, message: 'a part is missing' } })),
  );
  calls.start(request(3), unknownClient);
  await loaded();
  expect(events).toEqual(['start 3']);
});

test('an agent that disconnects during loading leaves nothing running', async () => {
  const { calls, events, loaded } = setUp();
  calls.start(request(1), unknownClient);
  void calls.close();
  await loaded();
  expect(events).toEqual(['close']);
});

test('a link that was lost is replaced with the next call, and what it had not passed on goes first', async () => {
  const { calls, events, loads, losses, loaded } = setUp();
  calls.start(request(1), unknownClient);
  await loaded();
  losses[0]?.([{ request: request(2), caller: unknownClient }]);
  calls.start(request(3), unknownClient);
  await loaded();
  expect(loads).toHaveLength(2);
  expect(events).toEqual(['start 1', 'start 2', 'start 3']);
});
