import { expect, test } from 'vitest';
import { Cancellation } from '../../src/jsonrpc/cancellation.js';
import type { Supervisor } from '../../src/workbench/servers/supervised-server.js';
import { startHttpServer } from '../support/http-servers.js';
import { type Recorder, startRecorder } from '../support/recorder.js';
import {
  answer,
  result,
  type Script,
  startScripted,
  startScriptedSse,
  superviseRemote,
  text,
} from '../support/scripted-remote.js';
import { until } from '../support/until.js';

// Every byte that servers get to see of a request, kept in test/golden: the line, the headers in their order, the body.

/** Headers of an entry that meet those of the protocol. */
const configured = {
  'X-Team': ' blue\n',
  Authorization: 'Bearer token-1',
  Accept: 'Text/Plain, application/json',
  'content-type': 'text/plain',
  'Mcp-Session-Id': 'configured',
  'MCP-Protocol-Version': 'configured',
  'mcp-param-region': 'configured',
  cookie: 'a=1; b=2',
  Connection: 'close',
};

const has = (recorder: Recorder, what: string) => recorder.requests().some((request) => request.includes(what));

/** The server must not answer calls of the tool `cancelled`. */
async function callAndCancel(supervisor: Supervisor, recorder: Recorder): Promise<void> {
  const over = new Cancellation();
  const cancelled = expect(supervisor.call('cancelled', {}, { signal: over })).rejects.toThrow();
  await until(() => has(recorder, '"name":"cancelled"'));
  over.cancel();
  await cancelled;
  await until(() => has(recorder, 'notifications/cancelled'));
}

/** In an order that does not depend on which of two connections is faster. */
async function expectRecorded({ requests }: Recorder, name: string): Promise<void> {
  const place = (request: string) => Number(/"id":(\d+)/.exec(request)?.[1] ?? 0);
  const sorted = requests().toSorted((one, other) => place(one) - place(other) || (one < other ? -1 : 1));
  await expect(`${sorted.join('\n\n')}\n`).toMatchFileSnapshot(`../golden/requests-${name}.txt`);
}

test.each([
  ['everything, Streamable HTTP', 'everything-http'],
  ['everything, SSE', 'everything-sse'],
] as const)('a real server (%s) gets the recorded requests', async (program, name) => {
  const server = await startHttpServer(program);
  const recorder = await startRecorder(server.url);
  const isSse = program.endsWith('SSE');
  const supervisor = superviseRemote(recorder.url, isSse ? 'sse' : 'auto', {}, { 'X-Team': 'blue' });
  expect((await supervisor.call('echo', { message: '✓' }, {})).value()).toMatchObject(text('Echo: ✓'));
  if (!isSse) await until(() => has(recorder, 'GET /mcp'));
  await supervisor.close();
  const order = ['"initialize"', 'notifications/initialized', isSse ? '"tools/call"' : 'GET /mcp', 'DELETE /mcp'];
  const places = order.map((what) => recorder.requests().findIndex((request) => request.includes(what)));
  if (isSse) expect(places.pop()).toBe(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  await expectRecorded(recorder, name);
});

test('a real modern server gets the recorded requests', async () => {
  const server = await startHttpServer('sdk');
  const recorder = await startRecorder(server.url);
  const supervisor = superviseRemote(recorder.url, 'auto', {}, configured);
  await supervisor.wake();
  await until(() => has(recorder, 'subscriptions/listen'));
  expect((await supervisor.call('marked', { region: 'é' }, {})).value()).toMatchObject(text('é in =?base64?w6k=?='));
  await supervisor.call('marked', { region: 'west 1' }, {});
  for (const uri of ['memo://1', 'memo://✓', ' memo://1', '=?base64?bWVtbw==?=', '=?base64?=', '']) {
    await expect(supervisor.readResource(uri, {})).rejects.toThrow();
  }
  await supervisor.close();
  await expectRecorded(recorder, 'modern');
});

test('a legacy server with sessions gets the recorded requests, whatever it answers', async () => {
  const seen = new Set<string>();
  const script: Script = (response, message) => {
    const { name = message.method ?? '' } = message.params ?? {};
    const isFirst = !seen.has(name);
    seen.add(name);
    if (name === 'ping') answer(response, result(message, {}));
    else if (name === 'refused') answer(response, { error: { code: -32_000, message: 'No' } }, 400);
    else if (name === 'forgotten' && isFirst) response.writeHead(404).end();
    else if (name === 'forgotten') answer(response, result(message, text('done')));
    else if (name === 'resumed') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 100\nid: é 7 \ndata:\n\n');
    }
  };
  const server = await startScripted(script);
  const recorder = await startRecorder(`${server.origin}/mcp`);
  const supervisor = superviseRemote(`${recorder.url}?key=1`, 'http', {}, configured);
  await expect(supervisor.call('refused', {}, {})).rejects.toThrow('400 Bad Request: No');
  await supervisor.call('forgotten', { again: true }, {});
  await expect(supervisor.call('resumed', {}, {})).rejects.toThrow('ended the stream');
  await callAndCancel(supervisor, recorder);
  // For each of the two sessions.
  await until(() => recorder.requests().filter((request) => /^GET (?!.*last-event-id)/s.test(request)).length === 2);
  await supervisor.close();
  await until(() => recorder.requests().filter((request) => request.startsWith('DELETE ')).length === 2);
  await expectRecorded(recorder, 'legacy');
});

test('a server of the old transport gets the recorded requests', async () => {
  const server = await startScriptedSse((response, message, say) => {
    response.writeHead(202).end();
    if (message.params?.name === 'a') say(result(message, text('done')));
  });
  const recorder = await startRecorder(`${server.origin}/sse`);
  const supervisor = superviseRemote(`${recorder.url}?key=1`, 'sse', {}, configured);
  await supervisor.call('a', { text: '✓' }, {});
  await callAndCancel(supervisor, recorder);
  await supervisor.close();
  await expectRecorded(recorder, 'sse');
});
