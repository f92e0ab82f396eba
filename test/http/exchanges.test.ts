import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { devToolbox } from '../support/configs.js';
import {
  answerOf,
  beginSession,
  connectRaw,
  eventsIn,
  type HeaderLines,
  type HttpAnswer,
  legacyBody,
  modernBody,
  modernHeaders,
  open,
  requestText,
  type ServiceInProcess,
  send,
  serveInProcess,
  unchunked,
  using,
} from '../support/http-in-process.js';
import { fixture } from '../support/servers.js';
import { until, untilHolds } from '../support/until.js';

afterEach(() => void vi.useRealTimers());

const fixtures = devToolbox({ fs: fixture() });

/** A client of one era, whose requests are made by hand. */
interface Client {
  /** Sends a request; resolves with the headers of the answer. */
  open(id: unknown, method: string, params?: object, signal?: AbortSignal): Promise<Response>;
}

const clientsOf: Readonly<Record<'legacy' | 'modern', (service: ServiceInProcess, name?: string) => Promise<Client>>> =
  {
    async legacy(service, name = 'raw') {
      const headers: HeaderLines = await beginSession(service, { client: name });
      return {
        open: (id, method, params, signal) =>
          open(service, legacyBody(id, method, params), { headers, ...(signal && { signal }) }),
      };
    },
    async modern(service, name = 'raw') {
      return {
        open(id, method, params: object & { _meta?: object } = {}, signal?) {
          const { _meta: meta = {}, ...rest } = params;
          const headers = modernHeaders(method, rest);
          return open(service, modernBody(id, method, rest, name, meta), { headers, ...(signal && { signal }) });
        },
      };
    },
  };

async function call(client: Client, id: unknown, params: object): Promise<HttpAnswer> {
  return answerOf(await client.open(id, 'tools/call', params));
}

const withToken = (params: object, progressToken: unknown) => ({ ...params, _meta: { progressToken } });
const textOf = ({ message }: HttpAnswer) => message.result?.content?.[0]?.text;

async function statsOf(client: Client) {
  return JSON.parse(textOf(await call(client, 'stats', using('fs', 'stats'))) ?? '');
}

/** The clock of the service, moved by hand; that of servers and of Node.js goes on. */
function fakeTime(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
}

/** The text of a stream that is still open. */
function reading(response: Response): () => string {
  let text = '';
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  })().catch(() => {});
  return () => text;
}

describe.each(['legacy', 'modern'] as const)('a %s request', (era) => {
  const clientOf = clientsOf[era];

  test('is answered by one JSON document', async () => {
    // However long the server takes to start here.
    fakeTime();
    const client = await clientOf(await serveInProcess({ config: fixtures }));
    const { status, headers, message } = await call(client, 'my id', using('fs', 'echo', { a: 1 }));
    expect([status, headers.get('content-type'), message.id]).toEqual([200, 'application/json', 'my id']);
    expect(message.result?.content?.[0]?.text).toBe('{"a":1}');
  });

  test('is answered by a stream if there is progress, under its own token and id', async () => {
    const client = await clientOf(await serveInProcess({ config: fixtures }));
    const { headers, events } = await call(client, 7, withToken(using('fs', 'progress', { steps: 3 }), 'my token'));
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(events.map(({ method, params, id }) => [method, params?.['progressToken'], id])).toEqual([
      ['notifications/progress', 'my token', undefined],
      ['notifications/progress', 'my token', undefined],
      ['notifications/progress', 'my token', undefined],
      [undefined, undefined, 7],
    ]);
  });

  test('becomes a stream after 5 s, with a comment each 15 s of silence', async () => {
    fakeTime();
    const service = await serveInProcess({ config: fixtures });
    const file = join(service.dir, 'go');
    const connection = await connectRaw(service.port);
    connection.write(await textFor(service, era, using('fs', 'wait_for', { file })));
    await until(() => service.hasEngine());
    vi.advanceTimersByTime(5_000);
    const client = await clientOf(service);
    for (let id = 2; id < 5; id++) await call(client, id, using('fs', 'echo'));
    expect(connection.received()).toBe('');
    vi.advanceTimersByTime(1_000);
    await until(() => connection.received().endsWith('\r\n\r\n'));
    const head = connection.received();
    expect(head).toContain('Content-Type: text/event-stream\r\n');
    const comments = () => unchunked(connection.received()).split(':\n\n').length - 1;
    vi.advanceTimersByTime(14_000);
    for (let id = 5; id < 8; id++) await call(client, id, using('fs', 'echo'));
    expect(comments()).toBe(0);
    vi.advanceTimersByTime(1_000);
    await until(() => comments() === 1);
    vi.advanceTimersByTime(15_000);
    await until(() => comments() === 2);
    writeFileSync(file, '');
    await until(() => connection.received().endsWith('0\r\n\r\n'));
    const events = eventsIn(unchunked(connection.received()));
    expect(events).toMatchObject([{ id: 1, result: { content: [{ text: `found ${file}` }] } }]);
  });

  test('gets a result of 9 MiB whole, as a document and as an event', async () => {
    fakeTime();
    const service = await serveInProcess({ config: devToolbox({ fs: fixture('--latency', 1_000) }) });
    const client = await clientOf(service);
    const bytes = 9_400_000;
    const params = using('fs', 'blob', { bytes });
    expect(textOf(await call(client, 1, params))).toHaveLength(bytes);
    const connection = await connectRaw(service.port);
    connection.write(await textFor(service, era, params));
    // After this round trip the other request has come as well, and its server takes a second.
    for (let id = 2; id < 5; id++) await answerOf(await client.open(id, 'tools/list'));
    vi.advanceTimersByTime(7_000);
    await until(() => connection.received().endsWith('\r\n\r\n'));
    expect(connection.received()).toContain('Content-Type: text/event-stream');
    await until(() => connection.received().endsWith('0\r\n\r\n'));
    const [event] = eventsIn(unchunked(connection.received()));
    expect(event?.result?.content?.[0]?.text).toHaveLength(bytes);
  });

  test('of many clients with equal ids, at the same time, gets the answer to itself', async () => {
    const service = await serveInProcess({ config: fixtures });
    const clients = await Promise.all(['one', 'two', 'three', 'four'].map((name) => clientOf(service, name)));
    await Promise.all(
      clients.flatMap((client, at) =>
        Array.from({ length: 100 }, async (_, id) => {
          const { message } = await call(client, id, using('fs', 'echo', { of: at, id }));
          expect([message.id, message.result?.content?.[0]?.text]).toEqual([id, JSON.stringify({ of: at, id })]);
        }),
      ),
    );
  });

  test('that a client reads slowly, but reads, is answered whole', async () => {
    const service = await serveInProcess({ config: fixtures, bounds: { stalledAfterMs: 1_000 } });
    const connection = await connectRaw(service.port);
    const bytes = 9_400_000;
    connection.socket.pause();
    connection.write(await textFor(service, era, using('fs', 'blob', { bytes })));
    let read = 0;
    const begun = Date.now();
    // More than the limit as a whole.
    while (read < bytes && !connection.socket.readableEnded && Date.now() - begun < 30_000) {
      const chunk = connection.socket.read();
      read += chunk === null ? 0 : chunk.length;
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    expect(Date.now() - begun).toBeGreaterThan(1_500);
    expect(read).toBeGreaterThan(bytes);
  });

  test('with a ticket is read by its own client, and by no other', async () => {
    const service = await serveInProcess({ config: { ...fixtures, answerWithinMs: 1_000 } });
    const [client, other] = [await clientOf(service, 'one'), await clientOf(service, 'two')];
    const file = join(service.dir, 'go');
    const running = textOf(await call(client, 1, using('fs', 'wait_for', { file })));
    expect(running).toContain('"of":"r1"');
    writeFileSync(file, '');
    const waiting = using('fs', 'wait_for', {}, { result: { of: 'r1' } });
    expect(textOf(await call(other, 2, waiting))).not.toContain('found');
    expect(textOf(await call(client, 2, waiting))).toBe(`found ${file}`);
  });
});

async function textFor(service: ServiceInProcess, era: 'legacy' | 'modern', params: object): Promise<string> {
  if (era === 'legacy')
    return requestText(service.port, JSON.stringify(legacyBody(1, 'tools/call', params)), await beginSession(service));
  const body = JSON.stringify(modernBody(1, 'tools/call', params));
  return requestText(service.port, body, modernHeaders('tools/call', params));
}

test('a client that stops reading its answer is disconnected', async () => {
  const sockets = () => process.getActiveResourcesInfo().filter((one) => one === 'TCPSocketWrap').length;
  const others = sockets();
  const service = await serveInProcess({ config: fixtures, bounds: { stalledAfterMs: 200 } });
  const connection = await connectRaw(service.port);
  connection.socket.pause();
  connection.write(await textFor(service, 'modern', using('fs', 'blob', { bytes: 9_400_000 })));
  await until(() => sockets() === others + 1, { what: 'the end of the connection' });
  connection.socket.resume();
  await connection.closed;
  expect(connection.received().length).toBeLessThan(9_400_000);
});

test('a modern call ends with its connection, a legacy one goes on', async () => {
  const service = await serveInProcess({ config: fixtures });
  const [legacy, modern] = [await clientsOf.legacy(service), await clientsOf.modern(service)];
  for (const [client, isCancelled] of [
    [legacy, false],
    [modern, true],
  ] as const) {
    const gone = new AbortController();
    const file = join(service.dir, `go-${isCancelled}`);
    const params = withToken(using('fs', 'wait_for', { file, say: 'waiting' }), 1);
    // With progress there are headers: the call has reached the server.
    await client.open(1, 'tools/call', params, gone.signal);
    const before = (await statsOf(modern)).cancelled.length;
    gone.abort();
    if (isCancelled) await untilHolds(async () => expect((await statsOf(modern)).cancelled).toHaveLength(before + 1));
    else {
      // Its id is in flight until it has ended at the server.
      const again = () => call(client, 1, using('fs', 'echo'));
      expect((await again()).message.error?.code).toBe(-32_600);
      writeFileSync(file, '');
      await untilHolds(async () => expect((await again()).status).toBe(200));
      expect((await statsOf(modern)).cancelled).toHaveLength(before);
    }
  }
});

test('a legacy call that is cancelled ends without an answer, and is cancelled at the server', async () => {
  const service = await serveInProcess({ config: fixtures });
  const headers = await beginSession(service);
  const params = withToken(using('fs', 'progress', { steps: 1, hang: true }), 1);
  const answer = await open(service, legacyBody(1, 'tools/call', params), { headers });
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  expect((await send(service, cancelled, { headers })).status).toBe(202);
  expect((await answerOf(answer)).events.map(({ id }) => id)).toEqual([undefined]);
  const stats = await send(service, legacyBody(2, 'tools/call', using('fs', 'stats')), { headers });
  expect(JSON.parse(textOf(stats) ?? '').cancelled).toHaveLength(1);
});

test('a client whose requests in flight are at the limit can still cancel them, also after it has hung up', async () => {
  const limits = { requestsPerSecond: 1_000, inFlight: 1, processesPerUser: 20, processes: 500 };
  const service = await serveInProcess({ config: fixtures, settings: { limits } });
  const headers = await beginSession(service);
  const gone = new AbortController();
  const params = withToken(using('fs', 'progress', { steps: 1, hang: true }), 1);
  await open(service, legacyBody(1, 'tools/call', params), { headers, signal: gone.signal });
  const ping = async () => (await send(service, legacyBody(2, 'ping'), { headers })).status;
  expect(await ping()).toBe(429);
  gone.abort();
  expect(await ping()).toBe(429);
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  expect((await send(service, cancelled, { headers })).status).toBe(202);
  await untilHolds(async () => expect(await ping()).toBe(200));
});

test('requests that wait behind another on a connection that is lost are forgotten with it', async () => {
  const limits = { requestsPerSecond: 1_000, inFlight: 2, processesPerUser: 20, processes: 500 };
  const service = await serveInProcess({ config: fixtures, settings: { limits } });
  const client = await clientsOf.modern(service);
  const ping = async () => (await answerOf(await client.open(1, 'tools/list'))).status;
  const listen = { notifications: { toolsListChanged: true } };
  const listening = requestText(
    service.port,
    JSON.stringify(modernBody(2, 'subscriptions/listen', listen)),
    modernHeaders('subscriptions/listen'),
  );
  // One that is not forgotten would still count in the second round.
  for (let round = 0; round < 2; round++) {
    const connection = await connectRaw(service.port);
    connection.write((await textFor(service, 'modern', using('fs', 'hang'))) + listening);
    await untilHolds(async () => expect(await ping()).toBe(429));
    connection.socket.destroy();
    await untilHolds(async () => expect(await ping()).toBe(200));
  }
});

test('subscriptions of modern clients get edits under their own ids, and end with their connections', async () => {
  const service = await serveInProcess({ config: fixtures });
  const [one, two] = [await clientsOf.modern(service, 'one'), await clientsOf.modern(service, 'two')];
  const params = { notifications: { toolsListChanged: true } };
  const key = 'io.modelcontextprotocol/subscriptionId';
  const texts = [
    reading(await one.open(1, 'subscriptions/listen', params)),
    reading(await two.open(1, 'subscriptions/listen', params)),
    reading(await two.open('1', 'subscriptions/listen', params)),
  ];
  await service.edit({ toolboxes: { other: { description: 'Another', mcpServers: { fs: fixture() } } } });
  await untilHolds(() => {
    for (const [at, text] of texts.entries()) {
      const id = at === 2 ? '1' : 1;
      expect(eventsIn(text()).map(({ method, params: given }) => [method, given?.['_meta']])).toEqual([
        ['notifications/subscriptions/acknowledged', { [key]: id }],
        ['notifications/tools/list_changed', { [key]: id }],
      ]);
    }
  });
});

describe('the stream of a legacy session', () => {
  const openStream = (service: ServiceInProcess, headers: HeaderLines) =>
    fetch(service.url, { headers: { Authorization: 'Bearer token', Accept: 'text/event-stream', ...headers } });

  test('gets edits; a second one is refused with 409', async () => {
    const service = await serveInProcess({ config: fixtures });
    const headers = await beginSession(service);
    await send(service, { jsonrpc: '2.0', method: 'notifications/initialized' }, { headers });
    const first = await openStream(service, headers);
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const text = reading(first);
    const second = await answerOf(await openStream(service, headers));
    expect([second.status, second.message.error?.code]).toEqual([409, -32_000]);
    await service.edit({ toolboxes: { other: { description: 'Another', mcpServers: { fs: fixture() } } } });
    await until(() => eventsIn(text()).some(({ method }) => method === 'notifications/tools/list_changed'));
  });

  test('may be opened again once its connection has closed', async () => {
    const service = await serveInProcess({ config: fixtures });
    const headers = await beginSession(service);
    const connection = await connectRaw(service.port);
    const lines = { ...headers, 'Content-Length': undefined };
    connection.write(requestText(service.port, '', lines, 'GET /mcp HTTP/1.1'));
    await until(() => connection.received().includes('text/event-stream'));
    expect((await openStream(service, headers)).status).toBe(409);
    connection.socket.destroy();
    await untilHolds(async () => expect((await openStream(service, headers)).status).toBe(200));
  });

  test('ends with DELETE, and so do the calls that run; then the id is unknown', async () => {
    const service = await serveInProcess({ config: fixtures });
    const headers = await beginSession(service);
    const stream = await openStream(service, headers);
    const params = withToken(using('fs', 'progress', { steps: 1, hang: true }), 1);
    const running = await open(service, legacyBody(1, 'tools/call', params), { headers });
    const end = () => fetch(service.url, { method: 'DELETE', headers: { Authorization: 'Bearer token', ...headers } });
    expect((await end()).status).toBe(204);
    await Promise.all([stream.text(), running.text()]);
    expect((await end()).status).toBe(404);
    expect((await openStream(service, headers)).status).toBe(404);
    const answer = await send(service, legacyBody(2, 'ping'), { headers });
    expect([answer.status, answer.message.error?.code]).toEqual([404, -32_001]);
    const notified = await send(service, { jsonrpc: '2.0', method: 'notifications/initialized' }, { headers });
    expect(notified.status).toBe(404);
  });

  test('needs Accept with text/event-stream, and a revision that is known', async () => {
    const service = await serveInProcess({ config: fixtures });
    const headers = await beginSession(service);
    expect((await openStream(service, { ...headers, Accept: 'application/json' })).status).toBe(406);
    expect((await openStream(service, { ...headers, 'MCP-Protocol-Version': '2030-01-01' })).status).toBe(400);
  });
});
