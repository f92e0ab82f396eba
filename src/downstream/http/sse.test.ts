import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { startHttpServer } from '../../../test/support/loopback.js';
import {
  answer,
  legacyResult,
  type Received,
  result,
  startScriptedSse,
  superviseRemote,
  text,
} from '../../../test/support/scripted-remote.js';
import { startStopwatch } from '../../../test/support/stopwatch.js';

afterEach(() => void vi.useRealTimers());

test('a server that takes no more connections is reported at once, though its stream is open', async () => {
  let stop = () => {};
  const server = await startScriptedSse((response, message, say) => {
    response.writeHead(202, { connection: 'close' }).end(() => stop());
    say(result(message, text('done')));
  });
  stop = server.refuse;
  const supervisor = superviseRemote(`${server.origin}/sse`, 'sse');
  await supervisor.call('a', {}, {});
  const elapsed = startStopwatch();
  await expect(supervisor.call('a', {}, {})).rejects.toThrow('could not be started');
  expect(elapsed()).toBeLessThan(5_000);
});

test('a second endpoint is ignored', async () => {
  const other = await startHttpServer();
  let stream: ServerResponse | undefined;
  const { origin } = await startHttpServer((response, request) => {
    const say = (value: string) => void stream?.write(value);
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      return say('event: endpoint\ndata: /messages\n\n');
    }
    const message: Received = JSON.parse(request.body);
    response.writeHead(202).end();
    if (message.id === undefined) return undefined;
    if (message.method === 'tools/list') say(`event: endpoint\ndata: ${other.origin}/\n\n`);
    return say(`data: ${JSON.stringify(result(message, legacyResult(message) ?? text('done')))}\n\n`);
  });
  const called = await superviseRemote(`${origin}/sse`, 'sse').call('a', {}, {});
  expect(called.value()).toMatchObject(text('done'));
  expect(other.requests).toEqual([]);
});

test.each([
  ['http://localhost:1/messages', 'Endpoint origin does not match connection origin: http://localhost:1'],
  ['http://[', 'Invalid URL'],
])('an endpoint that messages must not be sent to (%s) is reported', async (endpoint, why) => {
  const { origin, requests } = await startHttpServer((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`event: endpoint\ndata: ${endpoint}\n\n`);
  });
  const reason = `${origin}/sse could not be used: ${why}`;
  await expect(superviseRemote(`${origin}/sse`, 'sse').wake()).rejects.toThrow(reason);
  expect(requests.map(({ method }) => method)).toEqual(['GET']);
});

test('a stream that is not one of the old transport does not hide why the server refused to initialize', async () => {
  const { origin, requests } = await startHttpServer((response, { method }) => {
    if (method === 'POST') answer(response, { error: { message: 'No API key' } }, 400);
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': welcome\n\n');
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const refused = expect(superviseRemote(`${origin}/mcp`).wake()).rejects.toThrow('400 Bad Request: No API key');
  while (!requests.some(({ method }) => method === 'GET')) await turn();
  await vi.advanceTimersByTimeAsync(10_000);
  await refused;
});
