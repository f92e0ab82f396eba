import { describe, expect, test } from 'vitest';
import * as program from '../support/agents.js';
import { type Question, text, type User } from '../support/agents.js';
import { type Authorization, startAuthorization } from '../support/authorization.js';
import { connectAgent } from '../support/in-process.js';
import { createLoginUser } from '../support/logins.js';
import { until } from '../support/until.js';

const needsLogin = 'needs a login: run `mcp-workbench auth dev linear --config ';

interface Person extends User {
  readonly asked: Question[];
}

/** A user whose client shows links. */
function person(decide: (url: string) => Promise<string>): Person {
  const asked: Question[] = [];
  return {
    asked,
    capabilities: { elicitation: { url: {} } },
    async answer(_, question) {
      asked.push(question);
      return { action: await decide(question.url ?? '') };
    },
  };
}

/** Opens the link, consents, and is sent back to the workbench. */
const consenting = (server: Authorization, decision: 'allow' | 'deny' = 'allow') =>
  person(async (url) => {
    await fetch(await server.consent(url, decision));
    return 'accept';
  });

describe('with an agent that shows links', () => {
  test('the user is asked when a tool is used, and the call goes on after the consent', async () => {
    const server = await startAuthorization();
    const user = consenting(server);
    const agent = await program.connectAgent('v2 modern', createLoginUser(server).launch, user);
    expect(text(await agent.use('dev', 'linear', 'echo', { message: 'hello' }))).toBe('hello');
    const [question] = user.asked;
    expect(user.asked).toHaveLength(1);
    expect(question?.message).toBe(
      `[dev/linear] Open the link to log in to linear at ${new URL(server.issuer).host}; the call continues afterwards.`,
    );
    expect(question?.url?.startsWith(`${server.issuer}/authorize?`)).toBe(true);
    expect(text(await agent.use('dev', 'linear', 'echo', { message: 'again' }))).toBe('again');
    expect(user.asked).toHaveLength(1);
    await agent.close();
  });

  test('the user is asked when a toolbox is opened', async () => {
    const server = await startAuthorization();
    const user = consenting(server);
    const agent = await connectAgent('v2 legacy', createLoginUser(server).launch, user);
    const opened = JSON.parse(text(await agent.open('dev')));
    expect(opened.servers_connected).toBe(1);
    expect(opened).not.toHaveProperty('unavailable');
    expect(user.asked).toHaveLength(1);
    await agent.close();
  });

  test('a user who declines gets the command instead, and is not asked again at once', async () => {
    const server = await startAuthorization();
    const user = person(async () => 'decline');
    const agent = await connectAgent('v2 modern', createLoginUser(server).launch, user);
    for (let call = 0; call < 2; call++) {
      const failed = await agent.use('dev', 'linear', 'echo', { message: 'hello' });
      expect(failed.isError).toBe(true);
      expect(text(failed)).toContain(needsLogin);
    }
    expect(user.asked).toHaveLength(1);
    expect(await server.sent('/token')).toHaveLength(0);
    await agent.close();
  });

  test('a login that is denied in the browser leaves the server unavailable', async () => {
    const server = await startAuthorization();
    const user = consenting(server, 'deny');
    const agent = await connectAgent('v2 legacy', createLoginUser(server).launch, user);
    expect(text(await agent.use('dev', 'linear', 'echo', { message: 'hello' }))).toContain(needsLogin);
    expect(agent.stderr()).toContain('dev/linear: no login: the authorization server answered access_denied');
    await agent.close();
  });

  test('two calls at the same time need one login', async () => {
    const server = await startAuthorization();
    const user = consenting(server);
    const agent = await connectAgent('v2 modern', createLoginUser(server).launch, user);
    const calls = ['a', 'b'].map((message) => agent.use('dev', 'linear', 'echo', { message }));
    expect((await Promise.all(calls)).map(text)).toEqual(['a', 'b']);
    expect(user.asked).toHaveLength(1);
    await agent.close();
  });

  test('a call that needs more than was granted asks for that, and goes on', async () => {
    const server = await startAuthorization({ toolScopes: { echo: 'write' } });
    const user = consenting(server);
    const agent = await connectAgent('v2 legacy', createLoginUser(server).launch, user);
    await agent.open('dev');
    expect(text(await agent.use('dev', 'linear', 'echo', { message: 'hello' }))).toBe('hello');
    const scopes = user.asked.map(({ url }) => new URL(url ?? '').searchParams.get('scope'));
    expect(scopes).toEqual(['read', 'read write']);
    await agent.close();
  });

  test('an answer of the browser for another request is refused, and the login goes on', async () => {
    const server = await startAuthorization({ state: 'wrong' });
    const user = person(async (url) => {
      expect((await fetch(await server.consent(url))).status).toBe(400);
      expect(await server.sent('/token')).toHaveLength(0);
      await server.control({ settings: { state: 'right' } });
      await fetch(await server.consent(url));
      return 'accept';
    });
    const agent = await connectAgent('v2 modern', createLoginUser(server).launch, user);
    expect(text(await agent.use('dev', 'linear', 'echo', { message: 'hello' }))).toBe('hello');
    await agent.close();
  });
});

test('a call asks by itself if the call that shared its question is cancelled', async () => {
  const server = await startAuthorization();
  const user: Person = person((url) => {
    if (user.asked.length === 1) return new Promise(() => {});
    return server
      .consent(url)
      .then(fetch)
      .then(() => 'accept');
  });
  const agent = await connectAgent('v2 legacy', createLoginUser(server).launch, user);
  const cancelled = new AbortController();
  const tool = { toolbox: 'dev', server: 'linear', name: 'echo' };
  const call = (message: string, options = {}) =>
    agent.request('tools/call', { name: 'use_tool', arguments: { tool, arguments: { message } } }, options);
  const first = call('first', { signal: cancelled.signal }).catch(() => 'cancelled');
  await until(() => user.asked.length === 1, { what: 'the question' });
  const refusals = async () => (await server.control()).log.filter(({ status }) => status === 401).length;
  const before = await refusals();
  const second = agent.use('dev', 'linear', 'echo', { message: 'second' });
  await until(async () => (await refusals()) > before, { what: 'the refusal of the second call' });
  cancelled.abort();
  expect(await first).toBe('cancelled');
  expect(text(await second)).toBe('second');
  const { log } = await server.control();
  expect(log.filter(({ body, status }) => status === 200 && body?.includes('tools/call'))).toHaveLength(1);
  await agent.close();
});

test('an agent that shows no links is not asked', async () => {
  const server = await startAuthorization();
  const asked: string[] = [];
  const user = {
    capabilities: { elicitation: { form: {} } },
    answer(method: string) {
      asked.push(method);
      return { action: 'accept' };
    },
  };
  const agent = await connectAgent('v2 legacy', createLoginUser(server).launch, user);
  expect(text(await agent.open('dev'))).toContain(needsLogin);
  expect(asked).toEqual([]);
  expect(await server.sent('/register')).toEqual([]);
  await agent.close();
});
