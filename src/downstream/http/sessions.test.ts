import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import {
  answer,
  type Received,
  result,
  type Script,
  startScripted,
  startScriptedSse,
  superviseRemote,
  text,
} from '../../../test/support/scripted-remote.js';
import { until } from '../../../test/support/until.js';

const lost = { kind: 'lost', message: expect.stringContaining('no longer has the session') };
const notFound = { code: -32_001, message: 'Session not found' };

/** Refuses messages of the sessions in it. */
function forgetful(forgotten: Set<unknown>, refuse: Script): { script: Script; calls: () => number } {
  let calls = 0;
  const script: Script = (response, message, request) => {
    if (forgotten.has(request.headers['mcp-session-id'])) return refuse(response, message, request);
    calls += 1;
    return answer(response, result(message, text('done')));
  };
  return { script, calls: () => calls };
}

describe('a session that the server has forgotten', () => {
  test.each<[string, Script]>([
    ['404', (response) => response.writeHead(404).end()],
    [
      '404 and an error of the request',
      (response, { id }) => answer(response, { jsonrpc: '2.0', id, error: notFound }, 404),
    ],
    [
      '400 and an error of no request',
      (response) => answer(response, { jsonrpc: '2.0', id: null, error: notFound }, 400),
    ],
  ])('is replaced, and the call is made in the next: %s', async (_, refuse) => {
    const { script, calls } = forgetful(new Set(['session-1']), refuse);
    const { origin } = await startScripted(script);
    const called = await superviseRemote(`${origin}/mcp`).call('a', {}, {});
    expect(called.value()).toMatchObject(text('done'));
    expect(calls()).toBe(1);
  });

  test('is replaced once for all calls that were refused with it', async () => {
    const forgotten = new Set<unknown>();
    let refused = 0;
    const { script, calls } = forgetful(
      forgotten,
      (response) => void setTimeout(() => response.writeHead(404).end(), 20 * refused++),
    );
    const { origin, requests } = await startScripted(script);
    const supervisor = superviseRemote(`${origin}/mcp`);
    await supervisor.wake();
    forgotten.add('session-1');
    const called = await Promise.all(Array.from({ length: 5 }, () => supervisor.call('a', {}, {})));
    expect(called.map((each) => each.value())).toEqual(Array.from({ length: 5 }, () => text('done')));
    expect(calls()).toBe(5);
    expect(requests.filter(({ body }) => body.includes('"initialize"'))).toHaveLength(2);
  });

  test('is not meant by 400 if the server answers a ping in it', async () => {
    const error = { code: -32_602, message: 'bad argument' };
    const { origin, requests } = await startScripted((response, message) => {
      if (message.method === 'ping') answer(response, result(message, {}));
      else if (message.params?.name === 'b') answer(response, { jsonrpc: '2.0', id: null, error }, 400);
      else setTimeout(() => answer(response, result(message, text('done'))), 500);
    });
    const supervisor = superviseRemote(`${origin}/mcp`);
    const other = supervisor.call('a', {}, {});
    await until(() => requests.some(({ body }) => body.includes('tools/call')));
    await expect(supervisor.call('b', {}, {})).rejects.toThrow('400 Bad Request: bad argument');
    expect((await other).value()).toMatchObject(text('done'));
    expect(requests.filter(({ body }) => body.includes('"initialize"'))).toHaveLength(1);
  });

  test('is not meant by an error about the request', async () => {
    const error = { code: -32_601, message: 'Method not found' };
    const { origin } = await startScripted((response, { id }) => answer(response, { jsonrpc: '2.0', id, error }, 404));
    await expect(superviseRemote(`${origin}/mcp`).call('a', {}, {})).rejects.toThrow('-32601: Method not found');
  });
});

describe('a call that may have run is not sent again when another finds the session forgotten', () => {
  /** `a` never gets a response; `b` is refused the first time. */
  function scripted() {
    const calls: unknown[] = [];
    const isRefused = ({ params }: Received) => {
      calls.push(params?.name);
      return params?.name === 'b' && calls.filter((name) => name === 'b').length === 1;
    };
    return { calls, isRefused };
  }

  test('over SSE', async () => {
    const { calls, isRefused } = scripted();
    const { origin } = await startScriptedSse((response, message, say) => {
      response.writeHead(isRefused(message) ? 404 : 202).end();
      if (message.params?.name === 'b') say(result(message, text('done')));
    });
    const supervisor = superviseRemote(`${origin}/sse`, 'sse');
    const first = expect(supervisor.call('a', {}, {})).rejects.toMatchObject(lost);
    await until(() => calls.length === 1);
    await supervisor.call('b', {}, {});
    await first;
    expect(calls).toEqual(['a', 'b', 'b']);
  });

  test('over Streamable HTTP, after 202 Accepted', async () => {
    const { calls, isRefused } = scripted();
    const { origin } = await startScripted((response, message) => {
      if (isRefused(message)) response.writeHead(404).end();
      else if (message.params?.name === 'a') response.writeHead(202).end();
      else answer(response, result(message, text('done')));
    });
    const supervisor = superviseRemote(`${origin}/mcp`);
    const first = expect(supervisor.call('a', {}, {})).rejects.toMatchObject(lost);
    await until(() => calls.length === 1);
    await supervisor.call('b', {}, {});
    await first;
    expect(calls).toEqual(['a', 'b', 'b']);
  });
});

describe('the first call of a connection', () => {
  const opensStream = (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  const answers: Script = (response, message) => answer(response, result(message, text('done')));
  const callsIn = (requests: readonly { readonly body: string }[]) =>
    requests.filter(({ body }) => body.includes('tools/call')).length;

  test('is sent when the server has answered the request for its stream, in which it may ask', async () => {
    let calledBefore = 0;
    const server = await startScripted(answers, {
      stream: (response) =>
        void setTimeout(() => {
          calledBefore = callsIn(server.requests);
          opensStream(response);
        }, 100),
    });
    const called = await superviseRemote(`${server.origin}/mcp`).call('a', {}, {});
    expect(called.value()).toMatchObject(text('done'));
    expect(calledBefore).toBe(0);
  });

  test('is sent, too, if the server does not answer the request for its stream', async () => {
    const { origin, requests } = await startScripted(answers, { stream: () => {} });
    const called = await superviseRemote(`${origin}/mcp`).call('a', {}, {});
    expect(called.value()).toMatchObject(text('done'));
    expect(callsIn(requests)).toBe(1);
  });

  test('is not sent if it is cancelled before', async () => {
    const { origin, requests } = await startScripted(answers, { stream: () => {} });
    const supervisor = superviseRemote(`${origin}/mcp`);
    await supervisor.wake();
    const cancel = new AbortController();
    const call = supervisor.call('a', {}, { signal: cancel.signal });
    cancel.abort();
    await expect(call).rejects.toThrow();
    // Calls that were made before it would have been sent by then.
    expect((await supervisor.call('b', {}, {})).value()).toMatchObject(text('done'));
    expect(callsIn(requests)).toBe(1);
  });
});
