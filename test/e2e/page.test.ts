import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { socketDirectory } from '../../src/platform/sockets/socket-directory.js';
import { configKey, newName } from '../../src/platform/sockets/socket-names.js';
import { connectAgent, text } from '../support/agents.js';
import { runCommand } from '../support/commands.js';
import type { ServerEntry } from '../support/configs.js';
import { createHome, marked } from '../support/homes.js';
import { runnerOf } from '../support/hosts.js';
import { startCanary } from '../support/http-servers.js';
import { temporaryDirectory } from '../support/launch.js';
import { ask, followPage, type RunningPage, startPage } from '../support/page.js';
import { linuxOnly, posixOnly } from '../support/platform.js';
import { fixture, fixtureWith } from '../support/servers.js';
import { beginSession } from '../support/sessions.js';
import { call, ending, shareSessions } from '../support/shared.js';
import { until, untilHolds } from '../support/until.js';
import { startWorkbench } from '../support/workbench.js';

posixOnly('looks for sockets in a directory');

const secret = 'canary-Z9x8w7v6u5';
const use = (server: string, name = 'echo', args: object = { text: 'x' }) => ({
  name: 'use_tool',
  arguments: { tool: { toolbox: 'dev', server, name }, arguments: args },
});
const devHome = (mcpServers: Record<string, ServerEntry>) =>
  createHome({ toolboxes: { dev: { description: 'For tests', mcpServers } } });
const authorized = ({ token }: RunningPage) => ({ Authorization: `Bearer ${token}` });

describe('the page', () => {
  test('starts nothing, writes nothing, and shows what is configured without a session', async () => {
    const canary = await startCanary();
    const log = `${temporaryDirectory()}/log`;
    const home = devHome({
      any: fixture('--log', log),
      remote: { url: canary.url },
      off: { ...fixture(), disabled: true },
    });
    const page = await startPage(home.env);
    const seen = await followPage(page);
    expect(seen.board()).toMatchObject({ config: home.config, sessions: [], problems: [] });
    expect(seen.board().startTokens).toBeGreaterThan(100);
    expect(['any', 'remote', 'off'].map((server) => seen.server('dev', server)?.state)).toEqual([
      'unknown',
      'unknown',
      'disabled',
    ]);
    expect(() => readFileSync(log)).toThrow('ENOENT');
    expect(canary.connections()).toBe(0);
    expect((await home.run('list')).code).toBe(0);
    page.kill('SIGINT');
    expect(await page.exited).toBe(0);
  });

  test('without a configuration says where it goes and how to begin', async () => {
    const home = createHome();
    const page = await startPage(home.env);
    const seen = await followPage(page);
    expect(seen.board()).toMatchObject({ config: null, expected: home.config, toolboxes: [] });
    expect(seen.board().begin.length).toBeGreaterThan(0);
  });

  test('shows a start, calls with their sizes, a failure and sleep, without arguments and results', async () => {
    const home = devHome({ any: { ...fixture(), env: { ...marked, TOKEN: secret }, idleTimeoutMs: 500 } });
    const page = await startPage(home.env);
    const seen = await followPage(page);
    const workbench = startWorkbench({ env: home.env });
    await beginSession(workbench, use('any', 'echo', { text: 'an-argument'.repeat(100) }));
    await until(() => seen.server('dev', 'any')?.lives[0]?.ready, { what: 'a start' });
    await workbench.request('tools/call', use('any', 'rpc_error', { code: -32_000, message: 'no' }));
    await until(() => seen.calls().length === 2, { what: 'two calls' });
    expect(seen.calls()).toMatchObject([
      { client: 'raw', toolbox: 'dev', server: 'any', tool: 'echo', outcome: 'ok' },
      { tool: 'rpc_error', outcome: 'failed', code: 'CALL_FAILED' },
    ]);
    const [echo] = seen.calls();
    expect(echo?.sent).toBeGreaterThan(1_100);
    expect(echo?.received).toBeGreaterThan(1_100);
    await until(() => seen.server('dev', 'any')?.state === 'asleep', { what: 'a server that sleeps' });
    const [life] = seen.server('dev', 'any')?.lives ?? [];
    expect(life?.ready).toBeGreaterThanOrEqual(life?.from ?? Number.NaN);
    expect(life?.to).toBeGreaterThan(life?.ready ?? Number.NaN);
    await until(() => seen.tools().some(({ name }) => name === 'echo'), { what: 'the tools' });
    await untilHolds(() => expect(seen.board().sessions).toMatchObject([{ client: 'raw', pid: runnerOf(workbench) }]));
    expect(seen.text()).not.toContain('an-argument');
    expect(seen.text()).not.toContain(secret);
  });

  test('opened later, shows what happened before, and the memory of servers', async () => {
    linuxOnly('reads /proc');
    const home = devHome({ any: { ...fixture(), env: marked } });
    const workbench = startWorkbench({ env: home.env });
    await beginSession(workbench, use('any'));
    for (let more = 0; more < 3; more++) await workbench.request('tools/call', use('any'));
    const seen = await followPage(await startPage(home.env));
    await until(() => seen.calls().length === 4, { what: 'calls' });
    await untilHolds(() => {
      const server = seen.server('dev', 'any');
      expect(server).toMatchObject({ state: 'awake', processes: 1, clients: ['raw'] });
      expect(server?.memory).toBeGreaterThan(10_000_000);
      expect(server?.lives).toHaveLength(1);
    });
  });

  test('shows sessions of one configuration only, several of them together', async () => {
    const entry = { ...fixture(), env: marked };
    const [home, other] = [devHome({ any: entry }), devHome({ any: entry })];
    const [one, two, foreign] = [home, home, other].map(({ env }) => startWorkbench({ env }));
    if (one === undefined || two === undefined || foreign === undefined) throw new Error('three were started');
    await Promise.all([one, two, foreign].map((workbench) => beginSession(workbench, use('any'))));
    const seen = await followPage(await startPage(home.env));
    await untilHolds(() => {
      expect(seen.server('dev', 'any')?.processes).toBe(2);
      expect(seen.board().sessions).toHaveLength(2);
      expect(seen.calls()).toHaveLength(2);
    });
    one.kill('SIGKILL');
    await untilHolds(() => {
      const server = seen.server('dev', 'any');
      expect(server?.processes).toBe(1);
      const lives = server?.lives ?? [];
      expect(lives.filter(({ to }) => to === undefined)).toHaveLength(1);
      expect(lives).toHaveLength(2);
    });
    // What it did stays as long as the page.
    expect(seen.calls()).toHaveLength(2);
  });

  test('leaves the sessions of other configurations alone', async () => {
    const home = devHome({ any: fixture() });
    const watched: string[] = [];
    for (const config of [home.config, '/another/configuration.json']) {
      const server = createServer((socket) => {
        socket
          .on('error', () => {})
          .once('data', (line) => {
            // The commands of other tests ask every process of this user, but watch none.
            if (line.includes('"watch"')) watched.push(config);
            socket.destroy();
          });
      });
      server.listen(join(socketDirectory(), newName(config)));
      await once(server, 'listening');
      onTestFinished(() => void server.close());
    }
    const seen = await followPage(await startPage(home.env));
    // Each look connects to it anew.
    await until(() => watched.filter((config) => config === home.config).length >= 2, { what: 'two looks' });
    expect(new Set(watched)).toEqual(new Set([home.config]));
    seen.close();
  });

  test('shows sessions in a host, which share a process, and what one did that is over', async () => {
    const shared = shareSessions({ toolboxes: { dev: { description: 'For tests', mcpServers: { any: fixture() } } } });
    const [one, two] = [await shared.start(), await shared.start()];
    for (const session of [one, two, two]) await call(session, 'echo');
    const page = await startPage({}, ['--no-browser', '--config', shared.file]);
    const seen = await followPage(page);
    await until(() => seen.calls().length === 3 && seen.board().sessions.length === 2, { what: 'both sessions' });
    // It is told in several messages.
    const shown = (which: typeof seen, clients: string[]) =>
      untilHolds(() => expect(which.server('dev', 'any')).toMatchObject({ state: 'awake', processes: 1, clients }));
    await shown(seen, ['raw', 'raw']);
    one.end();
    await one.exited;
    await until(() => seen.board().sessions.length === 1, { what: 'one session' });
    expect(seen.calls()).toHaveLength(3);
    // One that is opened only now sees the same.
    const later = await followPage(await startPage({}, ['--no-browser', '--config', shared.file]));
    await until(() => later.calls().length === 3, { what: 'the calls of before' });
    await shown(later, ['raw']);
    two.end();
    await until(() => later.board().sessions.length === 0, { what: 'no session' });
    await ending(shared, [one, two]);
  });

  test('says in one line which session does not answer, and which is of another version', async () => {
    const home = devHome({ any: { ...fixture(), env: marked } });
    const seen = await followPage(await startPage(home.env));
    const workbench = startWorkbench({ env: home.env });
    await beginSession(workbench, use('any'));
    await until(() => seen.board().sessions.length === 1);
    const runner = runnerOf(workbench);
    process.kill(runner, 'SIGSTOP');
    try {
      const silent = `Session ${runner} does not answer: its process is stopped or busy.`;
      await until(() => seen.board().problems.includes(silent), { what: 'the line' });
      expect(seen.server('dev', 'any')?.state).toBe('silent');
    } finally {
      process.kill(runner, 'SIGCONT');
    }
    await until(() => seen.board().problems.length === 0 && seen.server('dev', 'any')?.state === 'awake');
    const newer = createServer((socket) => void socket.on('error', () => {}).end('{"workbench":2}\n'));
    const name = newName(home.config).replace(/-\d+-([\da-f]+)\.sock$/, '-77-$1.sock');
    expect(name).toContain(configKey(home.config));
    newer.listen(join(socketDirectory(), name));
    onTestFinished(() => void newer.close());
    await untilHolds(() =>
      expect(seen.board().problems).toEqual([expect.stringMatching(/^Session 77 is of another version/)]),
    );
  });

  test('follows edits of the configuration, and keeps the last one that could be read', async () => {
    const home = devHome({ any: fixture() });
    const seen = await followPage(await startPage(home.env));
    const good = readFileSync(home.config, 'utf8');
    writeFileSync(home.config, '{"toolboxes": {"dev": {}}}');
    await until(() => seen.board().problems.length === 1);
    expect(seen.board().problems[0]).toMatch(/description is missing/);
    expect(seen.server('dev', 'any')).toBeDefined();
    writeFileSync(home.config, good.replaceAll('"any"', '"other"'));
    await until(() => seen.server('dev', 'other') !== undefined);
    expect(seen.board().problems).toEqual([]);
  });

  test('answers a search with what an agent reads, to the letter', async () => {
    const tools = ['create_issue', 'list_issues', 'delete_file'].map((name) => ({
      name,
      description: `It can ${name.replace('_', ' ')}s of a project.`,
      inputSchema: { type: 'object', properties: { id: { type: 'string', description: 'Which one' } } },
    }));
    const list = `${temporaryDirectory()}/tools.json`;
    writeFileSync(list, JSON.stringify(['old_tool']));
    const home = devHome({
      any: { ...fixtureWith(tools), env: marked, deny: ['delete_*'], ask: ['create_*'] },
      more: { ...fixture(), env: marked },
      locked: { ...fixture('--tools-file', list), env: marked, lock: 'strict' },
    });
    expect((await home.run('tools', 'dev', 'locked')).stdout).toContain('old_tool');
    // From now on it lists a tool that nobody has approved.
    writeFileSync(list, JSON.stringify(['old_tool', 'create_new_tool']));
    const agent = await connectAgent('v2 modern', { env: home.env });
    const page = await startPage(home.env);
    const search = async (toolbox: string, query: string) => {
      const { body } = await ask(
        page,
        `/api/search?${new URLSearchParams({ toolbox, query }).toString()}`,
        authorized(page),
      );
      return JSON.parse(body);
    };
    const queries = ['create an issue', 'file', 'create new tool', 'nothing of this', ''];
    for (const query of queries) {
      const read = text(await agent.call('open_toolbox', { toolbox: 'dev', ...(query && { query }) }));
      await until(async () => (await search('dev', query)).text === read, { what: `the answer to '${query}'` });
    }
    const one = await search('dev', 'create an issue');
    expect(one).toMatchObject({ isError: false, tokens: expect.any(Number) });
    const wrong = await search('dve', 'x');
    expect(wrong).toMatchObject({
      isError: true,
      text: text(await agent.call('open_toolbox', { toolbox: 'dve', query: 'x' })),
    });
  });

  test('shows the masked and printable end of a log, and of no other file', async () => {
    const { command = '', args = [] } = fixture();
    // Not as an argument of it: those are masked as well.
    const script = String.raw`printf '\033[31mred\033[0m %s\n' "$TOKEN" >&2; exec "$@"`;
    const env = { ...marked, TOKEN: secret };
    const home = devHome({ any: { command: 'sh', args: ['-c', script, 'sh', command, ...args], env } });
    const workbench = startWorkbench({ env: home.env });
    await beginSession(workbench, use('any'));
    const page = await startPage(home.env);
    const log = async (toolbox: string, server: string) =>
      (await ask(page, `/api/log?${new URLSearchParams({ toolbox, server }).toString()}`, authorized(page))).body;
    await until(async () => (await log('dev', 'any')).includes('red'), { what: 'the line' });
    const lines = await log('dev', 'any');
    expect(lines).not.toContain(secret);
    expect(lines).not.toContain('u001b');
    for (const [toolbox, server] of [
      ['..', 'workbench'],
      ['dev', '../../etc/passwd'],
      ['dev', '__proto__'],
    ] as const)
      expect(JSON.parse(await log(toolbox, server))).toEqual({ lines: null });
  });
});

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
  test.each<[string, string, (page: RunningPage) => Record<string, string>, number]>([
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
  ])('%s', async (_, path, headers, status) => {
    const page = await startPage(devHome({ any: fixture() }).env);
    const answer = await ask(page, path, headers(page));
    expect([answer.status, answer.body]).toEqual([status, '']);
    expect(Object.keys(answer.headers).filter((name) => /^access-control|set-cookie/.test(name))).toEqual([]);
    for (const method of ['OPTIONS', 'POST', 'HEAD'])
      expect(await ask(page, path, headers(page), method)).toMatchObject({
        status: status === 421 || status === 403 ? status : 405,
        body: '',
      });
  });

  test('those that name no host, send too much, or send nothing, and answers others soon after', async () => {
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

describe('the command', () => {
  async function taken(): Promise<{ readonly server: Server; readonly port: number }> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const address = server.address();
    return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
  }

  test('takes the next port if the first is taken, but not if one was named', async () => {
    const home = devHome({ any: fixture() });
    const [first, second] = [await startPage(home.env), await startPage(home.env)];
    expect(first.port).not.toBe(second.port);
    const { port } = await taken();
    const { code, stdout, stderr } = await home.run('page', '--no-browser', '--port', String(port));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toContain(`Port ${port} cannot be used`);
  });

  test.each(['0', '65536', 'x', '1.5'])('refuses the port %j', async (port) => {
    const { code, stderr } = await devHome({ any: fixture() }).run('page', '--port', port);
    expect([code, stderr.includes('--port needs a number')]).toEqual([2, true]);
  });

  test('ends if Ctrl-C comes while it is being started', async () => {
    const home = devHome({ any: fixture() });
    const script = `import net from 'node:net';
      const { listen } = net.Server.prototype;
      net.Server.prototype.listen = function (...args) { process.emit('SIGINT'); return listen.apply(this, args); };`;
    const env = { ...home.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
    expect(await runCommand(['page', '--no-browser'], { env })).toMatchObject({ code: 0, stdout: '' });
  });

  test('of a test ends with the process that started it', async () => {
    const page = await startPage(devHome({ any: fixture() }).env);
    page.disown();
    expect(await page.exited).toBe(1);
  });

  test('ends with the faults of a configuration', async () => {
    expect((await createHome('{').run('page', '--no-browser')).code).toBe(3);
  });

  test('opens the browser with the address, and says in one line if there is none', async () => {
    linuxOnly('other systems have another program for it');
    const home = devHome({ any: fixture() });
    const bin = temporaryDirectory();
    const opened = join(bin, 'opened');
    mkdirSync(join(bin, 'empty'));
    const script = join(bin, 'xdg-open');
    writeFileSync(script, `#!/bin/sh\nprintf %s "$1" > ${opened}\n`);
    chmodSync(script, 0o755);
    const env = { ...home.env, DISPLAY: ':9', PATH: `${bin}:/usr/bin:/bin` };
    const page = await startPage(env, []);
    expect(await until(() => readFileSync(opened, 'utf8') || undefined)).toBe(page.address);
    const line = 'No browser could be opened: open the address above.';
    symlinkSync('/bin/false', join(bin, 'empty', 'xdg-open'));
    for (const none of [
      { ...env, PATH: join(bin, 'empty') },
      { ...home.env, DISPLAY: '' },
      { ...env, SSH_TTY: '/dev/pts/1' },
    ]) {
      const other = await startPage(none, []);
      await until(() => other.stderr().includes(line), { what: 'the line' });
      expect(other.stderr().split(line)).toHaveLength(2);
    }
  });
});
