import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { callLog } from '../support/call-log.js';
import type { ServerEntry } from '../support/configs.js';
import { overHttp, type Remote, type RemoteOptions } from '../support/remote.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';

// The bridge is a fixture of other tests: the official client shows that it is a server as others are.
type Era = 'legacy' | 'modern';

interface Connected {
  readonly client: Client;
  readonly remote: Remote;
  readonly asked: object[];
  readonly call: (name: string, args?: object, options?: object) => Promise<Record<string, unknown>>;
}

const accepted = { action: 'accept' as const, content: {} };
const anything = z.looseObject({});

async function connect(era: Era, options: RemoteOptions, server?: ServerEntry): Promise<Connected> {
  const remote = await overHttp(server ?? fixture(...(era === 'modern' ? ['--modern'] : [])), options);
  const client = new Client(
    { name: 'oracle', version: '1' },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
    },
  );
  const asked: object[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params);
    return accepted;
  });
  const address = new URL(remote.url);
  const transport =
    // oxlint-disable-next-line typescript/no-deprecated -- servers of 2024-11-05 speak nothing else
    options.transport === 'sse' ? new SSEClientTransport(address) : new StreamableHTTPClientTransport(address);
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call: Connected['call'] = (name, args = {}, more = {}) =>
    client.request({ method: 'tools/call', params: { name, arguments: args } }, anything, more);
  return { client, remote, asked, call };
}

const kinds: [string, Era, RemoteOptions][] = [
  ['a legacy server with sessions and JSON', 'legacy', { sessions: true, answers: 'json' }],
  ['a legacy server with sessions and streams', 'legacy', { sessions: true, answers: 'sse' }],
  ['a legacy server without sessions', 'legacy', { answers: 'json' }],
  ['a legacy server without sessions, with streams', 'legacy', { answers: 'sse' }],
  ['a legacy server over SSE', 'legacy', { transport: 'sse' }],
  ['a modern server with JSON', 'modern', { answers: 'json' }],
  ['a modern server with streams', 'modern', { answers: 'sse' }],
];
const question = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Hi?', requestedSchema: { type: 'object', properties: {} } },
};

describe.each(kinds)('the official client with %s', (_, era, options) => {
  test('lists, calls, gets progress, and is asked', async () => {
    const { client, call, asked } = await connect(era, options);
    expect((await client.listTools()).tools.length).toBeGreaterThan(10);
    const sent = { content: [{ type: 'text', text: 'a\r\nb ✓' }], fromTheFuture: { a: [1] } };
    expect(await call('result', sent)).toMatchObject(sent);
    const steps: unknown[] = [];
    await call('progress', { steps: 3, everyMs: 20 }, { onprogress: (step: object) => steps.push(step) });
    expect(steps.length).toBeGreaterThan(1);
    const answer = await call('ask_user', { rounds: [{ q: question }] });
    expect(JSON.stringify(answer)).toContain('accept');
    expect(asked).toMatchObject([{ message: 'Hi?' }]);
  });

  test('cancels a call', async () => {
    const log = callLog();
    const flags = ['--log', log.path, ...(era === 'modern' ? ['--modern'] : [])];
    const { call, remote } = await connect(era, options, fixture(...flags));
    const over = new AbortController();
    const hanging = call('hang', {}, { signal: over.signal });
    hanging.catch(() => {});
    await until(() => log.methods('tools/call').length === 1);
    over.abort();
    await until(() => log.methods('notifications/cancelled').length === 1);
    expect(remote.sent('notifications/cancelled')).toHaveLength(era === 'modern' ? 0 : 1);
  });
});

test.each(kinds.filter(([, , { sessions, transport }]) => sessions === true || transport === 'sse'))(
  'the official client with %s is notified when the tools change',
  async (_, era, options) => {
    const { client, remote, call } = await connect(era, options);
    let changes = 0;
    client.setNotificationHandler('notifications/tools/list_changed', async () => void (changes += 1));
    await until(async () => (await remote.control()).getStreams === 1);
    await call('list_changed');
    await until(() => changes === 1);
  },
);

// Both transports write them in the same way.
const styles = ['crlf', 'cr', 'multiline', 'comments', 'bom', 'tight', 'bytes', 'crlf,comments,multiline,bom,bytes'];

test.each(styles.map((style, index) => [style, index % 2 === 0] as const))(
  'the official client reads streams in the style %s',
  async (style, isStreamable) => {
    const options: RemoteOptions = isStreamable ? { answers: 'sse', sessions: true } : { transport: 'sse' };
    const { call } = await connect('legacy', { ...options, style });
    expect(await call('echo', { a: '✓' })).toMatchObject({ content: [{ text: '{"a":"✓"}' }] });
  },
);

test('a session ends with DELETE, and is unknown from then on', async () => {
  const { client, remote, call } = await connect('legacy', { sessions: true });
  expect(await remote.control()).toMatchObject({ sessions: 1, processes: 1 });
  const transport = client.transport as StreamableHTTPClientTransport;
  const { sessionId = '' } = transport;
  await transport.terminateSession();
  await until(async () => (await remote.control()).processes === 0);
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const again = { method: 'POST', headers: { ...headers, 'mcp-session-id': sessionId }, body };
  expect((await fetch(remote.url, again)).status).toBe(404);
  await expect(call('echo')).rejects.toThrow();
});

test('a stream that was cut off is continued where it ended', async () => {
  const { call, remote } = await connect('legacy', { sessions: true, answers: 'sse' });
  await remote.rules({ rpc: 'tools/call', do: { prime: 20 } });
  expect(await call('echo', { a: 1 })).toMatchObject({ content: [{ text: '{"a":1}' }] });
  const resumed = remote.log().find(({ headers }) => headers['last-event-id'] !== undefined);
  expect(resumed?.http).toBe('GET');
  expect(remote.sent('tools/call')).toHaveLength(1);
});

test('a modern request is refused if its headers do not say what its body says', async () => {
  const { remote } = await connect('modern', {});
  const post = async (changed: object) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
      ...changed,
    };
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'echo', _meta } });
    const response = await fetch(remote.url, { method: 'POST', headers, body });
    return [response.status, ((await response.json()) as { error?: { code: number } }).error?.code];
  };
  expect(await post({})).toEqual([200, undefined]);
  expect(await post({ 'mcp-name': `=?base64?${Buffer.from('echo').toString('base64')}?=` })).toEqual([200, undefined]);
  for (const changed of [
    { 'mcp-name': 'other' },
    { 'mcp-method': 'tools/list' },
    { 'mcp-protocol-version': '2025-11-25' },
  ]) {
    expect(await post(changed)).toEqual([400, -32_020]);
  }
});

test('the bytes of a server arrive as they are, in JSON and in streams', async () => {
  const written = '{ "jsonrpc" : "2.0","id":7,"result":{"a":1,"a":12345678901234567890.10 ,"b":"\\u0041"},"x": 1e400}';
  const entry = {
    command: process.execPath,
    args: ['-e', `process.stdin.on('data', () => process.stdout.write(${JSON.stringify(`${written}\n`)}))`],
  };
  for (const answers of ['json', 'sse'] as const) {
    const remote = await overHttp(entry, { answers });
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list' });
    const response = await fetch(remote.url, { method: 'POST', headers, body });
    expect(await response.text()).toBe(answers === 'json' ? written : `data: ${written}\n\n`);
  }
});
