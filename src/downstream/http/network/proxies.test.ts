import { describe, expect, test } from 'vitest';
import { closedPort, serverCertificate, startHttpServer, startRawServer } from '../../../../test/support/loopback.js';
import { failureOf, networkFor, post, textOf } from '../../../../test/support/network.js';
import { type ProxyOptions, startProxy } from '../../../../test/support/proxy.js';

const url = 'http://example.test/mcp';

/** A server that only the proxy can find, by the name example.test. */
async function behindProxy(options: ProxyOptions = {}) {
  const server = await startHttpServer();
  const proxy = await startProxy({ ports: { 'example.test:80': server.port }, ...options });
  return { server, proxy, network: networkFor(url, { env: { HTTP_PROXY: proxy.url } }) };
}

describe('a proxy', () => {
  test('is used for http URLs through a tunnel, which is kept', async () => {
    const { server, proxy, network } = await behindProxy();
    expect(await textOf(post(network, url))).toBe('ok');
    expect(await textOf(post(network, `${url}?a=b`))).toBe('ok');
    expect(proxy.tunnels).toEqual(['example.test:80']);
    expect(proxy.forwarded).toEqual([]);
    expect(server.requests.map((request) => request.url)).toEqual(['/mcp', '/mcp?a=b']);
  });

  test.each([403, 405, 501, 'close'] as const)(
    'that has no tunnels for http URLs gets the whole URL, and is not asked again: %s',
    async (connectStatus) => {
      const { server, proxy, network } = await behindProxy({ connectStatus, credentials: 'me:p@ss' });
      expect(await textOf(post(network, `${url}?a=b`))).toBe('ok');
      expect(await textOf(post(network, url))).toBe('ok');
      expect(proxy.forwarded).toEqual([`${url}?a=b`, url]);
      expect(proxy.tunnels).toEqual([]);
      // The refused tunnel, then one connection for both requests.
      expect(proxy.connections()).toBe(2);
      expect(server.requests.map((request) => request.url)).toEqual(['/mcp?a=b', '/mcp']);
    },
  );

  test('gets the user and password of its URL, and the server does not', async () => {
    const { server, proxy, network } = await behindProxy({ credentials: 'me:p@ss/w%rd' });
    expect(await textOf(post(network, url, { headers: [['x-a', 'b']] }))).toBe('ok');
    const expected = `Basic ${Buffer.from('me:p@ss/w%rd').toString('base64')}`;
    expect(proxy.asked.map((headers) => headers['proxy-authorization'])).toEqual([expected]);
    expect(proxy.asked[0]).not.toHaveProperty('x-a');
    expect(server.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  test.each([200, 405])(
    'that rejects its user and password is named, with the variable (%i to CONNECT)',
    async (connectStatus) => {
      const server = await startHttpServer();
      const proxy = await startProxy({
        credentials: 'me:right',
        connectStatus,
        ports: { 'example.test:80': server.port },
      });
      const env = { HTTP_PROXY: proxy.url.replace('right', 'wrong') };
      const failure = await failureOf(post(networkFor(url, { env }), url));
      expect(failure).toMatchObject({
        message: `no connection to ${url}: proxy 127.0.0.1:${proxy.port} (HTTP_PROXY) requires authentication (407); check the user and password in HTTP_PROXY`,
        wasSent: false,
      });
      expect(server.requests).toEqual([]);
    },
  );

  test('that asks for a user and password only after it has refused tunnels is named as well', async () => {
    const proxy = await startRawServer((socket) => {
      socket.on('data', (data) => {
        const status = data.toString().startsWith('CONNECT') ? '405 No' : '407 Who';
        socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`);
      });
    });
    const network = networkFor(url, { env: { http_proxy: `127.0.0.1:${proxy.port}` } });
    expect((await failureOf(post(network, url))).message).toBe(
      `no connection to ${url}: proxy 127.0.0.1:${proxy.port} (http_proxy) requires authentication (407); check the user and password in http_proxy`,
    );
  });

  test.each([
    [403, 'refused the connection (403); check that it allows example.test:443'],
    ['close' as const, 'refused the connection (without an answer); check that it allows example.test:443'],
    [502, 'cannot reach the server (502); check the host and the port'],
  ])('that opens no tunnel for an https URL is named: %s', async (connectStatus, reason) => {
    const proxy = await startProxy({ connectStatus });
    const network = networkFor('https://example.test/mcp', { env: { HTTPS_PROXY: proxy.url } });
    const failure = await failureOf(post(network, 'https://example.test/mcp?key=secret'));
    expect(failure.message).toBe(
      `no connection to https://example.test/mcp: proxy 127.0.0.1:${proxy.port} (HTTPS_PROXY) ${reason}`,
    );
    expect(failure.wasSent).toBe(false);
    expect(proxy.forwarded).toEqual([]);
  });

  test('that is gone is named, with the variable and a way around it', async () => {
    const port = await closedPort();
    const network = networkFor(url, { env: { HTTP_PROXY: `http://me:secret@127.0.0.1:${port}` } });
    expect((await failureOf(post(network, url))).message).toBe(
      `no connection to ${url}: proxy 127.0.0.1:${port} (HTTP_PROXY): connection refused (ECONNREFUSED); check HTTP_PROXY, or add example.test to NO_PROXY`,
    );
  });

  test('that is not one is named', async () => {
    const proxy = await startRawServer((socket) => socket.end('220 mail.test ESMTP\r\n'));
    const network = networkFor(url, { env: { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` } });
    expect((await failureOf(post(network, url))).message).toBe(
      `no connection to ${url}: proxy 127.0.0.1:${proxy.port} (HTTP_PROXY): it does not speak HTTP (HPE_INVALID_CONSTANT); check HTTP_PROXY, or add example.test to NO_PROXY`,
    );
  });

  test('whose certificate is not trusted is named', async () => {
    const proxy = await startProxy({ isSecure: true });
    const network = networkFor(url, { env: { HTTP_PROXY: proxy.url } });
    const { message } = await failureOf(post(network, url));
    expect(message).toContain(
      `proxy 127.0.0.1:${proxy.port} (HTTP_PROXY): its certificate is not trusted: it is self-signed`,
    );
    expect(message).toContain('NODE_EXTRA_CA_CERTS');
  });

  test.each(['socks5://me:secret@127.0.0.1:1080', 'http://', 'http://me:secret@[', 'http://me:sec ret@a b'])(
    'with a URL that is not valid fails without its value: %s',
    async (value) => {
      expect((await failureOf(post(networkFor(url, { env: { HTTP_PROXY: value } }), url))).message).toBe(
        `no connection to ${url}: HTTP_PROXY is not the URL of an HTTP proxy; write it as http://host:port`,
      );
    },
  );

  test('is not used for what NO_PROXY names, loopback only then', async () => {
    const server = await startHttpServer();
    const proxy = await startProxy();
    const direct = networkFor(server.origin, { env: { HTTP_PROXY: proxy.url, NO_PROXY: 'localhost,127.0.0.0/8' } });
    expect(await textOf(post(direct, server.origin))).toBe('ok');
    expect(proxy.connections()).toBe(0);
    const through = networkFor(server.origin, { env: { HTTP_PROXY: proxy.url } });
    expect(await textOf(post(through, server.origin))).toBe('ok');
    expect(proxy.tunnels).toEqual([`127.0.0.1:${server.port}`]);
  });

  test.each([
    [{ http_proxy: 'good', HTTP_PROXY: 'bad' }],
    [{ http_proxy: ' ', HTTP_PROXY: 'good' }],
    [{ HTTP_PROXY: 'good', HTTPS_PROXY: 'bad', NO_PROXY: '' }],
    [{ HTTP_PROXY: 'good', no_proxy: 'other.test', NO_PROXY: '*' }],
  ])('is chosen by lower case first, then upper case; empty is not set: %j', async (written) => {
    const server = await startHttpServer();
    const proxy = await startProxy({ ports: { 'example.test:80': server.port } });
    const values: Readonly<Record<string, string>> = { good: proxy.url, bad: `http://127.0.0.1:${await closedPort()}` };
    const env = Object.fromEntries(Object.entries(written).map(([name, value]) => [name, values[value] ?? value]));
    expect(await textOf(post(networkFor(url, { env }), url))).toBe('ok');
  });

  test('is used for https URLs by HTTPS_PROXY, with an IPv6 address in brackets', async () => {
    const secure = await startHttpServer(undefined, { tls: serverCertificate });
    const proxy = await startProxy({ ports: { '[2606:4700::1]:443': secure.port } });
    const target = 'https://[2606:4700::1]/';
    const network = networkFor(target, { env: { HTTPS_PROXY: proxy.url } });
    expect((await failureOf(post(network, target))).code).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(proxy.tunnels).toEqual(['[2606:4700::1]:443']);
  });

  test('does not get another connection after the network was closed', async () => {
    const proxy = await startRawServer((socket) => socket.resume());
    const network = networkFor(url, { env: { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` } });
    const failure = failureOf(post(network, url));
    while (proxy.connections() === 0) await new Promise(setImmediate);
    network.close();
    expect((await failure).wasSent).toBe(false);
    expect(proxy.connections()).toBe(1);
  });
});
