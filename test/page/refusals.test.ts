import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ask, authorized, devHome, followPage, type RunningPage, startPage } from '../support/page.js';
import { posixOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';

posixOnly('looks for sockets in a directory');

/** Sends this text, and gives what comes until the connection is closed. */
async function sendRaw({ port }: RunningPage, request: string): Promise<string> {
  let answer = '';
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('latin1').on('data', (more: string) => (answer += more));
  socket.on('error', () => {}).write(request);
  await new Promise((resolve) => void socket.once('close', resolve));
  return answer;
}

describe('the page refuses, without a body', () => {
  const origin = 'https://example.com';
  const requests: readonly [string, string, (page: RunningPage) => Record<string, string>, number][] = [
    ['no token', '/api/live', () => ({}), 401],
    ['a wrong token', '/api/live', () => ({ Authorization: `Bearer ${'A'.repeat(22)}` }), 401],
    ['an empty token', '/api/search?toolbox=*', () => ({ Authorization: 'Bearer ' }), 401],
    ['the token in a cookie', '/api/live', ({ token }) => ({ Cookie: `token=${token}` }), 401],
    ['another host', '/', () => ({ Host: 'example.com' }), 421],
    [
      'a name that leads here',
      '/api/live',
      (page) => ({ ...authorized(page), Host: `rebound.example:${page.port}` }),
      421,
    ],
    ['another port', '/', () => ({ Host: '127.0.0.1:1' }), 421],
    ['a foreign origin', '/api/live', (page) => ({ ...authorized(page), Origin: origin }), 403],
    ['the origin null', '/api/live', (page) => ({ ...authorized(page), Origin: 'null' }), 403],
    [
      'a page of another site',
      '/page.js',
      () => ({ 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }),
      403,
    ],
    ['an unknown path', '/api', (page) => authorized(page), 404],
    ['a path of the file system', '/../../../../etc/passwd', (page) => authorized(page), 404],
    ['an encoded one', '/%2e%2e/%2e%2e/package.json', (page) => authorized(page), 404],
    ['one with backslashes', '/..\\..\\package.json', (page) => authorized(page), 404],
    ['a name of Object.prototype', '/__proto__', (page) => authorized(page), 404],
    ['an address in place of a path', 'http://example.com/', (page) => authorized(page), 404],
  ];

  test('requests without its token, of another site, to another host, and for other paths', async () => {
    const page = await startPage(devHome({ any: fixture() }).env);
    for (const [name, path, headers, status] of requests) {
      const answer = await ask(page, path, headers(page));
      expect([name, answer.status, answer.body]).toEqual([name, status, '']);
      expect(Object.keys(answer.headers).filter((one) => /^access-control|set-cookie/.test(one))).toEqual([]);
      const other = status === 421 || status === 403 ? status : 405;
      for (const method of ['OPTIONS', 'POST', 'HEAD']) {
        const refused = await ask(page, path, headers(page), method);
        expect([name, method, refused.status, refused.body]).toEqual([name, method, other, '']);
      }
    }
  });

  test('requests that name no host, send too much, or send nothing, and answers others soon after', async () => {
    const page = await startPage(devHome({ any: fixture() }).env);
    const first = async (request: string) => (await sendRaw(page, request)).split('\r\n')[0];
    const host = `Host: 127.0.0.1:${page.port}\r\n`;
    expect(await first('GET / HTTP/1.1\r\n\r\n')).toContain(' 421 ');
    expect(await first(`GET / HTTP/1.1\r\nHost: example.com\r\n${host}\r\n`)).toContain(' 421 ');
    expect(await first(`GET / HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n\r\n`)).toContain(' 431 ');
    const seen = await followPage(page);
    const idle = Array.from({ length: 200 }, (_, index) => {
      const socket = connect(page.port, '127.0.0.1').on('error', () => {});
      if (index % 2 === 0) socket.write('GET / HTTP/1.1\r\n');
      return socket;
    });
    onTestFinished(() => idle.forEach((socket) => void socket.destroy()));
    await until(() => idle.some(({ destroyed }) => destroyed), { what: 'a connection too many' });
    const isAnswered = async () => (await ask(page, '/').catch(() => undefined))?.status === 200;
    await until(isAnswered, { what: 'an answer', withinMs: 15_000 });
    const { now } = seen.board();
    await until(() => seen.board().now > now, { what: 'a stream that goes on' });
  });

  test('its own token in the address', async () => {
    const page = await startPage(devHome({ any: fixture() }).env);
    for (const name of ['token', 'key', 'authorization', 'access_token'])
      expect(await ask(page, `/api/log?${name}=${page.token}`)).toMatchObject({ status: 401, body: '' });
  });

  test('nothing to its own page, which may load its own files only', async () => {
    const page = await startPage(devHome({ any: fixture() }).env);
    for (const path of ['/', '/page.js', '/page.css', '/icon.svg']) {
      const { status, headers, body } = await ask(page, path);
      expect([status, body.length > 100]).toEqual([200, true]);
      expect(body).not.toContain(page.token);
      expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
      expect(headers['content-security-policy']).toContain("require-trusted-types-for 'script'");
      expect(headers['content-security-policy']).not.toContain('unsafe');
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    }
    expect((await ask(page, '/', { Host: `localhost:${page.port}` })).status).toBe(200);
    const link = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
    expect((await ask(page, '/', link)).status).toBe(200);
    expect(page.token).toMatch(/^[\w-]{22}$/);
  });
});
