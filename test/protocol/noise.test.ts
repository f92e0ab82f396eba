// @module-tag slow
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Agent, connectAgent, opened, statsOf, text } from '../support/agents.js';
import { residentMb } from '../support/bare-client.js';
import { callLog } from '../support/call-log.js';
import { devToolbox } from '../support/configs.js';
import { endHosts, runnerOf } from '../support/hosts.js';
import * as inProcess from '../support/in-process.js';
import { temporaryDirectory } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';
import { fixture, fixtureWith } from '../support/servers.js';
import { startStopwatch } from '../support/stopwatch.js';
import { until } from '../support/until.js';
import { initialize, startWorkbench } from '../support/workbench.js';

linuxOnly('memory and processes in /proc');

const logFolder = (dir: string) => join(dir, 'home', '.local', 'state', 'mcp-workbench', 'logs', 'dev');

async function expectManyAnswers(agent: Agent, count = 30): Promise<void> {
  const calls = Array.from({ length: count }, async (_, index) =>
    text(await agent.use('dev', 'any', 'echo', { index })),
  );
  expect(await Promise.all(calls)).toEqual(Array.from({ length: count }, (_, index) => JSON.stringify({ index })));
}

describe('a server that writes', () => {
  test.each(['garbage', 'binary', 'empty', 'json', 'stranger', 'request', 'crlf', 'partial'])(
    '%s between its messages works',
    async (noise) => {
      const agent = await inProcess.connectAgent('v2 modern', {
        config: devToolbox({ any: fixture('--noise', noise) }),
      });
      expect(opened(await agent.open('dev')).servers_connected).toBe(1);
      await expectManyAnswers(agent);
    },
  );

  test.each([[[]], [['--modern']]])('all of this at once works (%j)', async (flags) => {
    const noise = 'garbage,binary,empty,json,stranger,request,crlf,partial';
    const log = callLog();
    const config = devToolbox({ any: fixture('--noise', noise, '--log', log.path, ...flags) });
    const agent = await connectAgent('v2 legacy', { config });
    await expectManyAnswers(agent);
    expect(log.methods('start')).toHaveLength(1);
  });

  test('half a line does not break later responses', async () => {
    const config = devToolbox({ any: { ...fixture(), callTimeoutMs: 3_000 } });
    const agent = await inProcess.connectAgent('v2 modern', { config });
    await agent.use('dev', 'any', 'write_stdout', { text: '{"jsonrpc":"2.0","id":' });
    // The next message is appended to it and lost; the one after is complete.
    expect(text(await agent.use('dev', 'any', 'write_stdout', { text: '\n' }))).toMatch(/no answer within|written/);
    await expectManyAnswers(agent, 5);
  });

  test('1 MB of stderr per second works, with bounded logs and a clean stdout', {
    timeout: 60_000,
  }, async () => {
    const workbench = startWorkbench({ config: devToolbox({ any: fixture('--stderr-flood', 2) }) });
    await initialize(workbench);
    const use = (args: object) => ({
      name: 'use_tool',
      arguments: { tool: { toolbox: 'dev', server: 'any', name: 'echo' }, arguments: args },
    });
    const fullLog = join(logFolder(workbench.dir), 'any.log.1');
    for (let index = 0; index < 50 || !existsSync(fullLog); index++) {
      const { result } = await workbench.request('tools/call', use({ index }));
      expect(result?.['content']).toEqual([{ type: 'text', text: JSON.stringify({ index }) }]);
    }
    workbench.end();
    await workbench.exited;
    await endHosts();
    for (const line of workbench.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(workbench.lines.join('')).not.toContain('stderr flood');
    const files = readdirSync(logFolder(workbench.dir));
    expect(['any.log', 'any.log.1']).toEqual(expect.arrayContaining(files));
    for (const file of files) expect(statSync(join(logFolder(workbench.dir), file)).size).toBeLessThan(1_500_000);
  });

  test.each([
    ['lines', `${'x'.repeat(99)}\n`],
    ['one line without an end', 'x'.repeat(100)],
  ])('400 MB of stderr, %s, keeps less than half of it in memory', { timeout: 120_000 }, async (_, piece) => {
    const agent = await connectAgent('v2 modern', { config: devToolbox({ any: fixture() }) });
    await agent.use('dev', 'any', 'echo');
    const before = residentMb(runnerOf(agent));
    for (let round = 0; round < 40; round++) {
      await agent.use('dev', 'any', 'write_stderr', { text: piece, times: 100_000 });
    }
    expect(residentMb(runnerOf(agent)) - before).toBeLessThan(200);
    const crashed = text(await agent.use('dev', 'any', 'crash', { stderr: '\nthe end' }));
    expect(crashed).toContain('the end');
    expect(crashed.length).toBeLessThan(10_000);
  });
});

describe('the log file of a server', () => {
  test('contains its stderr, its start and its end, readable by the user only', async () => {
    const agent = await connectAgent('v2 modern', { config: devToolbox({ any: fixture(), 'ü/✓': fixture() }) });
    await agent.open('dev');
    await agent.use('dev', 'any', 'write_stderr', { text: 'a line of stderr\n' });
    const { pid } = await statsOf(agent, 'dev', 'any');
    await agent.use('dev', 'any', 'crash', { with: 7 });
    await agent.use('dev', 'any', 'echo');
    const file = join(logFolder(agent.dir), 'any.log');
    const log = await until(() => {
      const content = readFileSync(file, 'utf8');
      return content.match(/ connected/g)?.length === 2 && content;
    });
    const events = [
      `started as process ${pid}`,
      'connected',
      'a line of stderr',
      'it exited with code 7',
      'started as process',
      'connected',
    ];
    expect(log).toMatch(new RegExp(events.join('[^]*')));
    for (const line of log.trimEnd().split('\n')) expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \S/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await until(() => existsSync(join(logFolder(agent.dir), '%C3%BC%2F%E2%9C%93.log')));
    await agent.close();
    await endHosts();
    await until(() => readFileSync(file, 'utf8').endsWith('stopped\n'));
  });

  test('may be a FIFO without a reader: calls, other logs and the end do not wait for it', async () => {
    const agent = await connectAgent('v2 modern', { config: devToolbox({ any: fixture(), other: fixture() }) });
    mkdirSync(logFolder(agent.dir), { recursive: true });
    execFileSync('/bin/sh', ['-c', 'mkfifo "$1"', 'mkfifo', join(logFolder(agent.dir), 'any.log')]);
    expect(opened(await agent.open('dev')).servers_connected).toBe(2);
    await until(() => existsSync(join(logFolder(agent.dir), 'other.log')));
    expect(text(await agent.use('dev', 'any', 'echo', { a: 1 }))).toBe('{"a":1}');
    await agent.close();
    await endHosts();
    expect(readFileSync(join(logFolder(agent.dir), 'other.log'), 'utf8')).toMatch(/stopped\n$/);
  });

  test('is under XDG_STATE_HOME', async () => {
    const elsewhere = join(temporaryDirectory(), 'state');
    const config = devToolbox({ any: fixture() });
    const agent = await inProcess.connectAgent('v2 modern', { config, env: { XDG_STATE_HOME: elsewhere } });
    await agent.open('dev');
    await until(() => existsSync(join(elsewhere, 'mcp-workbench', 'logs', 'dev', 'any.log')));
  });

  test('that cannot be written affects nothing else', async () => {
    const config = devToolbox({ any: fixture() });
    const agent = await inProcess.connectAgent('v2 legacy', { config, env: { XDG_STATE_HOME: '/dev/null/nowhere' } });
    await expectManyAnswers(agent, 5);
  });
});

describe('a server that stops reading its stdin', () => {
  test('gets a bounded amount of data: further calls are refused as busy, in bounded memory', {
    timeout: 60_000,
  }, async () => {
    const log = callLog();
    const deaf = { ...fixture('--log', log.path), callTimeoutMs: 4_000, maxConcurrentCalls: 1_000 };
    const agent = await connectAgent('v2 modern', { config: devToolbox({ deaf, any: fixture() }) });
    await agent.open('dev');
    await agent.use('dev', 'deaf', 'stop_reading');
    const before = residentMb(runnerOf(agent));
    const filler = 'x'.repeat(500_000);
    const calls = Array.from({ length: 200 }, (_, index) => agent.use('dev', 'deaf', 'echo', { index, filler }));
    await expectManyAnswers(agent, 5);
    const answers = (await Promise.all(calls)).map((result) => text(result));
    const busy = answers.filter((line) => /failed: it is busy/.test(line));
    const late = answers.filter((line) => /failed: no answer within 4000 ms/.test(line));
    // At most 32 MB are queued; 200 calls of half a megabyte are 100 MB.
    expect(busy.length).toBeGreaterThan(100);
    expect(busy.length + late.length).toBe(200);
    expect(residentMb(runnerOf(agent)) - before).toBeLessThan(250);
    // Further calls are refused immediately.
    const elapsed = startStopwatch();
    expect(text(await agent.use('dev', 'deaf', 'echo', { filler }))).toMatch(/busy/);
    expect(elapsed()).toBeLessThan(1_000);
    expect(log.methods('tools/call')).toHaveLength(1);
  });

  test('and has reached its limit of small calls gets no more: the next is refused as busy', async () => {
    const limits = { maxConcurrentCalls: 2, maxQueuedCalls: 3, callTimeoutMs: 3_000 };
    const agent = await inProcess.connectAgent('v2 modern', {
      config: devToolbox({ any: { ...fixture(), ...limits } }),
    });
    await agent.use('dev', 'any', 'stop_reading');
    const answers = await Promise.all(
      Array.from({ length: 9 }, async () => text(await agent.use('dev', 'any', 'echo'))),
    );
    expect(answers.filter((line) => /failed: it is busy\b.*\b2\b.*\b3\b/.test(line))).toHaveLength(4);
    expect(answers.filter((line) => /no answer within/.test(line))).toHaveLength(5);
  });
});

describe('a list of tools', () => {
  test.each([[[]], [['--modern']]])('is read again at most twice for 10,000 changes at once (%j)', async (flags) => {
    const log = callLog();
    const agent = await inProcess.connectAgent('v2 modern', {
      config: devToolbox({ any: fixture('--log', log.path, ...flags) }),
    });
    await agent.open('dev');
    expect(log.methods('tools/list')).toHaveLength(1);
    await agent.use('dev', 'any', 'change_tools', { add: ['brand_new'] });
    await agent.use('dev', 'any', 'list_changed', { count: 10_000 });
    const listing = await until(async () => {
      const { tools } = opened(await agent.open('dev'));
      return tools.some(({ name }) => name === 'brand_new') && tools;
    });
    expect(listing.length).toBeGreaterThan(1);
    // Long enough for a delayed listing: changes are batched for a second.
    await agent.use('dev', 'any', 'sleep', { ms: 2_500 });
    expect(log.methods('tools/list').length - 1).toBeLessThanOrEqual(2);
    expect(log.methods('tools/list').length - 1).toBeGreaterThanOrEqual(1);
  });

  test.each([[[]], [['--modern']]])('is updated after a change without a request (%j)', async (flags) => {
    const log = callLog();
    const agent = await inProcess.connectAgent('v2 modern', {
      config: devToolbox({ any: fixture('--log', log.path, ...flags) }),
    });
    await agent.open('dev');
    await agent.use('dev', 'any', 'change_tools', { add: ['brand_new'], remove: ['echo'], notify: true });
    await until(() => log.methods('tools/list').length === 2);
    const names = opened(await agent.open('dev')).tools.map(({ name }) => name);
    expect(names).toContain('brand_new');
    expect(names).not.toContain('echo');
  });

  test('is complete except for the malformed tool', async () => {
    const schema = { type: 'object' };
    const tools = [
      'first',
      null,
      42,
      {},
      { name: 7, inputSchema: schema },
      { name: '', inputSchema: schema },
      { name: 'no_schema' },
      { name: 'odd_schema', inputSchema: 'object' },
      { name: 'extra', inputSchema: schema, future: { field: [1] } },
      'last',
    ];
    const agent = await inProcess.connectAgent('v2 legacy', { config: devToolbox({ any: fixtureWith(tools) }) });
    const listed = opened(await agent.open('dev')).tools;
    expect(listed.map(({ name }) => name)).toEqual(['first', 'extra', 'last']);
    expect(agent.stderr()).toContain('left out 7 tools without a name or an input schema');
    expect(text(await agent.use('dev', 'any', 'last', { a: 1 }))).toBe('{"a":1}');
  });
});
