import type { LookupFunction } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type Answer, startHttpServer } from '../../../../test/support/loopback.js';
import { failureOf, get, networkFor, post, textOf } from '../../../../test/support/network.js';

const to =
  (location: string, status = 307): Answer =>
  (response) =>
    response.writeHead(status, { location }).end('moved');

/** `/mcp` leads to this place; every other path is answered. */
async function redirecting(location: string, status?: number) {
  const server = await startHttpServer((response, request) =>
    request.url === '/mcp' ? to(location, status)(response, request) : response.end('ok'),
  );
  return {
    ...server,
    url: `${server.origin}/mcp`,
    network: networkFor(`${server.origin}/mcp`, { ownHeaders: ['X-Key'] }),
  };
}

const headers = [
  ['x-key', 'secret'],
  ['Authorization', 'Bearer secret'],
  ['Cookie', 'a=secret'],
  ['Proxy-Authorization', 'secret'],
  ['accept', 'text/event-stream'],
] as const;
const secretsIn = (received: object | undefined) => JSON.stringify(received).match(/secret/g)?.length ?? 0;

describe('a redirect', () => {
  test.each([301, 302, 307, 308])('with %i keeps method, body and headers on the same origin', async (status) => {
    const { network, url, origin, requests, connections } = await redirecting('/mcp/', status);
    const response = await post(network, url, { headers, body: '{"id":1}' });
    expect(response).toMatchObject({ status: 200, droppedHeaders: false });
    expect(response.url.href).toBe(`${origin}/mcp/`);
    expect(requests).toMatchObject([
      { method: 'POST', url: '/mcp', body: '{"id":1}' },
      { method: 'POST', url: '/mcp/', body: '{"id":1}' },
    ]);
    expect(requests.map((request) => secretsIn(request.headers))).toEqual([4, 4]);
    // Its body was read, so the connection is kept.
    expect(connections()).toBe(1);
  });

  test('with 303 is followed by a GET', async () => {
    const { network, url, requests } = await redirecting('/page', 303);
    expect(await textOf(get(network, url))).toBe('ok');
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });

  test.each(['POST', 'DELETE'] as const)('with 303 fails for a %s, which was processed', async (method) => {
    const { network, url, origin, requests } = await redirecting('/page?token=secret', 303);
    expect(await failureOf(post(network, url, { method }))).toMatchObject({
      message: `${url} answered a ${method} with a redirect to another page (303: ${origin}/page); check that the URL is that of an MCP server`,
      wasSent: true,
    });
    expect(requests).toHaveLength(1);
  });

  test('to another origin drops the headers of the configuration and all credentials', async () => {
    const other = await startHttpServer();
    const { network, url, requests } = await redirecting(`${other.origin}/there`);
    const response = await post(network, url, { headers });
    expect(response).toMatchObject({ status: 200, droppedHeaders: true });
    expect(response.url.href).toBe(`${other.origin}/there`);
    expect(requests.map((request) => secretsIn(request.headers))).toEqual([4]);
    expect(other.requests.map((request) => secretsIn(request.headers))).toEqual([0]);
    expect(other.requests[0]?.headers).toMatchObject({
      accept: 'text/event-stream',
      host: other.origin.replace('http://', ''),
    });
  });

  test('back to the first origin does not bring the headers back', async () => {
    let back = '';
    const other = await startHttpServer((response, request) => to(back)(response, request));
    const { network, url, origin, requests } = await redirecting(other.origin);
    back = `${origin}/back`;
    expect(await post(network, url, { headers })).toMatchObject({ status: 200, droppedHeaders: true });
    expect(requests.map((request) => secretsIn(request.headers))).toEqual([4, 0]);
  });

  test('drops the user and password of the configured URL', async () => {
    const other = await startHttpServer();
    const server = await startHttpServer(to(other.origin));
    const url = server.origin.replace('//', '//me:secret@');
    await textOf(post(networkFor(url), url));
    expect(server.requests[0]?.headers.authorization).toBeDefined();
    expect(other.requests[0]?.headers.authorization).toBeUndefined();
  });

  test('with a user or password in it is refused', async () => {
    const { network, url, origin, requests } = await redirecting('http://me:secret@127.0.0.1:1/');
    expect(await failureOf(post(network, url))).toMatchObject({
      message: `${origin}/mcp redirects (307) to http://127.0.0.1:1/ with a user or password in the URL, which is refused`,
      wasSent: false,
    });
    expect(requests).toHaveLength(1);
  });

  test.each([
    ['file:///etc/passwd', 'something that is not http'],
    ['http://[', 'something that is not a URL'],
  ])('to %s is refused', async (location, what) => {
    const { network, url } = await redirecting(location);
    expect((await failureOf(post(network, url))).message).toBe(`${url} redirects (307) to ${what}`);
  });

  test('without a place is an ordinary response', async () => {
    const server = await startHttpServer((response) => response.writeHead(302).end('where?'));
    const response = await get(networkFor(server.origin), server.origin);
    expect(response.status).toBe(302);
  });

  test('may lead to another origin with each request', async () => {
    let count = 0;
    const other = await startHttpServer();
    const server = await startHttpServer((response, request) => {
      count += 1;
      to(`http://${count}.localhost:${other.port}/`)(response, request);
    });
    const lookup: LookupFunction = (_, options, callback) =>
      options.all === true ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4);
    const network = networkFor(server.origin, { lookup });
    for (let made = 0; made < 50; made += 1) expect(await textOf(post(network, server.origin))).toBe('ok');
    expect(other.requests).toHaveLength(50);
  });

  test('in a loop fails with the last URL', async () => {
    const server = await startHttpServer((response, request) =>
      to(request.url === '/a' ? '/b' : '/a')(response, request),
    );
    const { origin } = server;
    expect(await failureOf(post(networkFor(origin), `${origin}/a`))).toMatchObject({
      message: `${origin}/b redirects in a loop, last (307) to ${origin}/a; check the URL`,
      wasSent: false,
    });
    expect(server.requests).toHaveLength(2);
  });

  test('is followed five times', async () => {
    const server = await startHttpServer((response, request) => {
      const step = Number(request.url.slice(1));
      return step === 5 ? response.end('ok') : to(`/${step + 1}`)(response, request);
    });
    expect(await textOf(post(networkFor(server.origin), `${server.origin}/0`))).toBe('ok');
  });

  test('is not followed a sixth time', async () => {
    const server = await startHttpServer((response, request) =>
      to(`/${Number(request.url.slice(1)) + 1}`)(response, request),
    );
    const { origin } = server;
    expect((await failureOf(post(networkFor(origin), `${origin}/0`))).message).toBe(
      `${origin}/5 redirects more than 5 times, last (307) to ${origin}/6; check the URL`,
    );
    expect(server.requests).toHaveLength(6);
  });

  test.each([
    ['too large', 1_000_000],
    ['never complete', 3],
  ])('whose body is %s costs its connection and no more', async (_, size) => {
    const server = await startHttpServer((response, { url }) => {
      if (url !== '/mcp') return void response.end('ok');
      response.writeHead(307, { location: '/mcp/', 'content-length': 1_000_000 });
      return void response.write(Buffer.alloc(size));
    });
    expect(await textOf(post(networkFor(server.origin), `${server.origin}/mcp`))).toBe('ok');
    expect(server.connections()).toBe(2);
  });
});
