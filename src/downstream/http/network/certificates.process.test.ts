import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/launch.js';
import { expiredCertificate, serverCertificate, startHttpServer } from '../../../../test/support/loopback.js';
import { startProxy } from '../../../../test/support/proxy.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const certificate = (name: string) => join(root, 'test/fixtures/tls', `${name}-cert.pem`);
const entry = fileURLToPath(new URL('./network.ts', import.meta.url));

/** The results of requests in a process of its own. */
async function results(urls: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const outfile = join(temporaryDirectory(), 'network.mjs');
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' });
  const args = [join(root, 'test/fixtures/request.mjs'), pathToFileURL(outfile).href, JSON.stringify(urls)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return JSON.parse(stdout);
}

const trusting = { NODE_EXTRA_CA_CERTS: certificate('server') };
const fine = { status: 200, body: 'ok' };

describe('a self-signed certificate', () => {
  test('is trusted if NODE_EXTRA_CA_CERTS names it, for each of its hosts', async () => {
    const { port, requests } = await startHttpServer(undefined, { tls: serverCertificate });
    const urls = ['127.0.0.1', 'localhost', 'example.test', 'example.test.'].map(
      (host) => `https://${host}:${port}/mcp`,
    );
    expect(await results(urls, trusting)).toEqual([fine, fine, fine, fine]);
    expect(requests).toHaveLength(4);
  });

  test('is not trusted otherwise, and the reason names the variable', async () => {
    const { port, requests } = await startHttpServer(undefined, { tls: serverCertificate });
    const url = `https://localhost:${port}/mcp`;
    expect(await results([`${url}?key=secret`])).toEqual([
      {
        message: `no connection to ${url}: its certificate is not trusted: it is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT); if you trust it, set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority`,
        wasSent: false,
      },
    ]);
    expect(requests).toEqual([]);
  });

  test('for another host is not accepted', async () => {
    const { port, requests } = await startHttpServer(undefined, { tls: serverCertificate });
    const url = `https://other.test:${port}/`;
    expect(await results([url], trusting)).toEqual([
      {
        message: `no connection to ${url}: its certificate is for another host (ERR_TLS_CERT_ALTNAME_INVALID); check the name of the host`,
        wasSent: false,
      },
    ]);
    expect(requests).toEqual([]);
  });

  test('that has expired is not accepted', async () => {
    const { port } = await startHttpServer(undefined, { tls: expiredCertificate });
    expect(await results([`https://localhost:${port}/`], { NODE_EXTRA_CA_CERTS: certificate('expired') })).toEqual([
      {
        message: `no connection to https://localhost:${port}/: its certificate has expired (CERT_HAS_EXPIRED); renew it, or check the clock of this computer`,
        wasSent: false,
      },
    ]);
  });
});

describe('through a proxy', () => {
  test.each([false, true])('https works, with https to the proxy itself: %s', async (isSecure) => {
    const server = await startHttpServer(undefined, { tls: serverCertificate });
    const proxy = await startProxy({ isSecure, credentials: 'me:p@ss', ports: { 'example.test:443': server.port } });
    const env = { ...trusting, HTTPS_PROXY: proxy.url };
    expect(await results(['https://example.test/mcp'], env)).toEqual([fine]);
    expect(proxy.tunnels).toEqual(['example.test:443']);
    expect(server.requests[0]?.headers).toMatchObject({ host: 'example.test' });
    expect(server.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  test('over https, http URLs work in absolute form as well', async () => {
    const server = await startHttpServer();
    const proxy = await startProxy({ isSecure: true, connectStatus: 405, ports: { 'example.test:80': server.port } });
    expect(await results(['http://example.test/mcp'], { ...trusting, HTTP_PROXY: proxy.url })).toEqual([fine]);
    expect(proxy.forwarded).toEqual(['http://example.test/mcp']);
  });

  test('the certificate of the server is checked, not only that of the proxy', async () => {
    const server = await startHttpServer(undefined, { tls: expiredCertificate });
    const proxy = await startProxy({ isSecure: true, ports: { 'example.test:443': server.port } });
    const env = { ...trusting, HTTPS_PROXY: proxy.url };
    expect(await results(['https://example.test/mcp'], env)).toEqual([
      {
        message: expect.stringMatching(/^no connection to https:\/\/example\.test\/mcp: its certificate /),
        wasSent: false,
      },
    ]);
    expect(server.requests).toEqual([]);
  });
});
