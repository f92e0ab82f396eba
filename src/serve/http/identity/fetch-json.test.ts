import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { fakeInternet } from '../../../../test/support/fake-internet.js';
import { serverCertificate, startHttpServer } from '../../../../test/support/loopback.js';
import { startProxy } from '../../../../test/support/proxy.js';
import { until } from '../../../../test/support/until.js';
import { createDocumentFetcher } from './fetch-json.js';

const limits = { maxBytes: 1_000, timeoutMs: 60_000 };
const { signal } = new AbortController();

function fetcherFor(issuer: string, options: Partial<Parameters<typeof createDocumentFetcher>[1]> = {}) {
  const fetcher = createDocumentFetcher(issuer, { env: {}, ...options });
  onTestFinished(() => fetcher.close());
  return fetcher.fetch;
}

test('a document comes with its status, and is asked for without anything of the workbench', async () => {
  const { origin, requests } = await startHttpServer((response) => response.writeHead(404).end('{}'));
  const answer = await fetcherFor(origin)(`${origin}/keys`, limits, signal);
  expect([answer.status, answer.body.toString()]).toEqual([404, '{}']);
  expect(requests[0]).toMatchObject({ method: 'GET', url: '/keys', headers: { accept: 'application/json' }, body: '' });
  expect(Object.keys(requests[0]?.headers ?? {})).not.toContain('authorization');
});

test('a document over the limit is refused while it arrives, compressed or not', async () => {
  let ended = 0;
  const { origin } = await startHttpServer((response, { url }) => {
    response.once('close', () => (ended += 1));
    if (url === '/zipped') response.setHeader('content-encoding', 'gzip').end(gzipSync('x'.repeat(5_000_000)));
    else response.write('x'.repeat(2_000));
  });
  const fetch = fetcherFor(origin);
  for (const path of ['/endless', '/zipped']) {
    await expect(fetch(`${origin}${path}`, limits, signal)).rejects.toThrow(
      `${origin}${path} has more than 1000 bytes`,
    );
  }
  await until(() => ended === 2);
});

test('a document of exactly the limit is taken', async () => {
  const { origin } = await startHttpServer((response) => response.end('x'.repeat(1_000)));
  expect((await fetcherFor(origin)(origin, limits, signal)).body).toHaveLength(1_000);
});

test.each(['/silent', '/slow'])('a document that takes longer than its limit is given up: %s', async (path) => {
  const { origin } = await startHttpServer((response, { url }) => {
    if (url === '/slow') response.write('{');
  });
  const fetching = fetcherFor(origin)(`${origin}${path}`, { ...limits, timeoutMs: 200 }, signal);
  await expect(fetching).rejects.toThrow(`${origin}${path} has not answered within 200 ms`);
});

test('a fetch ends with its signal', async () => {
  const { origin, requests } = await startHttpServer(() => {});
  const ending = new AbortController();
  const fetching = fetcherFor(origin)(origin, limits, ending.signal);
  await until(() => requests.length === 1);
  ending.abort(new Error('the service ends'));
  await expect(fetching).rejects.toThrow('the service ends');
});

test('a redirect on this computer to the metadata service of a cloud is refused', async () => {
  const location = 'http://169.254.169.254/latest/meta-data';
  const { origin } = await startHttpServer((response) => response.writeHead(302, { location }).end());
  await expect(fetcherFor(origin)(`${origin}/keys`, limits, signal)).rejects.toThrow(
    'its address is link-local or a metadata service',
  );
});

test.each([
  'https://10.0.0.5/keys',
  'https://127.0.0.1/keys',
  'https://169.254.169.254/keys',
  'https://inside.test/keys',
])('a public issuer cannot send the service to an address inside: %s', async (url) => {
  const { lookup, connect, attempts } = fakeInternet({ 'inside.test': [['192.168.1.7']] }, {});
  const fetch = fetcherFor('https://login.example.com', { lookup, connect });
  await expect(fetch(url, limits, signal)).rejects.toThrow('is not public');
  expect(attempts).toEqual([]);
});

test('the proxy of the environment is used', async () => {
  const { port } = await startHttpServer((response) => response.end('through'));
  const proxy = await startProxy({ ports: { 'login.test:80': port } });
  const fetch = fetcherFor('http://login.test', { env: { HTTP_PROXY: proxy.url } });
  expect((await fetch('http://login.test/keys', limits, signal)).body.toString()).toBe('through');
  expect(proxy.tunnels).toEqual(['login.test:80']);
});

test('a document that was asked for with https is not taken from a redirect without it', async () => {
  const plain = await startHttpServer((response) => response.end('{"keys":[]}'));
  const secure = await startHttpServer(
    (response, { url }) => {
      if (url === '/moved') response.writeHead(302, { location: `${plain.origin}/keys` });
      response.end('{}');
    },
    { tls: serverCertificate },
  );
  const certificates = fileURLToPath(new URL('../../../../test/fixtures/tls/server-cert.pem', import.meta.url));
  const fetch = fetcherFor(secure.origin, { certificates });
  expect((await fetch(`${secure.origin}/keys`, limits, signal)).status).toBe(200);
  await expect(fetch(`${secure.origin}/moved`, limits, signal)).rejects.toThrow(
    `${secure.origin}/moved redirects to ${plain.origin}/keys, which is not https`,
  );
});
