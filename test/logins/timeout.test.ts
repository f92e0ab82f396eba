import { existsSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startAuthorization } from '../support/authorization.js';
import { createLoginUser } from '../support/logins.js';
import { until } from '../support/until.js';

// A tab that is closed answers nothing, so only time ends such a login. Real servers, and a clock that is moved.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const minuteMs = 60_000;

test('a login whose tab is closed ends after 5 minutes: nothing is stored, and nothing waits for the browser', async () => {
  const server = await startAuthorization();
  const user = createLoginUser(server);
  const login = await user.logins.begin(user.server, { listens: true });
  const end = vi.fn<(error: unknown) => void>();
  login.done.catch(end);
  await vi.advanceTimersByTimeAsync(5 * minuteMs - 1);
  expect(end).not.toHaveBeenCalled();
  expect((await fetch(new URL('/elsewhere', login.redirectUrl))).status).toBe(404);
  await vi.advanceTimersByTimeAsync(1);
  const expected = { code: 'LOGIN_UNFINISHED', message: 'No answer within 5 min. Nothing was stored.' };
  expect(end).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(expected));
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(fetch(login.redirectUrl)).rejects.toThrow();
  expect(existsSync(user.file)).toBe(false);
  expect(await server.sent('/token')).toEqual([]);
});

test('an answer after that, or after the login was cancelled, is of no use', async () => {
  const server = await startAuthorization();
  const user = createLoginUser(server);
  const late = await user.logins.begin(user.server, { listens: true });
  late.done.catch(() => {});
  const redirect = await server.consent(late.url);
  await vi.advanceTimersByTimeAsync(5 * minuteMs);
  await expect(late.paste(redirect)).rejects.toMatchObject({ name: 'WorkbenchError' });
  const controller = new AbortController();
  const cancelled = await user.logins.begin(user.server, { listens: true, signal: controller.signal });
  const answer = await server.consent(cancelled.url);
  controller.abort();
  await expect(cancelled.done).rejects.toMatchObject({ code: 'LOGIN_UNFINISHED' });
  await expect(cancelled.paste(answer)).rejects.toMatchObject({ name: 'WorkbenchError' });
  expect(existsSync(user.file)).toBe(false);
  expect(await server.sent('/token')).toEqual([]);
});

test('a code that is being exchanged when the login is cancelled stores nothing', async () => {
  vi.useRealTimers();
  const server = await startAuthorization({ delayMs: 1_000 });
  const user = createLoginUser(server);
  const login = await user.logins.begin(user.server, { listens: true });
  const exchanged = login.paste(await server.consent(login.url));
  exchanged.catch(() => {});
  await until(async () => (await server.sent('/token')).length === 1, { what: 'the exchange' });
  await login.cancel();
  await expect(exchanged).rejects.toMatchObject({ name: 'WorkbenchError' });
  await until(async () => (await server.control()).accessTokens === 1, { what: 'the token' });
  expect(existsSync(user.file)).toBe(false);
});
