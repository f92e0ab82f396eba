import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import * as zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startHttpServer, startRawServer } from '../../../../test/support/loopback.js';
import { failureOf, get, networkFor, post, textOf } from '../../../../test/support/network.js';
import { until } from '../../../../test/support/until.js';

const encodings = {
  gzip: zlib.gzipSync,
  'x-gzip': zlib.gzipSync,
  GZIP: zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: zlib.brotliCompressSync,
};
const content = JSON.stringify({ text: 'äöü'.repeat(50_000) });

async function answering(encoding: string, body: Buffer) {
  const server = await startHttpServer((response) => {
    response.setHeader('content-encoding', encoding);
    response.end(body);
  });
  return { ...server, network: networkFor(server.origin) };
}

describe('a compressed body', () => {
  test.each(Object.entries(encodings))('is decoded: %s', async (encoding, compress) => {
    const { network, origin, requests } = await answering(encoding, compress(content));
    expect(await textOf(get(network, origin, { headers: [['Accept-Encoding', 'zstd']] }))).toBe(content);
    expect(requests[0]?.headers['accept-encoding']).toBe('gzip, deflate, br');
  });

  test('is decoded: deflate without its header', async () => {
    const { network, origin } = await answering('deflate', zlib.deflateRawSync(content));
    expect(await textOf(get(network, origin))).toBe(content);
  });

  test('may be empty', async () => {
    const { network, origin } = await answering('gzip', Buffer.alloc(0));
    expect(await textOf(get(network, origin))).toBe('');
  });

  test('in an unknown encoding fails', async () => {
    const { network, origin } = await answering('zstd', Buffer.from('…'));
    expect(await failureOf(get(network, origin))).toMatchObject({
      message: `${origin}/ answered (200) in an unknown content encoding; check that the URL is that of an MCP server`,
      wasSent: true,
    });
  });

  test.each(Object.entries(encodings))('that is cut off fails: %s', async (encoding, compress) => {
    const { network, origin } = await answering(encoding, compress(content).subarray(0, -10));
    expect((await failureOf(get(network, origin))).message).toBe(
      `the response of ${origin}/ broke off: its compressed data ended too early (Z_BUF_ERROR)`,
    );
  });

  test.each(Object.entries(encodings))('that is broken fails: %s', async (encoding, compress) => {
    const body = compress(randomBytes(100_000));
    // All bits set is neither a block of deflate nor one of brotli.
    body.fill(255, 200, 2_000);
    body.fill(255, 0, encoding === 'br' ? 20 : 0);
    body.fill(255, body.length - 8);
    const { network, origin } = await answering(encoding, body);
    expect((await failureOf(get(network, origin))).message).toMatch(
      /broke off: its compressed data is broken \(\w+\)$/,
    );
  });

  test.each(['gzip', 'br'] as const)('arrives piece by piece: %s', async (encoding) => {
    const stream = encoding === 'gzip' ? zlib.createGzip() : zlib.createBrotliCompress();
    const server = await startHttpServer((response) => {
      response.setHeader('content-encoding', encoding);
      stream.pipe(response);
      stream.write('data: 1\n\n');
      stream.flush();
    });
    const { body } = await get(networkFor(server.origin), server.origin);
    const [first] = await once(body, 'data');
    expect(String(first)).toBe('data: 1\n\n');
    const rest = buffer(body);
    stream.end('data: 2\n\n');
    expect((await rest).toString()).toBe('data: 2\n\n');
  });

  test('whose connection is lost fails as such', async () => {
    const server = await startHttpServer((response) => {
      response.setHeader('content-encoding', 'gzip');
      response.write(zlib.gzipSync(content).subarray(0, 50), () => response.destroy());
    });
    expect(await failureOf(get(networkFor(server.origin), server.origin))).toMatchObject({ code: 'ECONNRESET' });
  });

  test('ends its connection when it is destroyed', async () => {
    let closed = false;
    const server = await startHttpServer((response) => {
      response.setHeader('content-encoding', 'gzip');
      response.write(zlib.gzipSync(content).subarray(0, 50));
      response.once('close', () => (closed = true));
    });
    const { body } = await get(networkFor(server.origin), server.origin);
    body.destroy();
    await until(() => closed);
  });
});

describe('a body that is not read', () => {
  const chunk = randomBytes(64 * 1024);

  /** Writes for as long as the connection takes it; tells how much that was. */
  function flood(response: ServerResponse, pieces: Buffer): () => number {
    let written = 0;
    const write = () => {
      while (!response.destroyed) {
        written += pieces.length;
        if (!response.write(pieces)) break;
      }
    };
    response.on('drain', write);
    write();
    return () => written;
  }

  async function stopsGrowing(size: () => number): Promise<number> {
    for (let before = -1; ; ) {
      const now = size();
      if (now === before) return now;
      before = now;
      await wait(300);
    }
  }

  test('stops the server from writing, and goes on when it is read', async () => {
    let written = () => 0;
    const server = await startHttpServer((response) => (written = flood(response, chunk)));
    const { body } = await get(networkFor(server.origin), server.origin);
    const held = await stopsGrowing(() => written());
    expect(held).toBeLessThan(32_000_000);
    body.resume();
    await until(() => written() > held + 32_000_000);
    body.destroy();
  });

  test('stops the server from writing through a decoder', async () => {
    let written = () => 0;
    const server = await startHttpServer((response) => {
      response.setHeader('content-encoding', 'gzip');
      // Members of gzip one after the other are one body.
      written = flood(response, zlib.gzipSync(chunk));
    });
    const { body } = await get(networkFor(server.origin), server.origin);
    const held = await stopsGrowing(() => written());
    expect(held).toBeLessThan(32_000_000);
    body.resume();
    await until(() => written() > held + 32_000_000);
    body.destroy();
  });

  test('does not grow in memory if it is a small one that unpacks to 64 MB', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(64_000_000));
    expect(bomb.length).toBeLessThan(70_000);
    const { network, origin } = await answering('gzip', bomb);
    const { body } = await get(network, origin);
    await once(body, 'readable');
    await wait(200);
    expect(body.readableLength).toBeLessThan(1_000_000);
    expect(body.readableLength).toBeGreaterThan(0);
    body.destroy();
  });
});

describe('a body that is not complete fails', () => {
  const start = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
  test.each([
    ['with a known length', `${start}content-length: 100\r\n\r\nhalf`],
    ['in chunks', `${start}transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n`],
  ])('%s, when the server ends or resets the connection', async (_, sent) => {
    let ending: 'end' | 'resetAndDestroy' = 'end';
    const server = await startRawServer((socket) => {
      socket.once('data', () => socket.write(sent, () => setTimeout(() => socket[ending](), 20)));
    });
    const url = `http://127.0.0.1:${server.port}`;
    for (ending of ['end', 'resetAndDestroy'] as const) {
      expect(await failureOf(post(networkFor(url), url))).toMatchObject({
        message: `the response of ${url}/ broke off: the connection was closed or reset (ECONNRESET); check that the server runs`,
        wasSent: true,
      });
    }
  });

  test('because a chunk of it is no chunk', async () => {
    const server = await startRawServer((socket) => {
      socket.once('data', () => socket.write(`${start}transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\nzzz\r\n`));
    });
    const url = `http://127.0.0.1:${server.port}`;
    expect((await failureOf(post(networkFor(url), url))).code).toBe('HPE_INVALID_CHUNK_SIZE');
  });

  test('also before anything reads it', async () => {
    const server = await startHttpServer((response) => {
      response.setHeader('content-length', 100);
      response.write('half', () => setTimeout(() => response.destroy(), 20));
    });
    const { body } = await get(networkFor(server.origin), server.origin);
    await new Promise((resolve) => body.once('close', resolve));
    await expect(body.toArray()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});

test('a body without a length ends with its connection', async () => {
  const server = await startRawServer((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\nall of it'));
  });
  const url = `http://127.0.0.1:${server.port}`;
  expect(await textOf(post(networkFor(url), url))).toBe('all of it');
});

test('a request has the method, body and headers of the caller, but for those of the connection', async () => {
  const server = await startHttpServer((response) => response.writeHead(202, 'Fine', { 'x-a': 'b' }).end());
  const headers = [
    ['X-Twice', '1'],
    ['x-twice', '2'],
    ['Content-Length', '999'],
    ['Transfer-Encoding', 'chunked'],
    ['Connection', 'upgrade'],
    ['Authorization', 'Bearer x'],
  ] as const;
  const response = await post(networkFor(server.origin), `${server.origin}/mcp?a=b`, { headers, body: '{"ä":1}' });
  expect(response).toMatchObject({ status: 202, statusText: 'Fine', droppedHeaders: false });
  expect(response.headers['x-a']).toBe('b');
  expect(response.url.href).toBe(`${server.origin}/mcp?a=b`);
  expect(server.requests).toMatchObject([{ method: 'POST', url: '/mcp?a=b', body: '{"ä":1}' }]);
  expect(server.requests[0]?.headers).toEqual({
    host: server.origin.replace('http://', ''),
    'x-twice': '1, 2',
    authorization: 'Bearer x',
    'accept-encoding': 'gzip, deflate, br',
    connection: 'keep-alive',
    'content-length': '8',
  });
});

test('the user and password of a URL become a header', async () => {
  const server = await startHttpServer();
  const url = server.origin.replace('//', '//me:p%40ss@');
  const response = await get(networkFor(url), url);
  expect(response.url.href).toBe(`${server.origin}/`);
  expect(server.requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
});
