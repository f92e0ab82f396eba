import { chmodSync, chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Agent, connectAgent, opened, text } from '../support/agents.js';
import { runCommand } from '../support/commands.js';
import { devToolbox } from '../support/configs.js';
import { endHosts, hostNameOfTest } from '../support/hosts.js';
import * as inProcess from '../support/in-process.js';
import { temporaryDirectory } from '../support/launch.js';
import { changedPost, changingServer, lockFile, use, writtenLock } from '../support/locks.js';
import { posixOnly, rootOnly } from '../support/platform.js';
import { markerVariable } from '../support/processes.js';
import { listedTools } from '../support/real-tools.js';
import { fixture, real } from '../support/servers.js';
import { shareSessions } from '../support/shared.js';
import { until } from '../support/until.js';
import type { RunningWorkbench } from '../support/workbench.js';

const warnings = (agent: Agent) => agent.stderr().match(/warning: the lock .*/g) ?? [];
const names = async (agent: Agent) => opened(await agent.open('dev')).tools.map(({ name }) => name);
const config = devToolbox({
  mail: { ...fixture('--tools', 'echo'), lock: 'strict' },
  files: fixture('--tools', 'result'),
});

describe('a lock file that cannot be used blocks strict servers, with one warning, and others work', () => {
  const place: Readonly<Record<string, (file: string) => void>> = {
    broken: (file) => writeFileSync(file, '<<<<<<< ours\n{"version":1}'),
    'of a later version': (file) => writeFileSync(file, '{"version":2,"servers":[],"future":true}'),
    'a directory': (file) => mkdirSync(file),
    'a link': (file) => {
      writeFileSync(`${file}.real`, '{"version":1,"servers":[]}');
      symlinkSync(`${file}.real`, file);
    },
    'writable by everyone': (file) => {
      writeFileSync(file, '{"version":1,"servers":[]}');
      chmodSync(file, 0o666);
    },
  };
  test.each(Object.keys(place))('%s', async (kind) => {
    if (kind === 'a link' || kind === 'writable by everyone') posixOnly('has links and modes');
    const agent = await inProcess.connectAgent('v2 legacy', { config });
    place[kind]?.(lockFile(agent.dir));
    expect(await names(agent)).toEqual(['result']);
    expect(text(await use(agent, 'echo'))).toContain('because the lock file cannot be used');
    expect(await names(agent)).toEqual(['result']);
    await agent.close();
    expect(warnings(agent)).toHaveLength(1);
  });

  test('of another user', async () => {
    rootOnly('makes a file of another user');
    const agent = await inProcess.connectAgent('v2 legacy', { config });
    writeFileSync(lockFile(agent.dir), '{"version":1,"servers":[]}');
    chownSync(lockFile(agent.dir), 12_345, 12_345);
    expect(await names(agent)).toEqual(['result']);
    expect(warnings(agent)).toEqual([expect.stringContaining('belongs to another user')]);
  });
});

test('a lock that breaks while a session runs leaves in force what it said', async () => {
  const server = changingServer({ lock: 'strict' });
  const agent = await connectAgent('v2 modern', { config: server.config });
  await agent.open('dev');
  await writtenLock(agent.dir);
  await agent.open('dev');
  for (const content of ['{', '{"version":9}', '']) {
    writeFileSync(lockFile(agent.dir), content);
    expect(await names(agent)).toContain('post');
  }
  server.list(changedPost);
  await use(agent, 'list_changed');
  await until(async () => text(await use(agent, 'post')).includes('has changed'));
  expect(readFileSync(lockFile(agent.dir), 'utf8')).toBe('');
});

test('workbenches with hosts of their own that start at the same time write one lock with all servers', async () => {
  const some = (from: number) =>
    Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`s${from + index}`, fixture('--tools', 'echo')]));
  const toolboxes = {
    one: { description: 'One', mcpServers: some(0) },
    two: { description: 'Two', mcpServers: some(3) },
  };
  const first = await connectAgent('v2 legacy', { config: { toolboxes } });
  const others = await Promise.all(
    Array.from({ length: 3 }, (_, index) =>
      connectAgent('v2 legacy', {
        args: [
          ...['--config', join(first.dir, 'workbench-config.json')],
          ...['--host-name', `${hostNameOfTest()}.${index}`],
        ],
        env: { [markerVariable]: first.marker },
      }),
    ),
  );
  await Promise.all([first, ...others].map((agent, index) => agent.open(index % 2 === 0 ? 'one' : 'two')));
  await Promise.all([first, ...others].map((agent) => agent.close()));
  await endHosts();
  const { servers } = await writtenLock(first.dir);
  expect(servers).toHaveLength(12);
  for (const { tools } of servers) expect(tools).toHaveLength(1);
});

test('500 real tools are what they were at the second start, whatever the order of tools and keys', async () => {
  const dir = temporaryDirectory();
  // Of two with the same name only the first can be called.
  const tools = [
    ...new Map(
      Object.values(listedTools)
        .flat()
        .map((tool) => [tool.name, tool]),
    ).values(),
  ];
  const write = (listed: readonly unknown[]) => writeFileSync(join(dir, 'tools.json'), JSON.stringify(listed));
  write(tools);
  const copies = ['a', 'b', 'c'].map((name) => [name, fixture('--tools-file', join(dir, 'tools.json'))]);
  const started = {
    memory: real.memory(join(dir, 'memory.json')),
    files: real.filesystem(dir),
    all: real.everything(),
  };
  const servers = { ...Object.fromEntries(copies), ...started };
  const first = await connectAgent('v2 legacy', { config: { ...devToolbox(servers), defaults: { lock: 'strict' } } });
  await first.open('dev');
  await first.close();
  await endHosts();
  const locked = (await writtenLock(first.dir)).servers.map((one) => one.tools.length);
  expect(locked.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(500);
  write(tools.map(turned).toReversed());
  const second = await connectAgent('v2 modern', {
    args: ['--config', join(first.dir, 'workbench-config.json')],
    env: { [markerVariable]: first.marker },
  });
  const { notes = [] } = opened(await second.call('open_toolbox', { toolbox: 'dev', detail: 'names' }));
  expect(notes.filter((note) => /approve/.test(note))).toEqual([]);
  expect(second.stderr()).not.toMatch(/approved/);
  const check = await runCommand(['approve', '--check', '--config', join(first.dir, 'workbench-config.json')]);
  expect(check).toMatchObject({ code: 0, stdout: expect.stringContaining('All tools are as they were approved.') });
});

function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, held]) => [key, turned(held)]),
  );
}

test('sessions that share a host are compared with the lock as well', async () => {
  posixOnly('has hosts');
  const server = changingServer({ lock: 'strict' });
  const shared = shareSessions(server.config);
  const open = async (session: RunningWorkbench) => {
    const { result } = await session.request('tools/call', { name: 'open_toolbox', arguments: { toolbox: 'dev' } });
    return JSON.stringify(result);
  };
  const first = await shared.start();
  expect(await open(first)).toContain('one person');
  expect((await writtenLock(shared.dir)).servers).toHaveLength(1);
  expect(shared.hosts()).toHaveLength(1);
  server.list(changedPost);
  const second = await shared.start();
  expect(await open(second)).not.toContain('EVIL');
  await first.request('tools/call', callOf('list_changed'));
  await until(async () =>
    JSON.stringify((await first.request('tools/call', callOf('post'))).result).includes('TOOL_CHANGED'),
  );
  expect(await open(first)).not.toContain('EVIL');
});

function callOf(name: string): object {
  return { name: 'use_tool', arguments: { tool: { toolbox: 'dev', server: 'mail', name } } };
}
