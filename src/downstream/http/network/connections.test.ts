import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { closedPort, startHttpServer, startRawServer } from '../../../../test/support/loopback.js';
import { failureOf, get, networkFor, post, textOf } from '../../../../test/support/network.js';
import { startStopwatch } from '../../../../test/support/stopwatch.js';
import { until } from '../../../../test/support/until.js';
import { shownUrl } from './network.js';

/** The whole request has arrived: head and a body of two bytes. */
const isWhole = (received: string) => received.endsWith('\r\n\r\n{}');

/** Handles whole requests on raw connections; `count` of all requests so far. */
function onRequests(handle: (socket: Socket, count: number) => void) {
  let count = 0;
  return (socket: Socket) => {
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString();
      if (!isWhole(received)) return;
      received = '';
      count += 1;
      handle(socket, count);
    });
  };
}

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

describe('a connection', () => {
  test('is used again for the next request', async () => {
    const server = await startHttpServer();
    const network = networkFor(server.origin);
    for (let count = 0; count < 5; count += 1) expect(await textOf(post(network, server.origin))).toBe('ok');
    expect(server.requests).toHaveLength(5);
    expect(server.connections()).toBe(1);
  });

  test('is not shared by requests at the same time, nor are there more than requests', async () => {
    const server = await startHttpServer((response) => setTimeout(() => response.end('ok'), 50));
    const network = networkFor(server.origin);
    const all = () => Promise.all(Array.from({ length: 8 }, () => textOf(post(network, server.origin))));
    expect(await all()).toHaveLength(8);
    expect(await all()).toHaveLength(8);
    expect(server.requests).toHaveLength(16);
    expect(server.connections()).toBe(8);
  });

  test('is closed after 4 s without a request', async () => {
    let closedAfter: { ms: number; withoutLoadMs: number } | undefined;
    const server = await startRawServer((socket) => {
      onRequests(() => {
        socket.write(ok);
        const answered = performance.now();
        const stopwatch = startStopwatch();
        socket.once('close', () => {
          closedAfter = { ms: performance.now() - answered, withoutLoadMs: stopwatch() };
        });
      })(socket);
    });
    const url = `http://127.0.0.1:${server.port}`;
    const network = networkFor(url);
    await textOf(post(network, url));
    const { ms, withoutLoadMs } = await until(() => closedAfter);
    expect(ms).toBeGreaterThan(3_900);
    expect(withoutLoadMs).toBeLessThan(5_000);
  });

  test('is kept for a shorter time if the server says so', async () => {
    const server = await startRawServer(
      onRequests((socket) => void socket.write(ok.replace('\r\n\r\n', '\r\nKeep-Alive: max=9, timeout=1\r\n\r\n'))),
    );
    const url = `http://127.0.0.1:${server.port}`;
    const network = networkFor(url);
    await textOf(post(network, url));
    await textOf(post(network, url));
    expect(server.connections()).toBe(2);
  });

  test('that stays open during a response of more than 4 s is not idle', async () => {
    const server = await startHttpServer((response, { url }) => {
      if (url === '/') return void response.end();
      response.write('first');
      return void setTimeout(() => response.end(' last'), 4_500);
    });
    const network = networkFor(server.origin);
    await textOf(get(network, server.origin));
    expect(await textOf(get(network, `${server.origin}/slow`))).toBe('first last');
    expect(server.connections()).toBe(1);
  });

  test.each([
    ['ends', (socket: Socket) => socket.end()],
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
  ])('that the server %s while it is idle is not used again', async (_, close) => {
    const closed = vi.fn();
    const server = await startRawServer(
      onRequests((socket) => {
        socket.write(ok);
        setTimeout(() => {
          close(socket);
          closed();
        }, 20);
      }),
    );
    const url = `http://127.0.0.1:${server.port}`;
    const network = networkFor(url);
    expect(await textOf(post(network, url))).toBe('ok');
    await until(() => closed.mock.calls.length === 1);
    // The end is on its way, and may not have been read yet when the next request is made.
    blockFor(50);
    expect(await textOf(post(network, url))).toBe('ok');
    expect(server.connections()).toBe(2);
  });

  test('that was closed is not chosen while another one is idle', async () => {
    const answered: Socket[] = [];
    const server = await startRawServer(
      onRequests((socket, count) => {
        answered.push(socket);
        // Both at once, so that there are two connections.
        if (count === 2) for (const each of answered) each.write(ok);
        if (count > 2) socket.write(ok);
      }),
    );
    const url = `http://127.0.0.1:${server.port}`;
    const network = networkFor(url);
    await Promise.all([textOf(post(network, url)), textOf(post(network, url))]);
    for (const used of [1, 0]) {
      // Of two connections the one that was used last is chosen.
      answered[used]?.end();
      blockFor(20);
      expect(await textOf(post(network, url))).toBe('ok');
    }
    expect(server.connections()).toBe(3);
  });

  test('on which something comes without a request is not used again', async () => {
    let isWritten = false;
    const server = await startRawServer(
      onRequests((socket, count) => {
        socket.write(ok);
        const writeMore = () => socket.write(ok.replace('ok', 'no'), () => (isWritten = true));
        if (count === 1) setTimeout(writeMore, 20);
      }),
    );
    const url = `http://127.0.0.1:${server.port}`;
    const network = networkFor(url);
    expect(await textOf(post(network, url))).toBe('ok');
    await until(() => isWritten);
    expect(await textOf(post(network, url))).toBe('ok');
    expect(server.connections()).toBe(2);
  });

  test('is closed with the network, used or idle', async () => {
    const server = await startHttpServer((response, { url }) =>
      url === '/slow' ? response.write('…') : response.end(),
    );
    const network = networkFor(server.origin);
    await textOf(get(network, server.origin));
    const slow = await get(network, `${server.origin}/slow`);
    await textOf(get(network, server.origin));
    const waiting = failureOf(Promise.resolve(slow));
    network.close();
    expect((await waiting).message).toBe(
      `the response of ${server.origin}/slow broke off: the connection was closed or reset (ECONNRESET); check that the server runs`,
    );
    const refused = await failureOf(get(network, server.origin));
    expect(refused).toMatchObject({ message: `no connection to ${server.origin}/: it was closed`, wasSent: false });
  });
});

describe('a request is never sent twice', () => {
  test.each(['on a fresh connection', 'on a connection that was used before'])('%s that is reset', async (where) => {
    const isUsed = where.includes('before');
    let received = 0;
    const server = await startRawServer(
      onRequests((socket, count) => {
        received = count;
        if (isUsed && count === 1) socket.write(ok);
        else socket.resetAndDestroy();
      }),
    );
    const url = `http://127.0.0.1:${server.port}`;
    const network = networkFor(url);
    if (isUsed) await textOf(post(network, url));
    const failure = await failureOf(post(network, url));
    expect(failure).toMatchObject({
      wasSent: true,
      code: 'ECONNRESET',
      message: `no response from ${url}/: the connection was closed or reset (ECONNRESET); check that the server runs${isUsed ? '' : ', and whether the URL must begin with https://'}`,
    });
    await wait(50);
    expect([received, server.connections()]).toEqual([isUsed ? 2 : 1, 1]);
  });
});

describe('a signal', () => {
  const aborted = new Error('no longer wanted');

  test('ends a request that was not answered, and its connection', async () => {
    let closed = false;
    const server = await startRawServer((socket) => socket.resume().once('close', () => (closed = true)));
    const url = `http://127.0.0.1:${server.port}`;
    const control = new AbortController();
    const response = post(networkFor(url), url, { signal: control.signal });
    await until(() => server.connections() === 1);
    control.abort(aborted);
    await expect(response).rejects.toBe(aborted);
    await until(() => closed);
  });

  test('ends a response, and its connection', async () => {
    let closed = false;
    const server = await startHttpServer((response) => {
      response.write('first');
      response.once('close', () => (closed = true));
    });
    const control = new AbortController();
    const { body } = await get(networkFor(server.origin), server.origin, { signal: control.signal });
    await once(body, 'readable');
    control.abort(aborted);
    await expect(body.toArray()).rejects.toBe(aborted);
    await until(() => closed);
  });

  test('ends a connection attempt', async () => {
    const control = new AbortController();
    // A look-up that never ends.
    const network = networkFor('http://slow.test', { lookup: () => {} });
    const response = get(network, 'http://slow.test', { signal: control.signal });
    control.abort(aborted);
    await expect(response).rejects.toBe(aborted);
  });

  test('that was aborted before sends nothing', async () => {
    const server = await startHttpServer();
    await expect(get(networkFor(server.origin), server.origin, { signal: AbortSignal.abort(aborted) })).rejects.toBe(
      aborted,
    );
    expect(server.connections()).toBe(0);
  });

  test('has no effect and no listener left after the response', async () => {
    const server = await startHttpServer();
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');
    const remove = vi.spyOn(signal, 'removeEventListener');
    await textOf(get(networkFor(server.origin), server.origin, { signal }));
    await until(() => add.mock.calls.length > 0 && remove.mock.calls.length === add.mock.calls.length);
  });
});

test('a connection that takes more than 15 s fails', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const network = networkFor('http://slow.test', { lookup: () => {} });
    const failure = failureOf(get(network, 'http://slow.test/mcp?key=secret'));
    await vi.advanceTimersByTimeAsync(15_000);
    expect((await failure).message).toBe(
      'no connection to http://slow.test/mcp: timed out (ETIMEDOUT); check the network, and whether a VPN or a proxy is needed',
    );
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ['https://me:secret@example.com:8443/mcp/x?token=secret#secret', 'https://example.com:8443/mcp/x'],
  ['http://[::1]/', 'http://[::1]/'],
  [`https://example.com/${'a'.repeat(500)}`, `https://example.com/${'a'.repeat(179)}…`],
])('%s is shown without its secrets', (url, shown) => {
  expect(shownUrl(new URL(url))).toBe(shown);
});

describe('the reason of a failure', () => {
  test.each(['127.0.0.1', 'localhost'])('says that the connection was refused: %s', async (host) => {
    const url = `http://${host}:${await closedPort()}`;
    expect(await failureOf(post(networkFor(url), `${url}/mcp?token=secret#part`))).toMatchObject({
      message: `no connection to ${url}/mcp: connection refused (ECONNREFUSED); check that the server runs and the port is right`,
      wasSent: false,
    });
  });

  test.each([
    ['ENOTFOUND', 'unknown host (ENOTFOUND); check the name of the host'],
    ['EAI_AGAIN', 'the name of the host could not be looked up (EAI_AGAIN); check the network and its DNS server'],
  ])('says what is wrong with the name: %s', async (code, reason) => {
    const network = networkFor('http://user:secret@nowhere.test/mcp', {
      lookup: (_, __, callback) => callback(Object.assign(new Error('look-up'), { code }), []),
    });
    const failure = await failureOf(post(network, 'http://user:secret@nowhere.test/mcp'));
    expect(failure).toMatchObject({ message: `no connection to http://nowhere.test/mcp: ${reason}`, wasSent: false });
  });

  test('says that the server does not speak HTTP', async () => {
    const server = await startRawServer((socket) => socket.end('SSH-2.0-OpenSSH_9.7\r\n'));
    const url = `http://127.0.0.1:${server.port}`;
    expect((await failureOf(post(networkFor(url), url))).message).toBe(
      `no response from ${url}/: it does not speak HTTP (HPE_INVALID_CONSTANT); check the port, and whether the URL must begin with https://`,
    );
  });

  test('says that an https server does not speak TLS', async () => {
    const { port } = await startHttpServer();
    const url = `https://127.0.0.1:${port}`;
    const failure = await failureOf(post(networkFor(url), url));
    expect(failure.wasSent).toBe(false);
    expect(failure.message).toMatch(
      /^no connection to https:\/\/127\.0\.0\.1:\d+\/: it does not speak TLS \([A-Z_]+\); check the port, and whether the URL must begin with http:\/\/$/,
    );
  });

  test('says that a header is not allowed, without its value', async () => {
    const server = await startHttpServer();
    const failure = await failureOf(
      post(networkFor(server.origin), server.origin, { headers: [['x-key', 'se\ncret']] }),
    );
    expect(failure).toMatchObject({
      message: `no request to ${server.origin}/: a header has a character that is not allowed (ERR_INVALID_CHAR); check the headers and the URL`,
      wasSent: false,
    });
    expect(server.requests).toEqual([]);
  });
});

function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
