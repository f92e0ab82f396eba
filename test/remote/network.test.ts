import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { connectAgent, opened, text } from '../support/agents.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { areAllAlone, hostNameOfTest, hostsNamed } from '../support/hosts.js';
import * as inProcess from '../support/in-process.js';
import type { LaunchOptions } from '../support/launch.js';
import {
  type Answer,
  closedPort,
  expiredCertificate,
  serverCertificate,
  startHttpServer,
} from '../support/loopback.js';
import { startProxy } from '../support/proxy.js';
import { fixtureWith } from '../support/servers.js';

// What is between the workbench and a remote server: src/downstream/http/network has the details. Certificates that Node reads when it
// starts, and proxies, through the program itself.

const secrets = ['canary-user', 'canary-password', 'canary-query', 'canary-header'];
const headers = { 'X-Api-Key': 'canary-header' };
const testAuthority = fileURLToPath(new URL('../fixtures/tls/server-cert.pem', import.meta.url));

/** The URL of a path, with everything in it that must not be shown. */
const withSecrets = (origin: string) =>
  `${origin.replace('://', '://canary-user:canary-password@')}/mcp?key=canary-query`;

/** Why an entry is unavailable. The other server of its toolbox works. */
async function reasonFor(entry: ServerEntry, env: LaunchOptions['env'] = {}): Promise<string> {
  const config = devToolbox({ bad: entry, good: fixtureWith(['one']) });
  const agent = await inProcess.connectAgent('v2 modern', { config, env });
  const { servers_connected: connected, unavailable = [] } = opened(await agent.open('dev'));
  expect(connected).toBe(1);
  const reason = unavailable.map((each) => each.reason).join('\n');
  expect(text(await agent.use('dev', 'bad', 'one'))).toContain(
    `Failed to connect to server 'bad' in toolbox 'dev': ${reason}`,
  );
  for (const secret of secrets) expect(reason).not.toContain(secret);
  return reason;
}

const answer =
  (status: number, type = '', body = ''): Answer =>
  (response) =>
    void response.writeHead(status, type === '' ? {} : { 'content-type': type }).end(body);

const check = 'check the URL and, if it is set, "type"';

describe('the reason has the URL without its secrets, the status, and what to check', () => {
  test.each<[string, Answer, string]>([
    ['400', answer(400, 'text/plain', 'No session'), `answered 400 Bad Request: No session; ${check}`],
    ['404', answer(404), `answered 404 Not Found; ${check}`],
    ['405', answer(405), `answered 405 Method Not Allowed; ${check}`],
    ['304', answer(304), `answered 304 Not Modified; ${check}`],
    ['500', answer(500, 'text/html', '<h1>'), 'answered 500 Internal Server Error; the cause is on the server'],
    [
      'a web page',
      answer(200, 'text/html', '<h1>'),
      `answered 200 OK with a web page (text/html) instead of MCP; ${check}`,
    ],
    ['another type', answer(200, 'text/plain', 'OK'), `answered 200 OK with text/plain instead of MCP; ${check}`],
    ['no type', answer(200), `answered 200 OK with a body without a content type instead of MCP; ${check}`],
    [
      'no JSON',
      answer(200, 'application/json', '{"a":'),
      `answered 200 OK without a response to the request; ${check}`,
    ],
    [
      'other JSON',
      answer(200, 'application/json', '{}'),
      `answered 200 OK without a response to the request; ${check}`,
    ],
    ['202', answer(202), `answered 202 Accepted without a response to the request; ${check}`],
    ['204', answer(204), `answered 204 No Content without a response to the request; ${check}`],
  ])('%s', async (_, answers, expected) => {
    const { origin } = await startHttpServer(answers);
    expect(await reasonFor({ url: withSecrets(origin), headers })).toBe(`${origin}/mcp ${expected}`);
  });

  test('an SSE server that answers with something else', async () => {
    const { origin } = await startHttpServer(answer(200, 'application/json', '{}'));
    expect(await reasonFor({ type: 'sse', url: withSecrets(origin), headers })).toBe(
      `${origin}/mcp answered 200 OK with application/json instead of MCP; ${check}`,
    );
  });

  test('no answer', async () => {
    const { origin } = await startHttpServer(() => {});
    expect(await reasonFor({ url: withSecrets(origin), headers, startTimeoutMs: 1_000 })).toBe(
      `it was not ready within 1000 ms (startTimeoutMs); no MCP response from ${origin}/mcp yet`,
    );
  });

  test('nothing listens', async () => {
    const origin = `http://127.0.0.1:${await closedPort()}`;
    expect(await reasonFor({ url: withSecrets(origin), headers })).toBe(
      `no connection to ${origin}/mcp: connection refused (ECONNREFUSED); check that the server runs and the port is right`,
    );
  });

  test('https of a server without TLS, and http of one with it', async () => {
    const plain = await startHttpServer();
    const reason = await reasonFor({ url: withSecrets(plain.origin.replace('http:', 'https:')), headers });
    expect(reason).toMatch(/^no connection to https:.*: it does not speak TLS .* must begin with http:\/\/$/);
    const secure = await startHttpServer(undefined, { tls: serverCertificate });
    const other = await reasonFor({ url: withSecrets(secure.origin.replace('https:', 'http:')), headers });
    expect(other).toMatch(/^no response from http:.* must begin with https:\/\/$/);
  });

  test.each([
    [
      'not trusted',
      serverCertificate,
      /certificate is not trusted: .*; if you trust it, set NODE_EXTRA_CA_CERTS to a file/,
    ],
    ['expired', expiredCertificate, /certificate has expired \(CERT_HAS_EXPIRED\); renew it/],
  ])('a certificate that is %s', async (_, tls, expected) => {
    const { origin, requests } = await startHttpServer(undefined, { tls });
    const reason = await reasonFor({ url: withSecrets(origin), headers });
    expect(reason).toContain(`no connection to ${origin}/mcp: `);
    expect(reason).toMatch(expected);
    expect(requests).toEqual([]);
  });

  test('a proxy that is gone', async () => {
    const place = `127.0.0.1:${await closedPort()}`;
    const env = { HTTPS_PROXY: `http://canary-user:canary-password@${place}` };
    expect(await reasonFor({ url: withSecrets('https://mcp.example.com'), headers }, env)).toBe(
      `no connection to https://mcp.example.com/mcp: proxy ${place} (HTTPS_PROXY): connection refused (ECONNREFUSED); check HTTPS_PROXY, or add mcp.example.com to NO_PROXY`,
    );
  });
});

describe.each([
  [401, ''],
  // It is often about the host or the origin of the request.
  [403, ': *** is not known here'],
])('a server that answers %i', (status, quote) => {
  test.each([
    ['needs a login', {}],
    ['rejected the configured Authorization header', { Authorization: 'Bearer canary-header' }],
  ])('%s', async (expected, given) => {
    const body = JSON.stringify({ error: 'invalid', error_description: 'canary-header is not known here' });
    const { origin } = await startHttpServer(answer(status, 'application/json', body));
    const reason = await reasonFor({ url: `${origin}/mcp`, headers: { ...headers, ...given } });
    expect(reason).toBe(`${expected} (${status})${quote}`);
  });
});

/** The smallest legacy server. */
const smallest: Answer = (response, { body }) => {
  const { id, method, params }: { id?: number; method: string; params: object } = JSON.parse(body || '{"method":""}');
  if (id === undefined) return void response.writeHead(202).end();
  const serverInfo = { name: 'smallest', version: '1' };
  const results: Record<string, object> = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo },
    'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: JSON.stringify(params) }] },
  };
  const result = results[method];
  const outcome = result === undefined ? { error: { code: -32_601, message: 'unknown' } } : { result };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
};

test('a call that is refused is quoted without secrets', async () => {
  const { origin } = await startHttpServer((response, request) =>
    request.body.includes('tools/call')
      ? answer(400, 'text/plain', 'canary-header may not do that')(response, request)
      : smallest(response, request),
  );
  const config = devToolbox({ any: { url: `${origin}/mcp`, headers } });
  const agent = await inProcess.connectAgent('v2 legacy', { config });
  expect(text(await agent.use('dev', 'any', 'echo', {}))).toBe(
    `Tool 'echo' of server 'any' (toolbox 'dev') failed: ${origin}/mcp answered 400 Bad Request: *** may not do that; ${check}`,
  );
});

describe('a server with a certificate of NODE_EXTRA_CA_CERTS', () => {
  const echo = async (url: string, env: LaunchOptions['env']) => {
    const config = devToolbox({ any: { url } });
    const agent = await connectAgent('v2 modern', { config, env: { NODE_EXTRA_CA_CERTS: testAuthority, ...env } });
    return text(await agent.use('dev', 'any', 'echo', { a: 1 }));
  };

  test('is used, by the host as by a session that runs alone', async () => {
    const { origin } = await startHttpServer(smallest, { tls: serverCertificate });
    expect(await echo(`${origin}/mcp`, {})).toContain('"arguments":{"a":1}');
    expect(hostsNamed(hostNameOfTest())).toHaveLength(areAllAlone || process.platform === 'win32' ? 0 : 1);
    expect(await echo(`${origin}/mcp`, { WORKBENCH_SHARED: '0' })).toContain('"arguments":{"a":1}');
  });

  test.each(['HTTPS_PROXY', 'https_proxy'])('is used through the proxy of %s', async (variable) => {
    const { origin, port } = await startHttpServer(smallest, { tls: serverCertificate });
    const proxy = await startProxy({ credentials: 'canary-user:canary-password' });
    expect(await echo(`${origin}/mcp`, { [variable]: proxy.url })).toContain('"arguments":{"a":1}');
    expect(new Set(proxy.tunnels)).toEqual(new Set([`127.0.0.1:${port}`]));
  });

  test('is used without the proxy if NO_PROXY names it', async () => {
    const { origin } = await startHttpServer(smallest, { tls: serverCertificate });
    const proxy = await startProxy();
    const env = { HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' };
    expect(await echo(`${origin}/mcp`, env)).toContain('"arguments":{"a":1}');
    expect(proxy.connections()).toBe(0);
  });
});
