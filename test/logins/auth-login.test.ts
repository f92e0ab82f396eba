import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAuthUser, holdsSecret, linesOf, printedAddress } from '../support/auth-user.js';
import { type Authorization, type AuthorizationSettings, startAuthorization } from '../support/authorization.js';
import { runOnTerminal } from '../support/commands.js';
import { devToolbox } from '../support/configs.js';
import { linuxOnly } from '../support/platform.js';
import { until } from '../support/until.js';

const userOf = (server: Authorization, oauth: object = {}) =>
  createAuthUser(devToolbox({ linear: { ...server.entry, oauth } }));

describe('a login in the browser', () => {
  linuxOnly('terminals are made by script of util-linux, and xdg-open is replaced');

  test('ends with a stored login, and a page that says so', async () => {
    const server = await startAuthorization();
    const user = userOf(server);
    const terminal = user.withBrowser('allow', 'dev', 'linear');
    expect(await terminal.exited).toBe(0);
    const instead = `mcp-workbench auth dev linear --no-browser --config ${user.config}`;
    expect(linesOf(terminal)).toEqual([
      `› log in to linear at ${new URL(server.issuer).host} in the browser … (or print the address: ${instead})`,
      '✓ linear: login stored (read). Sessions that run use it from their next call.',
    ]);
    expect(holdsSecret(user)).toBe(true);
    const page = await until(() => user.lastPage(), { what: 'the last page' });
    expect(page.status).toBe(200);
    expect(page.text).toContain('linear');
    expect(page.text).toContain('You can close this tab.');
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    expect(page.headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    const [asked] = await server.sent('/authorize');
    expect(asked?.query).toMatchObject({ resource: server.url, scope: 'read', code_challenge_method: 'S256' });
    const [path = ''] = user.opened();
    expect(user.seen().join('\n')).toContain(path);
    expect(user.seen().join('\n')).not.toContain(asked?.query['state']);
    expect(user.seen().join('\n')).not.toContain(asked?.query['code_challenge']);
    expect(existsSync(path)).toBe(false);
  });

  test('that is refused there says so, without HTML of others, and stores nothing', async () => {
    const server = await startAuthorization();
    const user = userOf(server);
    const terminal = user.withBrowser('deny', 'dev', 'linear');
    expect(await terminal.exited).toBe(1);
    expect(linesOf(terminal)).toHaveLength(2);
    expect(linesOf(terminal)[1]).toMatch(/^Cannot log in at linear: .*access_denied.* Nothing was stored\.$/);
    expect(holdsSecret(user)).toBe(false);
    const page = await until(() => user.lastPage(), { what: 'the last page' });
    expect(page.text).toContain('Nothing was stored. ');
    expect(page.text).not.toContain('<b>');
  });

  test.each<[string, AuthorizationSettings]>([
    ['another issuer', { iss: 'wrong' }],
    ['no issuer although it is announced', { iss: 'omitted' }],
  ])('that is answered with %s stores nothing', async (_, settings) => {
    const server = await startAuthorization(settings);
    const user = userOf(server);
    const terminal = user.withBrowser('allow', 'dev', 'linear');
    expect(await terminal.exited).toBe(1);
    const line = 'The answer does not belong to this request; nothing was stored.';
    expect(linesOf(terminal).slice(1)).toEqual([line]);
    expect(holdsSecret(user)).toBe(false);
    expect(await server.sent('/token')).toEqual([]);
    expect((await until(() => user.lastPage(), { what: 'the last page' })).status).toBe(400);
  });

  test.each<AuthorizationSettings>([{ state: 'wrong' }, { state: 'omitted' }])(
    'that is answered with %j is refused with 400, and goes on waiting for its own answer',
    async (settings) => {
      const server = await startAuthorization(settings);
      const user = userOf(server);
      const terminal = user.onTerminal('dev', 'linear');
      const address = await printedAddress(terminal);
      const forged = await server.consent(address);
      for (let sent = 0; sent < 3; sent++) expect((await fetch(forged)).status).toBe(400);
      expect(await server.sent('/token')).toEqual([]);
      await server.control({ settings: { state: 'right' } });
      expect((await fetch(await server.consent(address))).status).toBe(200);
      expect(await terminal.exited).toBe(0);
      expect(holdsSecret(user)).toBe(true);
    },
  );

  test('whose tab is closed waits until Ctrl-C, which stores nothing', async () => {
    const server = await startAuthorization();
    const user = userOf(server);
    const terminal = user.withBrowser('close', 'dev', 'linear');
    await until(async () => (await server.sent('/authorize')).length === 1, { what: 'the browser' });
    terminal.type('\u0003');
    expect(await terminal.exited).toBe(130);
    expect(linesOf(terminal).at(-1)).toMatch(/Nothing was changed\.$/);
    expect(holdsSecret(user)).toBe(false);
  });

  test('is possible by hand if the browser cannot be opened', async () => {
    const server = await startAuthorization();
    const user = userOf(server);
    const terminal = user.withBrowser('fail', 'dev', 'linear');
    const address = await printedAddress(terminal);
    expect(user.opened()).toEqual([expect.stringMatching(/^\/.*\.html$/)]);
    expect(linesOf(terminal)).toContain(
      `Open this address in a browser to log in to linear at ${new URL(address).host}:`,
    );
    terminal.type(`${await server.consent(address)}\r`);
    expect(await terminal.exited).toBe(0);
    expect(user.opened().filter((path) => existsSync(path))).toEqual([]);
    expect(holdsSecret(user)).toBe(true);
  });

  test('asks nothing more if the browser reports an error afterwards', async () => {
    const server = await startAuthorization();
    const terminal = userOf(server).withBrowser('crash', 'dev', 'linear');
    expect(await terminal.exited).toBe(0);
    expect(linesOf(terminal)).toHaveLength(2);
  });

  test('ends with a JSON document if that is wanted', async () => {
    const server = await startAuthorization();
    const terminal = userOf(server).withBrowser('allow', 'dev', 'linear', '--json');
    expect(await terminal.exited).toBe(0);
    const facts = { toolbox: 'dev', server: 'linear', issuer: server.issuer, scopes: ['read'], renewable: true };
    expect(JSON.parse(linesOf(terminal).at(-1) ?? '')).toMatchObject({ version: 1, ...facts });
  });

  test('says which port is taken; the redirect can then be pasted', async () => {
    const server = await startAuthorization();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
    const { port } = other.address() as AddressInfo;
    const user = userOf(server, { callbackPort: port });
    const refused = user.withBrowser('allow', 'dev', 'linear');
    expect(await refused.exited).toBe(1);
    expect(linesOf(refused)).toEqual([
      `Port ${port} ("oauth.callbackPort") cannot be used: another program has it. Without it: mcp-workbench auth dev linear --no-browser --config ${user.config}`,
    ]);
    const terminal = user.onTerminal('dev', 'linear');
    terminal.type(`${await server.consent(await printedAddress(terminal))}\r`);
    expect(await terminal.exited).toBe(0);
  });

  test('fails with one line if the authorization server is gone, before or after the consent', async () => {
    const server = await startAuthorization();
    const user = userOf(server);
    const terminal = user.onTerminal('dev', 'linear');
    const redirect = await server.consent(await printedAddress(terminal));
    await server.control({ listening: false });
    terminal.type(`${redirect}\r`);
    expect(await terminal.exited).toBe(1);
    expect(linesOf(terminal).at(-1)).toMatch(/ECONNREFUSED/);
    const again = user.withBrowser('allow', 'dev', 'linear');
    expect(await again.exited).toBe(1);
    expect(linesOf(again)).toEqual([expect.stringMatching(/ECONNREFUSED/)]);
    expect(holdsSecret(user)).toBe(false);
  });
});

describe('a login without a browser', () => {
  linuxOnly('terminals are made by script of util-linux');

  test.each([
    ['with --no-browser', { DISPLAY: ':0' }, ['--no-browser']],
    ['without a display', {}, []],
    ['over SSH', { DISPLAY: 'localhost:10.0', SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22' }, []],
  ])('%s takes the pasted redirect', async (_, env, options) => {
    const server = await startAuthorization();
    const user = userOf(server);
    const args = ['auth', '--config', user.config, ...options, 'dev', 'linear'];
    const terminal = runOnTerminal(args, { env: { ...user.env, ...env } });
    const redirect = await server.consent(await printedAddress(terminal));
    // People press Enter too early, and paste spaces.
    terminal.type(`\r  ${redirect} \r`);
    expect(await terminal.exited).toBe(0);
    expect(linesOf(terminal).at(-1)).toMatch(/^✓ linear: login stored \(read\)\./);
    expect(holdsSecret(user)).toBe(true);
  });

  test('goes on by itself if the browser is on this computer', async () => {
    const server = await startAuthorization();
    const user = userOf(server);
    const terminal = user.onTerminal('dev', 'linear');
    const page = await fetch(await server.consent(await printedAddress(terminal)));
    expect(await page.text()).toContain('You can close this tab.');
    expect(await terminal.exited).toBe(0);
    expect(linesOf(terminal).at(-1)).toMatch(/^✓ linear: login stored \(read\)\./);
  });

  test.each([
    ['hello'],
    ['https://example.com/callback?code=1'],
    ['javascript:alert(1)'],
    ['http://127.0.0.1:1/callback?code=1&state=2'],
  ])('ends with one line if what is pasted is no redirect: %s', async (text) => {
    const server = await startAuthorization();
    const user = userOf(server);
    const terminal = user.onTerminal('dev', 'linear');
    await printedAddress(terminal);
    const before = linesOf(terminal).length;
    terminal.type(`${text}\r`);
    expect(await terminal.exited).toBe(1);
    // The line with what was typed, and ours.
    expect(linesOf(terminal).length - before).toBeLessThanOrEqual(2);
    expect(linesOf(terminal).at(-1)).toMatch(/not where the browser was sent/);
    expect(holdsSecret(user)).toBe(false);
    expect(await server.sent('/token')).toEqual([]);
  });

  test.each([
    ['Ctrl-C', '\u0003', 130, /^Nothing was changed\.$/],
    ['Ctrl-D', '\u0004', 1, /^No answer\. Nothing was stored\. Try again: mcp-workbench auth dev linear --config \S+$/],
  ])('ends with %s, and nothing is stored', async (_, key, code, text) => {
    const server = await startAuthorization();
    const user = userOf(server);
    const terminal = user.onTerminal('dev', 'linear');
    await printedAddress(terminal);
    terminal.type(key);
    expect(await terminal.exited).toBe(code);
    expect(linesOf(terminal).at(-1)).toMatch(text);
    expect(holdsSecret(user)).toBe(false);
  });
});
