import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { connectAgent, text } from '../support/agents.js';
import { createAuthUser, holdsSecret, type LastPage, linesOf } from '../support/auth-user.js';
import { type Authorization, startAuthorization } from '../support/authorization.js';
import { devToolbox } from '../support/configs.js';
import { until } from '../support/until.js';

// The consent page in a real browser: Chromium, which `xdg-open` starts.
const browser = [process.execPath, fileURLToPath(new URL('browser.mjs', import.meta.url))];

function userOf(server: Authorization) {
  return createAuthUser(devToolbox({ linear: server.entry }), browser);
}

/** The style of our page is applied, nothing else is loaded, and nothing is blocked. */
function expectQuietPage({ font, requests, complaints }: LastPage): void {
  expect(font).toBe('system-ui, sans-serif');
  expect(requests).toEqual([
    expect.stringMatching(/^file:\/\/\/.*\.html$/),
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}$/),
    expect.stringContaining('/authorize?'),
    expect.stringContaining('/consent'),
    expect.stringContaining('/callback?'),
  ]);
  expect(JSON.stringify(complaints)).not.toMatch(/Content Security Policy|Refused/);
}

test('a user consents in the browser, and a workbench that runs uses the server from its next call', async () => {
  const server = await startAuthorization();
  const user = userOf(server);
  const agent = await connectAgent('v2 modern', { args: ['--config', user.config], env: user.env });
  expect(text(await agent.use('dev', 'linear', 'echo', { message: 'hello' }))).toContain('needs a login');
  const terminal = user.withBrowser('allow', 'dev', 'linear');
  expect(await terminal.exited).toBe(0);
  expect(linesOf(terminal).at(-1)).toBe(
    '✓ linear: login stored (read). Sessions that run use it from their next call.',
  );
  expect(text(await agent.use('dev', 'linear', 'echo', { message: 'hello' }))).toBe('hello');
  const page = await until(() => user.lastPage(), { what: 'the last page' });
  expect(page['consent']).toMatch(/^Allow MCP Workbench.*\?\n\nIt asks for: read of /);
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('You can close this tab.')]);
  expectQuietPage(page);
});

test('a user who denies it reads so in the browser and on the terminal, and nothing is stored', async () => {
  const server = await startAuthorization();
  const user = userOf(server);
  const terminal = user.withBrowser('deny', 'dev', 'linear');
  expect(await terminal.exited).toBe(1);
  expect(linesOf(terminal).at(-1)).toContain('access_denied');
  expect(holdsSecret(user)).toBe(false);
  const page = await until(() => user.lastPage(), { what: 'the last page' });
  expect(page.text).toContain('You can close this tab.');
  expectQuietPage(page);
});
