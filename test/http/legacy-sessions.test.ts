import { afterEach, expect, test, vi } from 'vitest';
import { devToolbox } from '../support/configs.js';
import {
  beginSession,
  type HeaderLines,
  legacyBody,
  principalNamed,
  type ServiceInProcess,
  send,
  serveInProcess,
  token,
  using,
} from '../support/http-in-process.js';
import { processesWith } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { untilHolds } from '../support/until.js';

afterEach(() => void vi.useRealTimers());

const fixtures = devToolbox({ fs: fixture() });
const ping = legacyBody(1, 'ping');

async function isServed(service: ServiceInProcess, headers: HeaderLines): Promise<boolean> {
  const { status, message } = await send(service, ping, { headers });
  if (status === 200) return true;
  expect([status, message.error?.code]).toEqual([404, -32_001]);
  return false;
}

const stream = (service: ServiceInProcess, headers: HeaderLines) =>
  fetch(service.url, {
    headers: { Authorization: `Bearer ${token}`, Accept: 'text/event-stream', ...headers },
  });

test('a session goes on at a service with the same secret, and is unknown to one with another', async () => {
  const first = await serveInProcess();
  const headers = await beginSession(first);
  expect(await isServed(first, headers)).toBe(true);
  expect(await isServed(await serveInProcess(), headers)).toBe(true);
  expect(await isServed(await serveInProcess({ secret: Buffer.alloc(32, 2) }), headers)).toBe(false);
});

test('a session id of one user is unknown for another, whatever it is sent with', async () => {
  const principals = { one: principalNamed('one'), two: principalNamed('two') };
  const service = await serveInProcess({ principals });
  const headers = await beginSession(service, { headers: { Authorization: 'Bearer one' } });
  expect(await isServed(service, headers)).toBe(true);
  const stolen = { ...headers, Authorization: 'Bearer two' };
  expect(await isServed(service, stolen)).toBe(false);
  expect((await stream(service, stolen)).status).toBe(404);
  expect((await fetch(service.url, { method: 'DELETE', headers: stolen })).status).toBe(404);
  const notified = await send(service, { jsonrpc: '2.0', method: 'notifications/initialized' }, { headers: stolen });
  expect(notified.status).toBe(404);
  expect(await isServed(service, headers)).toBe(true);
});

test('a session that is open ends with its id after 30 days, and so do its stream and its calls', async () => {
  const service = await serveInProcess();
  const headers = await beginSession(service);
  const open = await stream(service, headers);
  expect(await isServed(service, headers)).toBe(true);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31 * 86_400_000 });
  expect(await isServed(service, headers)).toBe(false);
  expect(await open.text()).toBe('');
});

test('of 51 sessions of one user the idlest is closed with its stream, and is open again with its next request', async () => {
  const service = await serveInProcess({ config: fixtures });
  const first = await beginSession(service);
  const kept = await beginSession(service);
  const calls = (headers: HeaderLines) =>
    send(service, legacyBody(1, 'tools/call', using('fs', 'echo', { a: 1 })), { headers });
  expect((await calls(first)).status).toBe(200);
  const [idle, connected] = [await stream(service, first), await stream(service, kept)];
  let isOpen = true;
  void connected.text().then(() => (isOpen = false));
  // Clients without a stream go first, those with one follow.
  const others = await Promise.all(Array.from({ length: 48 }, () => beginSession(service)));
  for (const headers of others) expect(await isServed(service, headers)).toBe(true);
  for (const headers of others) expect((await stream(service, headers)).status).toBe(200);
  const last = await beginSession(service);
  expect(await isServed(service, last)).toBe(true);
  expect(await idle.text()).toBe('');
  expect(isOpen).toBe(true);
  expect((await calls(first)).message.result?.content?.[0]?.text).toBe('{"a":1}');
});

test('clients with an open stream are the last whose sessions are closed', async () => {
  const service = await serveInProcess({ bounds: { sessionsPerUser: 3 } });
  const [streaming, ...others] = await Promise.all(Array.from({ length: 6 }, () => beginSession(service)));
  const open = await stream(service, streaming ?? {});
  let isOpen = true;
  void open.text().then(() => (isOpen = false));
  for (const headers of others) expect(await isServed(service, headers)).toBe(true);
  expect(isOpen).toBe(true);
});

test('one user can use up its own sessions only, and all users together those of the service', async () => {
  const names = ['one', 'two', 'three'];
  const principals = Object.fromEntries(names.map((name) => [name, principalNamed(name)]));
  const service = await serveInProcess({ principals, config: fixtures, bounds: { sessionsPerUser: 2, sessions: 4 } });
  const begin = (name: string) => beginSession(service, { headers: { Authorization: `Bearer ${name}` } });
  const all = await Promise.all([...names, ...names, ...names].map(begin));
  for (let round = 0; round < 3; round++)
    for (const headers of all) expect(await isServed(service, headers)).toBe(true);
});

test('if every session of a user is busy, one more is refused with 503 for now', async () => {
  const service = await serveInProcess({ config: fixtures, bounds: { sessionsPerUser: 1 } });
  const [busy, other] = [await beginSession(service), await beginSession(service)];
  const running = send(service, legacyBody(1, 'tools/call', using('fs', 'hang')), { headers: busy });
  await untilHolds(async () => {
    const { status, headers, message } = await send(service, ping, { headers: other });
    expect([status, headers.get('retry-after'), message.error?.code]).toEqual([503, '2', -32_000]);
  });
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  await send(service, cancelled, { headers: busy });
  await running;
  expect(await isServed(service, other)).toBe(true);
});

test('a session that is idle for 30 min is closed with its servers, and open again with the next request', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const entry = fixture();
  const service = await serveInProcess({ config: devToolbox({ fs: { ...entry, perSession: true } }) });
  const headers = await beginSession(service);
  const call = async () => {
    const answer = await send(service, legacyBody(1, 'tools/call', using('fs', 'echo', { a: 1 })), { headers });
    expect(answer.message.result?.content?.[0]?.text).toBe('{"a":1}');
  };
  await call();
  vi.advanceTimersByTime(29 * 60_000);
  expect(processesWith(service.marker)).toHaveLength(1);
  await call();
  vi.advanceTimersByTime(29 * 60_000);
  expect(processesWith(service.marker)).toHaveLength(1);
  vi.advanceTimersByTime(2 * 60_000);
  await untilHolds(() => expect(processesWith(service.marker)).toEqual([]));
  await call();
});

test('a session whose stream is open is not idle', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const service = await serveInProcess();
  const headers = await beginSession(service);
  expect((await stream(service, headers)).status).toBe(200);
  vi.advanceTimersByTime(61 * 60_000);
  // A stream that was closed could be opened again.
  expect((await stream(service, headers)).status).toBe(409);
});

test('capabilities of 4 MB in a handshake make no longer id', async () => {
  const service = await serveInProcess();
  const capabilities = { elicitation: { form: {} }, experimental: { x: 'y'.repeat(4_000_000) } };
  const headers = await beginSession(service, { capabilities, client: 'c'.repeat(100_000) });
  expect(headers['Mcp-Session-Id'].length).toBeLessThan(600);
  expect(await isServed(service, headers)).toBe(true);
});
