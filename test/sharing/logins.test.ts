import { expect, test } from 'vitest';
import { type Authorization, type AuthorizationSettings, startAuthorization } from '../support/authorization.js';
import { runCommand } from '../support/commands.js';
import { devToolbox } from '../support/configs.js';
import { linuxOnly } from '../support/platform.js';
import { call, ending, hostOf, type SharedSessions, shareSessions, textOf, use } from '../support/shared.js';
import { until } from '../support/until.js';
import type { Message, RunningWorkbench } from '../support/workbench.js';

// Remote servers are not shared, but the host runs them, and its sessions have the same logins.
linuxOnly('counts processes in /proc');

const needsLogin = 'needs a login: run `mcp-workbench auth dev linear --config ';
const showsLinks = { elicitation: { url: {} } };

async function start(settings: AuthorizationSettings = {}) {
  const server = await startAuthorization(settings);
  const shared = shareSessions(devToolbox({ linear: server.entry }));
  return { server, shared };
}

const echo = async (session: RunningWorkbench, message: string) =>
  textOf(await call(session, 'echo', { message }, 'linear'));

/** The questions that a session was asked. */
function questionsTo(session: RunningWorkbench): (Message & { readonly params: { readonly url: string } })[] {
  return session.lines.map((line) => JSON.parse(line)).filter(({ method }) => method === 'elicitation/create');
}

/** The nth question, when it has come. */
async function questionTo(session: RunningWorkbench, nth = 1) {
  const { id, params } = await until(() => questionsTo(session)[nth - 1], { what: `question ${nth}` });
  return { id, url: params.url };
}

/** Consents in the browser to the question, and says so to the client. */
async function consent(session: RunningWorkbench, server: Authorization, nth = 1): Promise<void> {
  const { id, url } = await questionTo(session, nth);
  await fetch(await server.consent(url));
  session.send({ id, result: { action: 'accept' } });
}

/** Logs in with the first call of a session. */
async function logIn(session: RunningWorkbench, server: Authorization): Promise<void> {
  const called = echo(session, 'first');
  await consent(session, server);
  expect(await called).toBe('first');
}

async function counts(server: Authorization) {
  const { log, reuses } = await server.control();
  const granted = (grant: string) =>
    log.filter(({ path, form }) => path === '/token' && form?.['grant_type'] === grant);
  const calls = log.filter(
    ({ server: of, body, status }) => of === 'resource' && status === 200 && body?.includes('tools/call'),
  );
  return {
    logins: granted('authorization_code').length,
    refreshes: granted('refresh_token').length,
    calls: calls.length,
    reuses,
  };
}

const auth = (shared: SharedSessions, ...words: string[]) =>
  runCommand(['auth', '--config', shared.file, ...words], { env: { HOME: shared.home } });

test('a session logs in, and another one of the same host uses the login without a question', async () => {
  const { server, shared } = await start();
  const [one, other] = [await shared.start({ capabilities: showsLinks }), await shared.start()];
  expect(await echo(other, 'too early')).toContain(needsLogin);
  await logIn(one, server);
  expect(await echo(other, 'second')).toBe('second');
  expect([questionsTo(one).length, questionsTo(other).length]).toEqual([1, 0]);
  expect(await counts(server)).toEqual({ logins: 1, refreshes: 0, calls: 2, reuses: 0 });
  hostOf(shared);
  await ending(shared, [one, other]);
});

test('two sessions that need the same login are each asked, and each login is for both', async () => {
  const { server, shared } = await start();
  const [one, other] = await Promise.all([1, 2].map(() => shared.start({ capabilities: showsLinks })));
  if (one === undefined || other === undefined) throw new Error('two sessions');
  const called = [echo(one, 'one'), echo(other, 'other')];
  await Promise.all([consent(one, server), consent(other, server)]);
  expect(await Promise.all(called)).toEqual(['one', 'other']);
  expect([questionsTo(one).length, questionsTo(other).length]).toEqual([1, 1]);
  expect(await counts(server)).toMatchObject({ calls: 2, reuses: 0 });
  await server.control({ revokeAccess: true });
  expect(await Promise.all([echo(one, 'a'), echo(other, 'b')])).toEqual(['a', 'b']);
});

test('a login that is refused in mid-session is asked for by the session whose call needs it, and the other goes on with it', async () => {
  const { server, shared } = await start();
  const [one, other] = [
    await shared.start({ capabilities: showsLinks }),
    await shared.start({ capabilities: showsLinks }),
  ];
  await logIn(one, server);
  expect(await echo(other, 'second')).toBe('second');
  await server.control({ revokeAccess: true, revokeRefresh: true });
  const called = echo(other, 'again');
  await consent(other, server);
  expect(await called).toBe('again');
  expect(await echo(one, 'me too')).toBe('me too');
  expect([questionsTo(one).length, questionsTo(other).length]).toEqual([1, 1]);
  expect(await counts(server)).toMatchObject({ logins: 2, calls: 4, reuses: 0 });
});

test('a login is renewed once for all sessions of a host', async () => {
  const { server, shared } = await start({ delayMs: 200 });
  const sessions = [await shared.start({ capabilities: showsLinks }), await shared.start(), await shared.start()];
  const [one] = sessions;
  if (one === undefined) throw new Error('three sessions');
  await logIn(one, server);
  await Promise.all(sessions.map((session) => echo(session, 'warm')));
  await server.control({ revokeAccess: true });
  const messages = sessions.map((_, index) => `after ${index}`);
  expect(await Promise.all(sessions.map((session, index) => echo(session, `after ${index}`)))).toEqual(messages);
  expect(await counts(server)).toEqual({ logins: 1, refreshes: 1, calls: 7, reuses: 0 });
});

test('after a logout no session of a host has the login any more, and the next one is used by all at once', async () => {
  const { server, shared } = await start();
  const [one, other] = [await shared.start({ capabilities: showsLinks }), await shared.start()];
  await logIn(one, server);
  expect(await echo(other, 'second')).toBe('second');
  expect(await auth(shared, '--logout', 'dev', 'linear')).toMatchObject({
    code: 0,
    stdout: 'ok linear: login removed.\n',
  });
  expect(await echo(other, 'after')).toContain(needsLogin);
  const called = echo(one, 'again');
  await consent(one, server, 2);
  expect(await called).toBe('again');
  expect(await echo(other, 'again')).toBe('again');
});

test('a session that ends while it is asked takes its login back, and leaves the other one to its own', async () => {
  const { server, shared } = await start();
  const [one, other] = [
    await shared.start({ capabilities: showsLinks }),
    await shared.start({ capabilities: showsLinks }),
  ];
  one.send({ id: 'never', method: 'tools/call', params: use('echo', { message: 'never' }, 'linear') });
  const { url } = await questionTo(one);
  const called = echo(other, 'other');
  await questionTo(other);
  one.end();
  await one.exited;
  const redirect = await server.consent(url);
  // Nothing listens for its browser any more.
  await until(
    () =>
      fetch(redirect).then(
        () => false,
        () => true,
      ),
    { what: 'the end of its login' },
  );
  expect(await counts(server)).toMatchObject({ logins: 0 });
  await consent(other, server);
  expect(await called).toBe('other');
});

test('a host that is lost while a user logs in withdraws the question, and the next call asks again', async () => {
  const { server, shared } = await start();
  const one = await shared.start({ capabilities: showsLinks });
  const lost = echo(one, 'lost');
  const { id } = await questionTo(one);
  process.kill(hostOf(shared).pid, 'SIGKILL');
  expect(await lost).toContain('the host process that runs the servers was lost');
  expect(one.lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      method: 'notifications/cancelled',
      params: { requestId: id, reason: 'the host that asked was lost' },
    }),
  );
  const called = echo(one, 'again');
  await consent(one, server, 2);
  expect(await called).toBe('again');
});
