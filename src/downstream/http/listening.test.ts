import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { StreamPosition } from './intake.js';
import { createListening } from './listening.js';
import type { HttpResponse } from './network/network.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const response = (status: number): HttpResponse => ({
  status,
  statusText: '',
  headers: { 'content-type': 'text/event-stream' },
  body: new PassThrough(),
  url: new URL('http://127.0.0.1/'),
  droppedHeaders: false,
});

/** A server that answers with these statuses, `undefined` for none. Its streams have these ids, and end at once. */
function setUp(statuses: readonly (number | undefined)[], ids: readonly string[] = []) {
  const seen = { requested: [] as (string | undefined)[], messages: [] as string[] };
  const intake = {
    json: async () => {},
    events: async (_: unknown, position: StreamPosition) => {
      for (const id of ids) position.lastEventId = id;
    },
    message: (message: object) => void ('bytes' in message && seen.messages.push(String(message.bytes))),
    pause() {},
    resume() {},
  };
  const listening = createListening(intake, async (lastEventId) => {
    const status = statuses[seen.requested.push(lastEventId) - 1];
    if (status === undefined) throw new Error('no response');
    return response(status);
  });
  return { listening, seen };
}

test('a stream that could not be requested, or is refused for the moment, is requested again', async () => {
  const { listening, seen } = setUp([undefined, 429, 405]);
  listening.open();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(seen.requested).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(seen.requested).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(seen.requested).toHaveLength(3);
});

test('what was missed between two streams without ids counts as a change of tools', async () => {
  const { listening, seen } = setUp([200, 200]);
  listening.open();
  await vi.advanceTimersByTimeAsync(500);
  expect(seen.messages).toEqual([]);
  await vi.advanceTimersByTimeAsync(500);
  expect(seen).toEqual({
    requested: [undefined, undefined],
    messages: ['{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'],
  });
  listening.stop();
});

test('a server with ids sends what was missed', async () => {
  const { listening, seen } = setUp([200, 200], ['7']);
  listening.open();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(seen).toEqual({ requested: [undefined, '7'], messages: [] });
  listening.stop();
});
