import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { text } from '../support/agents.js';
import { createAuthUser, holdsSecret, logIn, secretPattern } from '../support/auth-user.js';
import { type Authorization, startAuthorization } from '../support/authorization.js';
import { devToolbox } from '../support/configs.js';
import { startHttpServer } from '../support/http-servers.js';
import { connectAgent } from '../support/in-process.js';
import { temporaryDirectory } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';

const userOf = (server: Authorization, oauth: object = {}) =>
  createAuthUser(devToolbox({ linear: { ...server.entry, oauth }, files: fixture() }));

describe('logins', () => {
  linuxOnly('terminals are made by script of util-linux');

  test('are listed with issuer, scopes and age, and without tokens; so are servers that need one', async () => {
    const [server, other] = await Promise.all([startAuthorization(), startAuthorization()]);
    const open = await startHttpServer('sdk');
    const ran = join(temporaryDirectory(), 'ran');
    const user = createAuthUser(
      devToolbox({
        linear: server.entry,
        'my server': other.entry,
        docs: { url: open.url },
        gone: { url: 'http://127.0.0.1:9/mcp' },
        late: { url: 'http://${HOST}/mcp', envCommand: ['touch', ran] },
        unset: { url: '${NOWHERE}' },
        files: fixture(),
        // Neither of these is remote, whatever else is wrong with it.
        program: { ...fixture(), envCommand: ['touch', ran] },
        broken: { ...fixture(), env: { TOKEN: '${NOWHERE}' } },
        off: { url: 'http://127.0.0.1:9/mcp', disabled: true },
      }),
    );
    await logIn(server, user, 'dev', 'linear');
    const { code, stdout, stderr } = await user.run();
    expect([code, stderr]).toEqual([0, '']);
    const command = `mcp-workbench auth dev 'my server' --config ${user.config}`;
    expect(stdout.trimEnd().split('\n')).toEqual([
      `dev linear       ok ${server.issuer}  read  just now`,
      expect.stringMatching(/^dev 'my server' {2}! needs a login +mcp-workbench auth dev 'my server' --config \S+$/),
      `dev docs         ok needs no login`,
      `dev gone         ? does not answer`,
      expect.stringMatching(/^dev late {9}\? not asked: its envCommand has not run +mcp-workbench auth dev late/),
      expect.stringMatching(/^dev unset {8}x .*NOWHERE/),
    ]);
    const json = await user.run('--json');
    expect(JSON.parse(json.stdout).servers.slice(0, 3)).toEqual([
      {
        ...{ toolbox: 'dev', server: 'linear', state: 'authorized', issuer: server.issuer, scopes: ['read'] },
        ...{ since: expect.any(String), expires: expect.any(String), renewable: true },
      },
      { toolbox: 'dev', server: 'my server', state: 'needed', next: command },
      { toolbox: 'dev', server: 'docs', state: 'none' },
    ]);
    expect(stdout + json.stdout).not.toMatch(secretPattern);
    expect(existsSync(ran)).toBe(false);
  });

  test('that are over, rejected or not for people are listed as such', async () => {
    const server = await startAuthorization({ refreshTokens: false, expiresInSeconds: 1 });
    const key = { ...server.entry, headers: { Authorization: 'Bearer of-yesterday' } };
    const oauth = { clientId: 'robot', clientSecret: 'a-secret', grant: 'client_credentials' };
    const user = createAuthUser(devToolbox({ linear: server.entry, key, robot: { ...server.entry, oauth } }));
    await logIn(server, user, 'dev', 'linear');
    const isOver = async () => (await user.run()).stdout.includes('expired');
    await until(isOver, { what: 'the end of the token' });
    const { stdout } = await user.run();
    expect(stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        /^dev linear {2}! http\S+ {2}read {2}just now, expired +mcp-workbench auth dev linear --config \S+$/,
      ),
      'dev key     ! rejects the header Authorization of its entry    change headers.Authorization in its entry',
      'dev robot   ok gets a token by itself when it is used',
    ]);
    expect((await user.run('dev', 'key')).code).toBe(2);
  });

  test('end with --logout, also at the authorization server', async () => {
    const server = await startAuthorization();
    const user = userOf(server);
    await logIn(server, user, 'dev', 'linear');
    const out = await user.run('--logout', 'dev', 'linear');
    expect(out).toEqual({ code: 0, stdout: 'ok linear: login removed.\n', stderr: '' });
    expect(holdsSecret(user)).toBe(false);
    expect(await server.control()).toMatchObject({ accessTokens: 0, refreshTokens: 0 });
    expect((await user.run('--logout', 'dev', 'linear')).stdout).toBe('linear has no login.\n');
    expect((await user.run()).stdout).toContain('needs a login');
  });

  test('end with --logout although the authorization server is gone', async () => {
    const server = await startAuthorization();
    const user = userOf(server);
    await logIn(server, user, 'dev', 'linear');
    await server.control({ listening: false });
    expect(await user.run('--logout', 'dev', 'linear', '--json')).toMatchObject({ code: 0 });
    expect(holdsSecret(user)).toBe(false);
  });

  test('of programs need neither a terminal nor a browser', async () => {
    const clients = { robot: { secret: 'a-secret-of-a-robot', grantTypes: ['client_credentials'] } };
    const server = await startAuthorization({ clients });
    const oauth = { clientId: 'robot', clientSecret: 'a-secret-of-a-robot', grant: 'client_credentials' };
    const user = userOf(server, oauth);
    const { code, stdout, stderr } = await user.run('dev', 'linear', '--json');
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ toolbox: 'dev', server: 'linear', issuer: server.issuer });
    const wrong = userOf(server, { ...oauth, clientSecret: 'another-secret' });
    const refused = await wrong.run('dev', 'linear');
    expect([refused.code, refused.stderr.trimEnd().split('\n').length]).toEqual([1, 1]);
    expect(refused.stderr).not.toContain('another-secret');
  });

  test('are possible for servers of any name', async () => {
    const server = await startAuthorization();
    const toolboxes = new Map([['-v', { description: 'x', mcpServers: { "it's $(mine)": server.entry } }]]);
    const user = createAuthUser({ toolboxes });
    const next = JSON.parse((await user.run('--json')).stdout).servers[0].next;
    expect(next).toBe(`mcp-workbench auth --config ${user.config} -- -v 'it'\\''s $(mine)'`);
    await logIn(server, user, '--', '-v', "it's $(mine)");
    expect((await user.run()).stdout).toContain(server.issuer);
  });

  test('are used by a workbench that runs, from the next call of the agent', async () => {
    const server = await startAuthorization();
    const user = userOf(server);
    const agent = await connectAgent('v2 modern', { args: ['--config', user.config], env: user.env });
    const before = text(await agent.use('dev', 'linear', 'echo', { message: 'hello' }));
    expect(before).toContain('needs a login');
    expect(before).toContain(`mcp-workbench auth dev linear --config ${user.config}`);
    await logIn(server, user, 'dev', 'linear');
    expect(text(await agent.use('dev', 'linear', 'echo', { message: 'hello' }))).toBe('hello');
    expect(agent.stderr()).not.toMatch(secretPattern);
    await agent.close();
  });
});

test('a server whose entry turns logins off gets none: its refusal is reported, and no other server is asked', async () => {
  const server = await startAuthorization();
  const config = devToolbox({ linear: { ...server.entry, oauth: false }, files: fixture() });
  const agent = await connectAgent('v2 legacy', { config });
  expect(text(await agent.use('dev', 'linear', 'add'))).toMatch(/needs a login \(401\)$/);
  const paths = (await server.control()).log.map(({ path }) => path);
  expect(paths.filter((path) => path.includes('.well-known'))).toEqual([]);
  const user = createAuthUser(config);
  expect(await user.run('dev', 'linear')).toMatchObject({ code: 2, stderr: /linear has no login/ });
  expect((await user.run()).stdout).toMatch(/^dev linear +ok needs no login$/m);
});
