import { expect, test } from 'vitest';
import { pending } from '../../test/support/fake-port.js';
import type { RpcMessage, RpcRequest } from '../jsonrpc/messages.js';
import { silentLog } from '../platform/log.js';
import { unknownClient } from './caller.js';
import { type Calls, createLazyCalls } from './lazy-calls.js';

const request = (id: number): RpcRequest => ({ jsonrpc: '2.0', id, method: 'tools/call' });

/** Lazy calls whose loading the test controls; `events` records what reached the real ones. */
function setUp() {
  const events: string[] = [];
  const sent: RpcMessage[] = [];
  const loads: ReturnType<typeof pending<Calls>>[] = [];
  const real: Calls = {
    start: ({ id }) => void events.push(`start ${id}`),
    cancel: (id) => void events.push(`cancel ${String(id)}`),
    answered: ({ id }) => void events.push(`answered ${id}`),
    rootsChanged: () => void events.push('roots changed'),
    close: () => void events.push('close'),
  };
  const load = () => {
    const loading = pending<Calls>();
    loads.push(loading);
    return loading.promise;
  };
  const calls = createLazyCalls(load, (message) => void sent.push(message), silentLog);
  const loaded = async () => {
    loads.at(-1)?.resolve(real);
    await Promise.resolve();
    await Promise.resolve();
  };
  return { calls, events, sent, loads, loaded };
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
  calls.close();
  await loaded();
  expect(events).toEqual(['close']);
});
