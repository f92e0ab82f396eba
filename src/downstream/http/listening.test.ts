import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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

/** A stream that ends at once, with these ids in it; counts how often it is requested. */
function setUp(...ids: string[]) {
  const seen = { requested: 0, messages: [] as string[] };
  const intake = {
    json: async () => {},
    events: async (_: unknown, sink: { id(id: string): void }) => ids.forEach((id) => sink.id(id)),
    message: (message: object) => void ('bytes' in message && seen.messages.push(String(message.bytes))),
    pause() {},
    resume() {},
  };
  const listening = createListening(intake, async () => void seen.requested++);
  return { listening, seen };
}

test('a stream that could not be requested, or is refused for the moment, is requested again', async () => {
  const { listening, seen } = setUp();
  listening.failed();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(seen.requested).toBe(1);
  listening.take(response(429));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(seen.requested).toBe(2);
  listening.take(response(405));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(seen.requested).toBe(2);
});

test('what was missed between two streams without ids counts as a change of tools', async () => {
  const { listening, seen } = setUp();
  listening.take(response(200));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(seen).toEqual({ requested: 1, messages: [] });
  listening.take(response(200));
  expect(seen.messages).toEqual(['{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}']);
  listening.stop();
});

test('a server with ids sends what was missed', async () => {
  const { listening, seen } = setUp('7');
  listening.take(response(200));
  await vi.advanceTimersByTimeAsync(1_000);
  listening.take(response(200));
  expect(seen.messages).toEqual([]);
  listening.stop();
});
