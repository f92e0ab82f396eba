import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../support/commands.js';
import { devToolbox } from '../support/configs.js';
import { connectHttp, type RunningService, startService } from '../support/http-service.js';
import { startIssuer } from '../support/issuer.js';
import { linuxOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { until, untilHolds } from '../support/until.js';

const audience = 'workbench';

function commandsFor(service: RunningService) {
  return (...args: string[]) => runCommand(args, { env: { HOME: service.home } });
}

type Process = Record<string, unknown> & { sessions: Record<string, unknown>[]; servers: Record<string, unknown>[] };

async function seenBy(service: RunningService): Promise<Process | undefined> {
  const { stdout } = await commandsFor(service)('ps', '--json');
  const { processes }: { processes: (Process & { pid: number })[] } = JSON.parse(stdout);
  // On a busy machine it may not answer in time.
  return processes.find(({ pid, kind }) => pid === service.pid && kind === 'service');
}

/** The same, once it has so many sessions. */
function seenWith(sessions: number, service: RunningService): Promise<Process> {
  const look = async () => {
    const seen = await seenBy(service);
    return seen?.sessions.length === sessions && seen;
  };
  return until(look, { what: `${sessions} sessions` });
}

/** What `ps` prints, once it has this in it. */
async function screenWith(text: string, service: RunningService): Promise<string> {
  const screen = async () => {
    const { stdout } = await commandsFor(service)('ps');
    return stdout.includes(text) && stdout;
  };
  return until(screen, { what: text });
}

describe('a service of one person', () => {
  test('is in ps before its first call, then with its session, and no longer after its end', async () => {
    linuxOnly('SIGTERM');
    const service = await startService({ config: devToolbox({ echo: fixture() }) });
    expect(await seenWith(0, service)).toMatchObject({ kind: 'service', url: service.url, sessions: [], servers: [] });
    const agent = await connectHttp(service, 'v2 legacy');
    await agent.use('dev', 'echo', 'echo', { text: 'hi' });
    const seen = await seenWith(1, service);
    expect(seen).toMatchObject({
      sessions: [{ user: 'local', client: { name: expect.any(String) } }],
      servers: [{ toolbox: 'dev', server: 'echo', pid: expect.any(Number), sessions: [seen.sessions[0]?.['id']] }],
    });
    const screen = await screenWith(`Service ${service.pid} at ${service.url}, 1 session, 1 server, up `, service);
    expect(screen).toMatch(/session +http +\S.* local /);
    await agent.close();
    service.kill('SIGTERM');
    await service.exited;
    expect(await seenBy(service)).toBeUndefined();
  });

  test('has servers that list shows as awake', async () => {
    const service = await startService({ config: devToolbox({ echo: fixture() }) });
    const agent = await connectHttp(service, 'v2 modern');
    await agent.use('dev', 'echo', 'echo', { text: 'hi' });
    const list = async () => {
      const { stdout } = await commandsFor(service)(
        'list',
        '--json',
        '--config',
        join(service.dir, 'workbench-config.json'),
      );
      return JSON.parse(stdout).toolboxes[0].servers[0];
    };
    await untilHolds(async () => expect(await list()).toMatchObject({ name: 'echo', state: 'awake' }));
    await agent.close();
  });

  test('is not ended by stop, which names the signal that does', async () => {
    const service = await startService({ config: devToolbox({ echo: fixture() }) });
    await seenWith(0, service);
    const stop = commandsFor(service);
    await untilHolds(async () => {
      const { code, stderr } = await stop('stop', String(service.pid));
      expect([code, stderr]).toEqual([2, expect.stringContaining(`kill ${service.pid}`)]);
    });
    await untilHolds(async () => {
      const { code, stdout } = await stop('stop');
      expect([code, stdout]).toEqual([0, expect.stringContaining(`Service ${service.pid} over HTTP runs on`)]);
    });
    await seenWith(0, service);
  });
});

describe('a service with an issuer', () => {
  async function team() {
    const issuer = await startIssuer();
    const http = { auth: { issuer: issuer.url, audience } };
    const service = await startService({ config: { ...devToolbox({ echo: fixture() }), http } });
    const tokenOf = (sub: string) => issuer.token({ claims: { sub, aud: audience } });
    const agentOf = (sub: string) => connectHttp(service, 'v2 legacy', { token: tokenOf(sub) });
    return { service, agentOf };
  }

  test('shows the users of its sessions and processes by the first digits of their keys', async () => {
    const { service, agentOf } = await team();
    for (const name of ['ada', 'bob']) await (await agentOf(name)).use('dev', 'echo', 'echo', { text: name });
    const seen = await seenWith(2, service);
    const users = seen.sessions.map(({ user }) => String(user));
    expect(new Set(users).size).toBe(2);
    for (const user of users) expect(user).toMatch(/^[\da-f]{8}$/);
    expect(seen.servers).toHaveLength(2);
    const screen = await screenWith(`at ${service.url}, 2 users, 2 sessions, 2 servers, up `, service);
    for (const user of users) expect(screen).toMatch(new RegExp(`server +\\d+ +dev echo +for user ${user}$`, 'm'));
  });

  test('keeps logs of each user apart, and logs --user shows those of one', async () => {
    const { service, agentOf } = await team();
    await (await agentOf('ada')).use('dev', 'echo', 'echo', { text: 'x' });
    const user = String((await seenWith(1, service)).sessions[0]?.['user']);
    const run = commandsFor(service);
    const logs = async () => JSON.parse((await run('logs', 'dev', 'echo', '--user', user, '--json')).stdout);
    await untilHolds(async () => expect((await logs()).lines.length).toBeGreaterThan(0));
    expect((await logs()).file).toMatch(new RegExp(`/users/${user}[\\da-f]{24}/.*/dev/echo\\.log$`));
    const unknown = await run('logs', '--user', 'fffffff');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining(`There are: ${user}`)]);
    const escaping = await run('logs', '--user', '../..');
    expect([escaping.code, escaping.stderr]).toEqual([2, expect.stringContaining("No user '../..'")]);
  });
});
