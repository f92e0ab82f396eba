import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { startHttpServer } from '../../../test/support/loopback.js';
import {
  answer,
  type Received,
  result,
  type Script,
  startScripted,
  superviseRemote,
  text,
} from '../../../test/support/scripted-remote.js';

const refusal = ({ id }: Received) => ({ jsonrpc: '2.0', id, error: { code: -32_000, message: 'no' } });

test.each([
  [401, {}, { kind: 'unauthorized', message: 'needs a login (401)' }],
  [403, {}, { kind: 'unauthorized', message: 'needs a login (403): no' }],
  [429, { 'retry-after': '12' }, { kind: 'wait', message: 'asks to wait 12 s (429 Too Many Requests)' }],
  [503, { 'retry-after': '12' }, { kind: 'wait', message: 'asks to wait 12 s (503 Service Unavailable)' }],
])('status %i says more than a JSON-RPC error in the body', async (status, headers, failure) => {
  const { origin } = await startHttpServer((response, { body }) =>
    answer(response, refusal(JSON.parse(body)), status, headers),
  );
  await expect(superviseRemote(`${origin}/mcp`).wake()).rejects.toMatchObject(failure);
});

test('another status says less', async () => {
  const { origin } = await startScripted((response, message) => answer(response, refusal(message), 500));
  await expect(superviseRemote(`${origin}/mcp`).call('a', {}, {})).rejects.toThrow('error -32000: no');
});

const cutOff = (response: ServerResponse) => void response.socket?.destroy();

test.each<[string, Script]>([
  [
    'an error of no request',
    (response) => answer(response, { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'no' } }),
  ],
  ['a web page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
  ['an empty stream', (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end()],
  ['the end of the connection', cutOff],
  ['an error without a code', (response, { id }) => answer(response, { jsonrpc: '2.0', id, error: 'no' }, 400)],
  ['202 Accepted', (response) => response.writeHead(202).end()],
])(
  'a legacy server may answer the probe with %s',
  async (_, probe) => {
    const { origin } = await startScripted((response, message) => answer(response, result(message, text('done'))), {
      probe,
    });
    expect((await superviseRemote(`${origin}/mcp`).call('a', {}, {})).value()).toMatchObject(text('done'));
  },
  10_000,
);

test('a call whose response is not valid fails at once', async () => {
  const { origin } = await startScripted((response, { id }) => answer(response, { jsonrpc: '2.0', id }, 500));
  await expect(superviseRemote(`${origin}/mcp`).call('a', {}, {})).rejects.toThrow('500 Internal Server Error');
}, 10_000);

test('a stream whose last event id is empty is not resumed', async () => {
  const { origin, requests } = await startScripted((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end('id: 7\ndata:\n\nid:\ndata:\n\n');
  });
  const failure = { kind: 'lost', message: `${origin}/mcp ended the stream before the response was complete` };
  await expect(superviseRemote(`${origin}/mcp`).call('a', {}, {})).rejects.toMatchObject(failure);
  expect(requests.filter(({ headers }) => 'last-event-id' in headers)).toEqual([]);
});

test.each(['two\nlines', 'check \u2713', 'bell \u0007'])(
  'a configured header that cannot be sent (%j) is reported without its value',
  async (value) => {
    for (const transport of ['http', 'sse'] as const) {
      const { origin, requests } = await startHttpServer();
      const reason = `no request to ${origin}/mcp: a header has a character that is not allowed (ERR_INVALID_CHAR); check the headers and the URL`;
      const supervisor = superviseRemote(`${origin}/mcp`, transport, {}, { 'X-Team': value });
      await expect(supervisor.wake()).rejects.toMatchObject({ message: reason });
      expect(requests).toEqual([]);
    }
  },
);

test('a web page is named as the reason', async () => {
  const { origin } = await startHttpServer((response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
  );
  const reason = `${origin}/ answered 200 OK with a web page (text/html) instead of MCP; check the URL and, if it is set, "type"`;
  await expect(superviseRemote(origin).wake()).rejects.toMatchObject({ kind: 'unreachable', message: reason });
});
