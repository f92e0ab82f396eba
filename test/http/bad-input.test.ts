// @module-tag hostile
// @module-tag slow
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { devToolbox } from '../support/configs.js';
import {
  beginSession,
  connectRaw,
  legacyBody,
  modernBody,
  modernHeaders,
  requestText,
  type ServiceInProcess,
  send,
  sendModern,
  serveInProcess,
  token,
  using,
} from '../support/http-in-process.js';
import { fixture } from '../support/servers.js';
import { until, untilHolds } from '../support/until.js';

// Row by row the table of what is refused, with status and code; of every row, that nothing was started, and that nothing of what was
// sent reached the log.

const canary = 'canary-4711';
const body = JSON.stringify(legacyBody(1, 'tools/call', using(canary, canary)));

async function service(options: Parameters<typeof serveInProcess>[0] = {}): Promise<ServiceInProcess> {
  return serveInProcess({ config: devToolbox({ echo: fixture() }), ...options });
}

/** The status line of the first answer on a connection, once the headers of one are there. */
async function statusOf(port: number, text: string): Promise<{ status: number; head: string; isClosed: boolean }> {
  const connection = await connectRaw(port);
  connection.write(text);
  await until(() => connection.received().includes('\r\n\r\n'), { what: 'an answer' });
  const head = connection.received();
  const isClosed = /^Connection: close$/im.test(head.replaceAll('\r', ''));
  if (isClosed) await connection.closed;
  return { status: Number(head.split(' ', 2)[1]), head, isClosed };
}

function expectNothing(served: ServiceInProcess): void {
  expect(served.hasEngine()).toBe(false);
  expect(served.log()).not.toContain(canary);
}

/** Many lines of headers; with the five of every request. */
const lines = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-${canary}-${at}`, 'v']));

test.each<[what: string, status: number, text: (port: number) => string]>([
  ['headers of 17 KiB', 431, (at) => requestText(at, body, { 'X-Long': canary.repeat(1_600) })],
  ['101 header lines', 431, (at) => requestText(at, body, lines(96))],
  ['200 header lines', 431, (at) => requestText(at, body, lines(195))],
  ['a line that is no header', 400, (at) => requestText(at, body).replace('Accept: */*', `no header ${canary}`)],
  ['a request line that is none', 400, () => `${canary}\r\n\r\n`],
  ['a control character in a header', 400, (at) => requestText(at, body, { 'X-Odd': `${canary}\u0001` })],
  ['two lengths', 400, (at) => requestText(at, body).replace('Accept: */*', 'Content-Length: 7')],
  ['a length and chunks', 400, (at) => requestText(at, body, { 'Transfer-Encoding': 'chunked' })],
  ['a length that is no number', 400, (at) => requestText(at, body, { 'Content-Length': '-1' })],
  ['another Host', 403, (at) => requestText(at, body, { Host: `${canary}.example` })],
  ['another port in Host', 403, (at) => requestText(at, body, { Host: '127.0.0.1:1' })],
  ['no Host', 403, (at) => requestText(at, body, { Host: undefined })],
  ['two Hosts', 403, (at) => requestText(at, body).replace('Accept: */*', `Host: 127.0.0.1:${at}`)],
  ['an Origin that is not listed', 403, (at) => requestText(at, body, { Origin: `https://${canary}.example` })],
  ['the Origin null', 403, (at) => requestText(at, body, { Origin: 'null' })],
  [
    'two Origins',
    403,
    (at) =>
      requestText(at, body, { Origin: 'https://page.example' }).replace('Accept: */*', 'Origin: https://page.example'),
  ],
  ['another path', 404, (at) => requestText(at, body, {}, `POST /${canary} HTTP/1.1`)],
  ['the path with a slash more', 404, (at) => requestText(at, body, {}, 'POST /mcp/ HTTP/1.1')],
  ['a whole URL as its path', 404, (at) => requestText(at, body, {}, 'POST http://127.0.0.1/mcp HTTP/1.1')],
  ['another method', 405, (at) => requestText(at, body, {}, 'PUT /mcp HTTP/1.1')],
  ['GET without a session', 405, (at) => requestText(at, '', {}, 'GET /mcp HTTP/1.1')],
  ['DELETE without a session', 405, (at) => requestText(at, '', {}, 'DELETE /mcp HTTP/1.1')],
  ['OPTIONS without an Origin', 405, (at) => requestText(at, '', {}, 'OPTIONS /mcp HTTP/1.1')],
  ['no token', 401, (at) => requestText(at, body, { Authorization: undefined })],
  ['a wrong token', 401, (at) => requestText(at, body, { Authorization: `Bearer ${canary}` })],
  [
    'a token in the query',
    401,
    (at) => requestText(at, body, { Authorization: undefined }, `POST /mcp?access_token=${token} HTTP/1.1`),
  ],
  ['no Content-Type', 415, (at) => requestText(at, body, { 'Content-Type': undefined })],
  ['another Content-Type', 415, (at) => requestText(at, body, { 'Content-Type': 'text/plain' })],
  ['an encoded body', 415, (at) => requestText(at, body, { 'Content-Encoding': 'gzip' })],
  ['no Accept', 406, (at) => requestText(at, body, { Accept: undefined })],
  ['Accept with one type', 406, (at) => requestText(at, body, { Accept: 'application/json' })],
  ['a length over 4 MiB', 413, (at) => requestText(at, body, { 'Content-Length': '4194305' })],
])('%s is refused with %i, and nothing is started or logged', async (_what, status, text) => {
  const served = await service({ settings: { origins: ['https://page.example'] } });
  const { status: given, head } = await statusOf(served.port, text(served.port));
  expect(given, head).toBe(status);
  expect(head).not.toContain(canary);
  if (status === 405) expect(head).toMatch(/^Allow: POST\r$/m);
  if (status === 401) expect(head).toMatch(/^WWW-Authenticate: Bearer/m);
  expectNothing(served);
});

test('100 header lines are served', async () => {
  const served = await service();
  const { status } = await statusOf(served.port, requestText(served.port, body, lines(94)));
  expect(status).toBe(400);
});

test.each([
  ['the order of the checks: Host before path', 403, { Host: 'other' }, 'POST /other HTTP/1.1'],
  ['path before method', 404, {}, 'PUT /other HTTP/1.1'],
  ['method before token', 405, { Authorization: undefined }, 'PUT /mcp HTTP/1.1'],
  ['token before Content-Type', 401, { Authorization: undefined, 'Content-Type': 'text/plain' }, undefined],
  ['Content-Type before Accept', 415, { Accept: 'text/html', 'Content-Type': 'text/plain' }, undefined],
  ['Accept before length', 406, { Accept: 'text/html', 'Content-Length': '4194305' }, undefined],
])('%s', async (_what, status, headers, start) => {
  const served = await service();
  expect((await statusOf(served.port, requestText(served.port, body, headers, start))).status).toBe(status);
});

test('the rate of a principal is checked after its token and before its Content-Type, and Retry-After is sent', async () => {
  const limits = { requestsPerSecond: 1, inFlight: 256, processesPerUser: 20, processes: 500 };
  const served = await service({ settings: { limits } });
  const headers = { 'Content-Type': 'text/plain' };
  expect((await send(served, body, { headers })).status).toBe(415);
  expect((await send(served, body, { headers })).status).toBe(415);
  const refused = await send(served, body, { headers });
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('2');
  expect(refused.message.error?.code).toBe(-32_000);
  expect((await send(served, body, { headers: { Authorization: 'Bearer other' } })).status).toBe(401);
  expectNothing(served);
});

test('a page of a listed origin may ask and read; another may not even ask', async () => {
  const served = await service({ settings: { origins: ['https://page.example'] } });
  const ask = (Origin: string) =>
    statusOf(served.port, requestText(served.port, '', { Origin }, 'OPTIONS /mcp HTTP/1.1'));
  const allowed = await ask('https://page.example');
  expect(allowed.status).toBe(204);
  expect(allowed.head).toContain('Access-Control-Allow-Origin: https://page.example');
  expect(allowed.head).toMatch(/^Access-Control-Allow-Headers: .*Mcp-Session-Id/m);
  expect((await ask('https://other.example')).status).toBe(403);
  const read = await statusOf(served.port, requestText(served.port, body, { Origin: 'https://page.example' }));
  expect(read.head).toContain('Access-Control-Allow-Origin: https://page.example');
});

test('a host behind a proxy is known by its url, with and without the default port, and by its own port', async () => {
  const served = await service({ settings: { url: 'https://mcp.example.com/mcp' } });
  const statusFor = async (Host: string) =>
    (await statusOf(served.port, requestText(served.port, body, { Host }))).status;
  for (const host of ['mcp.example.com', 'MCP.example.com:443', `localhost:${served.port}`, `[::1]:${served.port}`])
    expect(await statusFor(host)).toBe(400);
  for (const host of ['mcp.example.com:80', 'mcp.example.com.evil.example', 'evil.example', 'localhost', ''])
    expect(await statusFor(host)).toBe(403);
});

const session = async (served: ServiceInProcess) => ({ headers: await beginSession(served) });

test.each<[what: string, status: number, code: number, body: unknown]>([
  ['a body that is not UTF-8', 400, -32_700, Buffer.from([0x22, 0xff, 0x22])],
  ['a body that is not JSON', 400, -32_700, `{"${canary}`],
  ['an empty body', 400, -32_700, ''],
  ['JSON that is no message', 400, -32_600, { [canary]: 1 }],
  ['a batch', 400, -32_600, [legacyBody(1, 'ping'), legacyBody(2, canary)]],
  ['another version of JSON-RPC', 400, -32_600, { jsonrpc: '1.0', id: 1, method: canary }],
  ['params that are a list', 400, -32_600, { jsonrpc: '2.0', id: 1, method: 'ping', params: [canary] }],
  ['an id that is null', 400, -32_600, { jsonrpc: '2.0', id: null, method: canary }],
  ['a notification that is too deep', 400, -32_600, `{"jsonrpc":"2.0","method":"${canary}","params":${deep()}}`],
  ['a method that nobody knows', 200, -32_601, legacyBody(1, canary)],
])('%s is refused in a legacy session', async (_what, status, code, given) => {
  const served = await service();
  const answer = await send(served, given, await session(served));
  expect([answer.status, answer.message.error?.code]).toEqual([status, code]);
  expectNothing(served);
});

function deep(): string {
  return '{"a":'.repeat(200) + '1' + '}'.repeat(200);
}

test.each<[what: string, status: number, code: number | undefined, headers: object, body: unknown]>([
  ['no session id', 400, -32_000, {}, legacyBody(1, 'ping')],
  ['a wrong session id', 404, -32_001, { 'Mcp-Session-Id': canary }, legacyBody(1, 'ping')],
  [
    'an unknown revision in the header',
    400,
    -32_000,
    { 'MCP-Protocol-Version': canary, 'Mcp-Session-Id': canary },
    legacyBody(1, 'ping'),
  ],
  ['modern without _meta', 400, -32_602, modernHeaders('tools/list'), legacyBody(1, 'tools/list', {})],
  [
    'modern without a revision in _meta, before its headers',
    400,
    -32_602,
    { 'MCP-Protocol-Version': '2026-07-28' },
    legacyBody(1, 'tools/list', { _meta: { [canary]: 1 } }),
  ],
  ['a response as modern body', 400, -32_600, modernHeaders('ping'), { jsonrpc: '2.0', id: 1, result: { canary } }],
  [
    'a modern notification',
    202,
    undefined,
    modernHeaders('ping'),
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: canary } },
  ],
  ['an unknown modern method', 404, -32_601, modernHeaders(canary), modernBody(1, canary)],
  ['initialize in the modern era', 404, -32_601, modernHeaders('initialize'), modernBody(1, 'initialize')],
])('%s is answered with %i', async (_what, status, code, headers, given) => {
  const served = await service();
  const answer = await send(served, given, { headers: { ...headers } });
  expect([answer.status, answer.message.error?.code]).toEqual([status, code]);
  expectNothing(served);
});

const params = using('echo', 'echo');
const right = modernHeaders('tools/call', params);

test.each<[what: string, code: number, change: Readonly<Record<string, string | undefined>>]>([
  ['no MCP-Protocol-Version', -32_020, { 'MCP-Protocol-Version': undefined }],
  ['an older revision in the header than in the body', -32_020, { 'MCP-Protocol-Version': '2025-11-25' }],
  ['no Mcp-Method', -32_020, { 'Mcp-Method': undefined }],
  ['another Mcp-Method', -32_020, { 'Mcp-Method': 'tools/list' }],
  ['Mcp-Method in other letters', -32_020, { 'Mcp-Method': 'Tools/Call' }],
  ['no Mcp-Name', -32_020, { 'Mcp-Name': undefined }],
  ['another Mcp-Name', -32_020, { 'Mcp-Name': 'open_toolbox' }],
  ['Mcp-Name in bad Base64', -32_020, { 'Mcp-Name': '=?base64?%%?=' }],
  ['Mcp-Name in Base64 with its padding missing', -32_020, { 'Mcp-Name': '=?base64?dXNlX3Rvb2w?=' }],
  ['Mcp-Name in Base64 without its end', -32_020, { 'Mcp-Name': '=?base64?dXNlX3Rvb2w=' }],
  ['Mcp-Name in Base64 of no text', -32_020, { 'Mcp-Name': '=?base64?/w==?=' }],
  ['Mcp-Name with a byte over ASCII', -32_020, { 'Mcp-Name': 'use_tool\u00a0' }],
  ['no Mcp-Param-Toolbox', -32_020, { 'Mcp-Param-Toolbox': undefined }],
  ['another Mcp-Param-Toolbox', -32_020, { 'Mcp-Param-Toolbox': 'other' }],
])('a modern call with %s is refused before anything else of it counts', async (_what, code, change) => {
  const served = await service();
  const headers = { ...plainOf(right), ...change };
  const given = await statusOf(
    served.port,
    // Latin-1, as a byte over ASCII would come.
    requestText(served.port, JSON.stringify(modernBody(1, 'tools/call', params)), headers),
  );
  expect(given.status, given.head).toBe(400);
  expect(given.head).toContain(`"code":${code}`);
  expectNothing(served);
});

const plainOf = (headers: Readonly<Record<string, string>>) => headers;

test('a modern header twice is refused, even if both are right', async () => {
  const served = await service();
  const text = requestText(served.port, JSON.stringify(modernBody(1, 'tools/call', params)), right);
  for (const [name, value] of Object.entries(right)) {
    const twice = text.replace('Accept: */*', `Accept: */*\r\n${name}: ${value}`);
    const { status, head } = await statusOf(served.port, twice);
    expect(status, name).toBe(400);
    expect(head).toContain('"code":-32020');
  }
  expectNothing(served);
});

test('Mcp-Name and Mcp-Param-Toolbox may be encoded, and names beyond ASCII have to be', async () => {
  const served = await service();
  const given = { name: 'open_toolbox', arguments: { toolbox: 'Größe' } };
  const literal = { name: 'open_toolbox', arguments: { toolbox: '=?base64?SGVsbG8=' } };
  const plain = await sendModern(served, 'tools/call', literal, {
    headers: { 'Mcp-Param-Toolbox': '=?base64?SGVsbG8=' },
  });
  expect(plain.status).toBe(200);
  const encoded = `=?base64?${Buffer.from('open_toolbox').toString('base64')}?=`;
  const answer = await sendModern(served, 'tools/call', given, { headers: { 'Mcp-Name': encoded } });
  expect(answer.status).toBe(200);
  expect(answer.message.result?.isError).toBe(true);
});

test('an unknown modern revision is refused with -32022 after its headers, the rest of _meta with -32602 after that', async () => {
  const served = await service();
  const metaOf = (revision: string, more: object) => ({
    ...legacyBody(1, 'tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': revision, ...more } }),
  });
  const refused = async (given: object, revision: string, method = 'tools/list') => {
    const headers = { 'MCP-Protocol-Version': revision, 'Mcp-Method': method };
    const { status, message } = await send(served, given, { headers });
    return [status, message.error?.code];
  };
  expect(await refused(metaOf('2030-01-01', {}), '2030-01-01')).toEqual([400, -32_022]);
  expect(await refused(metaOf('2030-01-01', {}), '2030-01-01', 'ping')).toEqual([400, -32_020]);
  expect(await refused(metaOf('2026-07-28', {}), '2026-07-28')).toEqual([400, -32_602]);
  const key = 'io.modelcontextprotocol/clientCapabilities';
  expect(await refused(metaOf('2026-07-28', { [key]: [] }), '2026-07-28')).toEqual([400, -32_602]);
  expect(await refused(metaOf('2026-07-28', { [key]: {} }), '2026-07-28')).toEqual([200, undefined]);
});

test('a progress token that is none is refused, in both eras', async () => {
  const served = await service();
  const modern = await sendModern(served, 'tools/call', params, { meta: { progressToken: { a: canary } } });
  expect(modern.message.error?.code).toBe(-32_602);
  const given = legacyBody(1, 'tools/call', { ...params, _meta: { progressToken: [canary] } });
  const legacy = await send(served, given, await session(served));
  expect(legacy.message.error?.code).toBe(-32_602);
  expect(served.log()).not.toContain(canary);
});

test('a call that is nested too deep is answered as on stdio, in both eras, and starts nothing', async () => {
  const served = await service();
  const call = (meta: object) =>
    JSON.stringify(legacyBody(7, 'tools/call', { ...using(canary, 'echo', { a: 0 }), ...meta })).replace(
      '"a":0',
      `"a":${deep()}`,
    );
  const legacy = await send(served, call({}), await session(served));
  const { _meta } = JSON.parse(JSON.stringify(modernBody(7, 'tools/call'))).params;
  const modern = await send(served, call({ _meta }), { headers: right });
  for (const { status, message } of [legacy, modern]) {
    expect([status, message.id, message.result?.isError]).toEqual([200, 7, true]);
    expect(message.result?.content?.[0]?.text).toContain('nested deeper');
  }
  expectNothing(served);
});

test('a body that comes in chunks is refused once it is over 4 MiB, and the connection closed', async () => {
  const served = await service();
  const connection = await connectRaw(served.port);
  connection.write(requestText(served.port, '', { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }));
  const chunk = `100000\r\n${'x'.repeat(0x10_00_00)}\r\n`;
  for (let count = 0; count < 5; count++) connection.write(chunk);
  await until(() => connection.received().includes('\r\n\r\n'));
  expect(connection.received()).toMatch(/^HTTP\/1\.1 413 /);
  await connection.closed;
  expectNothing(served);
});

test('a body in chunks within the limit is served', async () => {
  const served = await service();
  const connection = await connectRaw(served.port);
  const initialize = JSON.stringify(
    legacyBody(1, 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    }),
  );
  connection.write(requestText(served.port, '', { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }));
  for (const letter of initialize) connection.write(`1\r\n${letter}\r\n`);
  connection.write('0\r\n\r\n');
  await until(() => connection.received().includes('"serverInfo"'));
});

test('a refused request with a long body is closed, and one with a short body keeps its connection', async () => {
  const served = await service();
  const ofLength = (length: number) =>
    statusOf(served.port, requestText(served.port, '', { Authorization: undefined, 'Content-Length': String(length) }));
  expect((await ofLength(1_000_000)).isClosed).toBe(true);
  expect((await ofLength(1_000)).isClosed).toBe(false);
  const chunked = { Authorization: undefined, 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' };
  expect((await statusOf(served.port, requestText(served.port, '', chunked))).isClosed).toBe(true);
});

test('a client that is still sending its body when it is refused can read the answer', async () => {
  const { port } = await service();
  const head = requestText(port, '', { 'Content-Length': '5000000' });
  // In a process of its own: here, the client would read whenever the service writes.
  const sender = `
    const socket = require('node:net').connect(${port}, '127.0.0.1');
    socket.on('data', (text) => process.stdout.write(text)).on('error', () => {});
    socket.write(${JSON.stringify(head)});
    socket.write('x'.repeat(5_000_000));
  `;
  for (let round = 0; round < 5; round++) {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', sender]);
    expect(stdout).toMatch(/^HTTP\/1\.1 413 /);
  }
});

test('a client that asks first whether its body is wanted is refused before it has sent any, or told to go on', async () => {
  const served = await service();
  const ask = { Expect: '100-continue', 'Content-Length': String(body.length) };
  const refused = await statusOf(served.port, requestText(served.port, '', { ...ask, Authorization: undefined }));
  expect(refused.status).toBe(401);
  const connection = await connectRaw(served.port);
  connection.write(requestText(served.port, '', ask));
  await until(() => connection.received().startsWith('HTTP/1.1 100 '));
  connection.write(body);
  await until(() => connection.received().includes('HTTP/1.1 400 '));
  expectNothing(served);
});

test('connections that are slow with their headers, or silent, are closed with 408', async () => {
  const served = await service({ bounds: { headersTimeoutMs: 200 } });
  const [slow, silent] = [await connectRaw(served.port), await connectRaw(served.port)];
  slow.write(`POST /mcp HTTP/1.1\r\nX-${canary}: `);
  await Promise.all([slow.closed, silent.closed]);
  expect(slow.received()).toMatch(/^HTTP\/1\.1 408 /);
  expectNothing(served);
});

test('a body that is slow, or shorter than its length, is refused with 408', async () => {
  const served = await service({ bounds: { bodyTimeoutMs: 200 } });
  const connection = await connectRaw(served.port);
  connection.write(requestText(served.port, body, { 'Content-Length': String(body.length + 1) }));
  await connection.closed;
  expect(connection.received()).toMatch(/^HTTP\/1\.1 408 /);
  expectNothing(served);
});

test('a refused request whose body never ends is closed as well', async () => {
  const served = await service({ bounds: { headersTimeoutMs: 200, bodyTimeoutMs: 200 } });
  const connection = await connectRaw(served.port);
  connection.write(requestText(served.port, body, { Authorization: undefined, 'Content-Length': '60000' }));
  await connection.closed;
  expect(connection.received()).toMatch(/^HTTP\/1\.1 401 /);
  expectNothing(served);
});

test('what follows a body that is longer than its length is no request, and the first one is answered', async () => {
  const served = await service();
  const connection = await connectRaw(served.port);
  connection.write(`${requestText(served.port, body)}${canary} ${canary}\r\n\r\n`);
  await connection.closed;
  expectNothing(served);
});

test('requests on one connection without waiting are answered in their order', async () => {
  const served = await service();
  const headers = await beginSession(served);
  const connection = await connectRaw(served.port);
  const text = (id: number) => requestText(served.port, JSON.stringify(legacyBody(id, 'ping')), headers);
  connection.write(Array.from({ length: 50 }, (_, id) => text(id)).join(''));
  await until(() => connection.received().split('"jsonrpc"').length === 51);
  const ids = Array.from(connection.received().matchAll(/"id":(\d+)/g), ([, id]) => Number(id));
  expect(ids).toEqual(Array.from({ length: 50 }, (_, id) => id));
});

test('a client that half-closes its connection after a request disturbs nobody, and is forgotten', async () => {
  const served = await service();
  const headers = await beginSession(served);
  const connection = await connectRaw(served.port, { allowHalfOpen: true });
  const call = legacyBody(1, 'tools/call', using('echo', 'hang'));
  connection.socket.end(requestText(served.port, JSON.stringify(call), headers));
  await connection.closed;
  expect((await send(served, legacyBody(2, 'ping'), { headers })).message.result).toEqual({});
});

test('while 1,000 connections are silent, another client is served about as fast as without them', async () => {
  const served = await service({ bounds: { headersTimeoutMs: 120_000 } });
  const headers = await beginSession(served);
  const slowest = async () => {
    const times: number[] = [];
    for (let id = 0; id < 200; id++) {
      const begun = performance.now();
      expect((await send(served, legacyBody(id, 'ping'), { headers })).status).toBe(200);
      times.push(performance.now() - begun);
    }
    return times.toSorted((a, b) => a - b)[189] ?? 0;
  };
  await slowest();
  const idle = await slowest();
  await Promise.all(Array.from({ length: 1_000 }, () => connectRaw(served.port)));
  // Three times, with room for a machine that does something else at the moment.
  expect(await slowest()).toBeLessThan(3 * idle + 5);
});

test('an answer of a request that is refused names no user, server or session', async () => {
  const served = await service();
  const headers = await beginSession(served);
  const other = { ...headers, 'Mcp-Session-Id': `${headers['Mcp-Session-Id']}x` };
  const answer = await send(served, legacyBody(1, 'ping'), { headers: other });
  expect(answer.message).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32_001, message: 'Session not found' } });
  await untilHolds(() => expectNothing(served));
});
