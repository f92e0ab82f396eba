import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Agent, eras } from '../support/agents.js';
import { post } from '../support/http-service.js';
import { processesWith } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { startTeamService, type TeamService } from '../support/team-service.js';
import { untilHolds } from '../support/until.js';

// @module-tag hostile

const textOf = (result: Awaited<ReturnType<Agent['use']>>): string => result.content[0]?.text ?? '';
const jsonOf = (result: Awaited<ReturnType<Agent['use']>>): Record<string, unknown> => JSON.parse(textOf(result));

const usersOf = ({ home }: TeamService) => join(home, '.local', 'share', 'mcp-workbench', 'users');

describe('two users of one service', () => {
  test('have processes of their own, even where an entry sets HOME, directory and environment', async () => {
    const entry = fixture();
    const same = { ...entry, cwd: '/', env: { ...entry.env, HOME: '/tmp', USER: 'same', WHO: '${user:key}' } };
    const { WHO: _, ...withoutUser } = same.env;
    const service = await startTeamService({
      servers: { same: { ...same, env: withoutUser }, plain: entry, named: same },
    });
    const [ada, bob] = [await service.connect('ada', 'v2 legacy'), await service.connect('bob', 'v2 modern')];
    const pids = new Set<unknown>();
    for (const server of ['same', 'plain', 'named'])
      for (const agent of [ada, bob]) pids.add(jsonOf(await agent.use('dev', server, 'stats', {}))['pid']);
    expect(pids.size).toBe(6);
    const homes = await Promise.all(
      [ada, bob].map(async (agent) => jsonOf(await agent.use('dev', 'plain', 'env', {}))['HOME']),
    );
    const [first = '', second = ''] = readdirSync(usersOf(service));
    expect(new Set(homes)).toEqual(new Set([first, second].map((key) => join(usersOf(service), key))));
    const names = await Promise.all(
      [ada, bob].map(async (agent) => jsonOf(await agent.use('dev', 'named', 'env', {}))['WHO']),
    );
    expect(new Set(names)).toEqual(new Set([first, second]));
    for (const key of [first, second]) expect(statSync(join(usersOf(service), key)).mode & 0o077).toBe(0);
    expect(textOf(await ada.use('dev', 'plain', 'cwd', {}))).toMatch(/\/users\/[0-9a-f]{32}\/work$/);
  });

  test('share a server for everyone: one process, with the home of the service', async () => {
    const service = await startTeamService({ servers: { common: { ...fixture(), forEveryone: true } } });
    const [ada, bob] = [await service.connect('ada', 'v2 legacy'), await service.connect('bob', 'v2 modern')];
    const seen = await Promise.all([ada, bob].map((agent) => agent.use('dev', 'common', 'stats', {})));
    expect(new Set(seen.map((result) => jsonOf(result)['pid'])).size).toBe(1);
    expect(jsonOf(await bob.use('dev', 'common', 'env', {}))['HOME']).toBe(service.home);
  });

  test('with equal ids and progress tokens get their own answers, 2,000 times', async () => {
    const service = await startTeamService({
      servers: { echo: fixture() },
      http: { limits: { requestsPerSecond: 100_000, inFlight: 10_000 } },
    });
    const callers = await Promise.all(['ada', 'bob'].map((subject) => legacyCaller(service, subject)));
    const wrong: string[] = [];
    for (let round = 0; round < 50; round++) {
      const answers = Array.from({ length: 40 }, async (_, at) => {
        const caller = callers[at % 2];
        const id = Math.floor(at / 2);
        const mark = `${caller?.subject}-${round}-${id}`;
        const text = await caller?.call(id, mark);
        if (text?.includes(mark) !== true || !text.includes(`"id":${id}`)) wrong.push(`${mark}: ${text}`);
      });
      await Promise.all(answers);
    }
    expect(wrong).toEqual([]);
  });

  test('a session id of one user is no session of another', async () => {
    const service = await startTeamService({ servers: { echo: fixture() } });
    const ada = await legacyCaller(service, 'ada');
    expect(await ada.call(1, 'of ada')).toContain('of ada');
    const headers = { 'Mcp-Session-Id': ada.sessionId };
    const message = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    const stolen = await post({ url: service.url, token: service.tokenOf('bob') }, message, headers);
    expect(stolen.status).toBe(404);
    const own = await post({ url: service.url, token: service.tokenOf('ada') }, message, headers);
    expect(own.status).toBe(200);
    for (const method of ['GET', 'DELETE']) {
      const authorization = `Bearer ${service.tokenOf('bob')}`;
      const answer = await fetch(service.url, {
        method,
        headers: { ...headers, authorization, Accept: 'text/event-stream' },
      });
      expect(answer.status).toBe(404);
    }
    expect(await ada.call(3, 'still there')).toContain('still there');
  });

  test('a token of one user never opens the servers of another, however often they alternate on one connection', async () => {
    const service = await startTeamService({
      servers: { who: { ...fixture(), env: { WHO: '${claim:email}' } } },
      auth: { claims: ['email'] },
    });
    const callers = await Promise.all(
      ['ada', 'bob'].map((subject) => legacyCaller(service, subject, { email: `${subject}@example.com` })),
    );
    for (let round = 0; round < 20; round++)
      for (const caller of callers)
        expect(await caller.call(round, '', 'who', 'env')).toContain(`${caller.subject}@example.com`);
  });

  test.each(eras)('a kept result and a link of one %s user are unknown to another', async (era) => {
    const service = await startTeamService({ servers: { echo: fixture() } });
    const [ada, bob] = [await service.connect('ada', era), await service.connect('bob', era)];
    const of = (id: string) => ({ tool: { toolbox: 'dev', server: 'echo', name: 'lines' }, result: { of: id } });
    const kept = await ada.call('use_tool', {
      ...of('r1'),
      arguments: { count: 500 },
      result: { max: 200 },
    });
    expect(JSON.stringify(kept)).toContain('r1');
    expect(textOf(await ada.call('use_tool', of('r1')))).toContain('line 1 ');
    expect(textOf(await bob.call('use_tool', of('r1')))).toContain("Result 'r1' is no longer kept");
    const link = { type: 'resource_link', uri: 'test://secret', name: 'of ada' };
    await ada.use('dev', 'echo', 'result', { content: [link] });
    await expect(bob.request('resources/read', { uri: 'test://secret' })).rejects.toThrow(/not found|unknown/i);
  });
});

test('a server that names a claim is unavailable to a user whose token does not have it, and the reason names the claim', async () => {
  const service = await startTeamService({
    servers: { mail: { ...fixture(), env: { EMAIL: '${claim:email}' } } },
    auth: { claims: ['email'] },
  });
  const ada = await legacyCaller(service, 'ada', { email: 'a\r\nb: c' });
  expect(await ada.call(1, 'x', 'mail')).toContain("claim 'email'");
  const bob = await legacyCaller(service, 'bob', { email: 'bob@example.com' });
  expect(await bob.call(1, 'x', 'mail')).toContain('x');
});

test('the token of a request is in no environment, file, log or error', async () => {
  const service = await startTeamService({ servers: { echo: fixture() } });
  const tokens: string[] = [];
  for (let at = 0; at < 25; at++) {
    const subject = `user-${at % 3}`;
    const token = service.tokenOf(subject, { jti: `canary-${at}` });
    tokens.push(token);
    const caller = await legacyCaller(service, subject, {}, token);
    expect(await caller.call(1, 'x', 'echo', 'env')).not.toContain(token);
  }
  for (let at = 0; at < 25; at++) {
    // One character of the signature is wrong.
    const bad = service.tokenOf('ada', { jti: `bad-${at}` }).replace(/.{4}$/, 'AAAA');
    tokens.push(bad);
    const answer = await post({ url: service.url, token: bad }, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(answer.status).toBe(401);
    expect(JSON.stringify([...answer.headers]) + (await answer.text())).not.toContain(bad);
  }
  service.kill('SIGTERM');
  await service.exited;
  const written = filesBelow(service.home).map((file) => readFileSync(file, 'latin1'));
  const everything = [service.stderr(), ...written].join('\n');
  const leaked = tokens.filter((token) =>
    token.split('.').some((part) => part.length > 30 && everything.includes(part) && !isHeader(part)),
  );
  expect(leaked).toEqual([]);
  expect(written.length).toBeGreaterThan(0);
});

test('a user with as many servers as allowed starts no more, and others still do', async () => {
  const service = await startTeamService({
    servers: { one: fixture(), two: fixture() },
    http: { limits: { processesPerUser: 1 } },
  });
  const [ada, bob] = [await service.connect('ada', 'v2 legacy'), await service.connect('bob', 'v2 legacy')];
  expect((await ada.use('dev', 'one', 'echo', {})).isError).toBeUndefined();
  const refused = await ada.use('dev', 'two', 'echo', {});
  expect(textOf(refused)).toContain('the limit is 1 (http.limits.processesPerUser)');
  expect((await bob.use('dev', 'two', 'echo', {})).isError).toBeUndefined();
});

test('a service for a team names its issuer in its metadata, and refuses a request without a token before anything is started', async () => {
  const service = await startTeamService({ servers: { echo: fixture() } });
  await untilHolds(async () => expect((await fetch(service.url.replace('/mcp', '/readyz'))).status).toBe(200));
  const metadata = await fetch(service.url.replace('/mcp', '/.well-known/oauth-protected-resource/mcp'));
  expect(await metadata.json()).toMatchObject({ authorization_servers: [service.issuer.url] });
  const answer = await post(service, { jsonrpc: '2.0', id: 1, method: 'ping' });
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toContain('resource_metadata=');
  expect(processesWith(service.marker)).toHaveLength(1);
});

/** The header of a token is the same in all. */
function isHeader(part: string): boolean {
  return part.startsWith('eyJ') && Buffer.from(part, 'base64url').toString().includes('"alg"');
}

function filesBelow(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** A client without a library: it says which id its requests have. */
async function legacyCaller(
  service: TeamService,
  subject: string,
  claims: Readonly<Record<string, unknown>> = {},
  token = service.tokenOf(subject, claims),
) {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const began = await post({ url: service.url, token }, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  const sessionId = began.headers.get('mcp-session-id') ?? '';
  return {
    subject,
    sessionId,
    async call(id: number, text: string, server = 'echo', name = 'echo'): Promise<string> {
      const tool = { toolbox: 'dev', server, name };
      const sent = { name: 'use_tool', arguments: { tool, arguments: { text } }, _meta: { progressToken: id } };
      const message = { jsonrpc: '2.0', id, method: 'tools/call', params: sent };
      const answer = await post({ url: service.url, token }, message, { 'Mcp-Session-Id': sessionId });
      return answer.text();
    },
  };
}
