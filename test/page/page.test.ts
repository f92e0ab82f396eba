// @module-tag slow
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { socketDirectory } from '../../src/platform/sockets/socket-directory.js';
import { configKey, newName } from '../../src/platform/sockets/socket-names.js';
import { createHome, marked } from '../support/homes.js';
import { runnerOf } from '../support/hosts.js';
import { startCanary } from '../support/http-servers.js';
import { temporaryDirectory } from '../support/launch.js';
import { devHome, followPage, startPage } from '../support/page.js';
import { linuxOnly, posixOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { beginSession } from '../support/sessions.js';
import { call, ending, shareSessions } from '../support/shared.js';
import { until, untilHolds } from '../support/until.js';
import { modern, startWorkbench } from '../support/workbench.js';

posixOnly('looks for sockets in a directory');

const secret = 'canary-Z9x8w7v6u5';
const use = (server: string, name = 'echo', args: object = { text: 'x' }) => ({
  name: 'use_tool',
  arguments: { tool: { toolbox: 'dev', server, name }, arguments: args },
});

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
    expect(seen.board().begin.map(({ command }) => command)).toEqual([
      'mcp-workbench init',
      expect.stringMatching(/^mcp-workbench add .+/),
    ]);
  });

  test('shows a start, calls with their sizes, a failure and sleep, without arguments and results', async () => {
    const home = devHome({ any: { ...fixture(), env: { ...marked, TOKEN: secret }, idleTimeoutMs: 500 } });
    const page = await startPage(home.env);
    const seen = await followPage(page);
    const workbench = startWorkbench({ env: home.env });
    await beginSession(workbench, use('any', 'echo', { text: 'an-argument'.repeat(100) }));
    await until(() => seen.server('dev', 'any')?.lives[0]?.ready, { what: 'a start' });
    await workbench.request('tools/call', use('any', 'rpc_error', { code: -32_000, message: `no ${secret}\nat x` }));
    const content = [{ type: 'text', text: `bad key ${secret}\nat x` }];
    await workbench.request('tools/call', use('any', 'result', { isError: true, content }));
    await until(() => seen.calls().length === 3, { what: 'three calls' });
    expect(seen.calls()).toMatchObject([
      { client: 'raw', toolbox: 'dev', server: 'any', tool: 'echo', outcome: 'ok' },
      { tool: 'rpc_error', outcome: 'failed', code: 'CALL_FAILED', reason: expect.stringMatching(/: no \*\*\*$/) },
      { tool: 'result', outcome: 'error', reason: 'bad key ***' },
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

  test.each([
    ['legacy', 'through the host', {}],
    ['modern', 'through the host', {}],
    ['legacy', 'without a host', { alone: true }],
    ['modern', 'without a host', { alone: true }],
  ] as const)('shows how much of a result a %s client got, %s, and nothing of it', async (era, _, launch) => {
    const home = devHome({ any: { ...fixture(), env: marked } });
    const workbench = startWorkbench({ env: home.env, ...launch });
    const clientInfo = { name: 'claude-code', version: '1' };
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    if (era === 'legacy') await workbench.request('initialize', hello);
    const chars = async (name: string, args: object | undefined, result?: object) => {
      const tool = { toolbox: 'dev', server: 'any', name };
      const params = { name: 'use_tool', arguments: { tool, arguments: args, result } };
      const sent = era === 'legacy' ? params : modern(params, {}, {}, 'claude-code');
      const { result: got } = await workbench.request('tools/call', sent);
      const content: unknown = got?.['content'];
      if (!Array.isArray(content)) throw new Error(JSON.stringify(got));
      return content.reduce((sum: number, { text }) => sum + String(text).length, 0);
    };
    const outline = await chars('issues', { count: 212 });
    const selected = await chars('issues', { count: 30 }, { select: '[].title' });
    await chars('issues', { count: 3 });
    // Nothing is called.
    await chars('issues', undefined, { of: 'r1', select: 'length(@)' });
    const expected = [outline, selected, undefined];
    const seen = await followPage(await startPage(home.env));
    await untilHolds(() => expect(seen.calls().map(({ shown }) => shown)).toEqual(expected));
    expect(seen.calls()[0]?.received).toBeGreaterThan(180_000);
    expect(outline).toBeLessThan(3_000);
    const later = await chars('issues', { count: 212 }, { find: 'timeout' });
    await untilHolds(() => expect(seen.calls().map(({ shown }) => shown)).toEqual([...expected, later]));
    for (const word of ['length(@)', '[].title', 'Question about', 'timeout']) expect(seen.text()).not.toContain(word);
  });

  test('shows a call that runs, its last progress without secrets, and its id until it has ended', async () => {
    const home = devHome({ any: { ...fixture(), env: { ...marked, TOKEN: secret } } });
    const seen = await followPage(await startPage(home.env));
    const workbench = startWorkbench({ env: home.env });
    const file = join(temporaryDirectory(), 'there');
    const called = beginSession(workbench, use('any', 'wait_for', { file, say: `with ${secret}` }));
    await until(() => seen.board().running[0]?.progress, { what: 'progress of a running call' });
    expect(seen.board().running).toEqual([
      {
        ...{ id: `${runnerOf(workbench)}-1`, toolbox: 'dev', server: 'any', tool: 'wait_for', client: 'raw' },
        ...{ since: expect.any(Number), progress: 'with *** (value of TOKEN)' },
      },
    ]);
    writeFileSync(file, '');
    await called;
    await until(() => seen.board().running.length === 0, { what: 'a board without calls' });
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
    // It comes in several messages.
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
    expect(seen.board().problems[0]).toMatch(/mcpServers is missing/);
    expect(seen.server('dev', 'any')).toBeDefined();
    writeFileSync(home.config, good.replaceAll('"any"', '"other"'));
    await until(() => seen.server('dev', 'other') !== undefined);
    expect(seen.board().problems).toEqual([]);
  });
});
