import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as program from '../support/agents.js';
import { type Agent, opened, text } from '../support/agents.js';
import { runCommand } from '../support/commands.js';
import { devToolbox } from '../support/configs.js';
import { userWho } from '../support/forwarding.js';
import { connectAgent, endEngine } from '../support/in-process.js';
import { liveConfig } from '../support/live-config.js';
import { changedPost, changingServer, eraser, lockFile, post, untilPost, use, writtenLock } from '../support/locks.js';
import { markerVariable } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';

const strict = { lock: 'strict' };
const codeOf = ({ _meta }: { _meta?: Readonly<Record<string, unknown>> }) => _meta?.['mcp-workbench/code'];
const names = async (agent: Agent) => opened(await agent.open('dev')).tools.map(({ name }) => name);
const answer = (agent: Agent, input: object) => agent.call('open_toolbox', { toolbox: 'dev', ...input });

/** The tool that changed does not exist any more for the agent, and no text of it is read. */
async function expectBlocked(agent: Agent, ...tools: string[]): Promise<void> {
  const answers = [
    await agent.open('dev'),
    await answer(agent, { query: 'post a message to a person, erase everything' }),
    await answer(agent, { tools: tools }),
    await answer(agent, { toolbox: '*', query: 'post a message, erase everything' }),
    await use(agent, 'pos'),
    await use(agent, 'eras'),
  ];
  for (const tool of tools) {
    const refused = await use(agent, tool);
    expect(codeOf(refused)).toBe('TOOL_CHANGED');
    expect(text(refused)).toContain(`mcp-workbench approve dev mail ${tool}`);
    answers.push(refused);
  }
  for (const one of answers) expect(text(one)).not.toMatch(/EVIL|one person/);
  const listing = opened(answers[0] ?? { content: [] });
  expect(listing.tools.map(({ name }) => name)).not.toEqual(expect.arrayContaining(tools));
  expect(listing.notes?.join()).toMatch(new RegExp(`Server 'mail': ${tools.length} tools? (is|are) blocked`));
  for (const suggestion of answers.slice(4, 6)) expect(text(suggestion)).not.toMatch(/'post'|'erase'/);
}

describe.each([
  ['v2 legacy', 'modern', '--modern'],
  ['v2 modern', 'legacy'],
] as const)('for a %s agent and a %s server, a strict lock', (era, _server, ...flags) => {
  test('blocks what changes on list_changed, and what is new, until it is back', async () => {
    const server = changingServer(strict, ...flags);
    const agent = await connectAgent(era, { config: server.config });
    expect(await names(agent)).toContain('post');
    for (const tools of [
      [changedPost, eraser],
      [eraser, changedPost],
    ]) {
      server.list(...tools);
      await untilPost(agent, /has changed since it was approved/);
      await expectBlocked(agent, 'post', 'erase');
      server.list(post);
      await untilPost(agent, /^\{\}$/);
    }
    expect(agent.stderr().match(/dev\/mail: since its tools were approved/g)).toHaveLength(1);
  });

  test('hides the kept results of a tool that has changed since, until it is back', async () => {
    const server = changingServer(strict, ...flags);
    const agent = await connectAgent(era, { config: server.config });
    const tool = { toolbox: 'dev', server: 'mail', name: 'post' };
    const list = Array.from({ length: 100 }, (_, at) => `kept text ${at}`);
    const first = await agent.call('use_tool', {
      ...{ tool, arguments: { list }, result: { select: 'list', max: 200 } },
    });
    expect(JSON.stringify(first.content)).toContain('\\"of\\":\\"r1\\"');
    const read = () => agent.call('use_tool', { tool, result: { of: 'r1', select: 'list[99]' } });
    expect(text(await read())).toBe('"kept text 99"');
    server.list(changedPost);
    await untilPost(agent, /has changed since it was approved/);
    for (const hidden of [await read(), await agent.call('use_tool', { tool, result: { of: 'r1', find: 'kept' } })]) {
      expect(hidden).toMatchObject({ isError: true, _meta: { 'mcp-workbench/code': 'TOOL_NOT_FOUND' } });
      expect(text(hidden)).toMatch(/^Tool 'post' not found in server 'mail' \(toolbox 'dev'\)/);
      expect(JSON.stringify(hidden)).not.toMatch(/kept text|EVIL/);
    }
    server.list(post);
    await untilPost(agent, /^\{\}$/);
    expect(text(await read())).toBe('"kept text 99"');
  });

  test('blocks what changes when the server starts again, after a crash and after sleep', async () => {
    const server = changingServer({ ...strict, idleTimeoutMs: 200 }, ...flags);
    const agent = await connectAgent(era, { config: server.config });
    expect(await names(agent)).toContain('post');
    server.list(changedPost);
    await use(agent, 'crash');
    // It may fall asleep while it is asked what it lists.
    await until(async () => codeOf(await use(agent, 'post')) === 'TOOL_CHANGED');
    expect(await names(agent)).not.toContain('post');
    const asleep = () => agent.stderr().split('idle, stopped').length;
    const before = asleep();
    server.list(post);
    await until(() => asleep() > before, { what: 'the server sleeps' });
    await until(async () => text(await use(agent, 'post')) === '{}');
    const again = asleep();
    server.list(changedPost);
    await until(() => asleep() > again, { what: 'the server sleeps' });
    expect(codeOf(await use(agent, 'post'))).toBe('TOOL_CHANGED');
  });
});

describe('a strict lock', () => {
  test('compares the next session with what the first one saw', async () => {
    const server = changingServer(strict);
    const first = await connectAgent('v2 legacy', { config: server.config });
    await first.open('dev');
    await first.close();
    await endEngine();
    const { servers } = await writtenLock(first.dir);
    expect(servers.map((one) => one.server)).toEqual([['dev', 'mail']]);
    const before = readFileSync(lockFile(first.dir), 'utf8');
    server.list(changedPost, eraser);
    const second = await connectAgent('v2 modern', {
      args: ['--config', join(first.dir, 'workbench-config.json')],
      env: { [markerVariable]: first.marker },
    });
    await expectBlocked(second, 'post', 'erase');
    await second.close();
    await endEngine();
    expect(readFileSync(lockFile(first.dir), 'utf8')).toBe(before);
  });

  test('holds for cached tools, which any program of the user can write', async () => {
    const server = changingServer(strict);
    const first = await connectAgent('v2 legacy', { config: server.config });
    await first.open('dev');
    await first.close();
    await endEngine();
    const cache = join(first.dir, 'home', '.cache', 'mcp-workbench', 'tools');
    const forge = async (from: string, to: string) => {
      const has = (name: string) => readFileSync(join(cache, name), 'utf8').includes(from);
      // A host may write it a moment later.
      const found = await until(() => readdirSync(cache).find(has));
      const file = join(cache, found);
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(from, to));
    };
    await forge('to one person.', 'to one person. EVIL');
    const again = () =>
      connectAgent('v2 legacy', {
        args: ['--config', join(first.dir, 'workbench-config.json')],
        env: { HOME: join(first.dir, 'home'), [markerVariable]: first.marker },
      });
    const search = (agent: Agent) => answer(agent, { toolbox: '*', query: 'post a message to a person' });
    const second = await again();
    expect(text(await search(second))).not.toMatch(/EVIL|"post"/);
    await second.close();
    await forge(' EVIL', '');
    const third = await again();
    expect(text(await search(third))).toContain('"post"');
    await third.close();
    // Without a baseline what is cached proves nothing.
    writeFileSync(lockFile(first.dir), JSON.stringify({ version: 1, servers: [] }));
    const fourth = await again();
    expect(text(await search(fourth))).not.toContain('"post"');
    await fourth.open('dev');
    expect(text(await search(fourth))).toContain('"post"');
  });

  test('withholds changed instructions', async () => {
    const entry = (...more: string[]) => ({ ...fixture('--tools', 'echo', ...more), ...strict });
    const agent = await program.connectAgent('v2 legacy', {
      config: devToolbox({ mail: entry('--instructions', 'Be kind.') }),
    });
    expect(opened(await agent.open('dev')).instructions).toEqual([{ server: 'mail', text: 'Be kind.' }]);
    const live = liveConfig(agent);
    live.write(devToolbox({ mail: entry('--instructions', 'EVIL') }));
    const listing = await until(async () => {
      const found = opened(await agent.open('dev'));
      return found.instructions === undefined ? found : undefined;
    });
    expect(JSON.stringify(listing)).not.toContain('EVIL');
    expect(listing.notes?.join()).toContain("Server 'mail': its instructions are withheld");
  });

  test('shows of an approved tool only what was approved', async () => {
    const server = changingServer(strict);
    const agent = await connectAgent('v2 modern', { config: server.config });
    await agent.open('dev');
    server.list({
      ...post,
      _meta: { a: 'EVIL' },
      icons: [{ src: 'EVIL' }],
      more: 'EVIL',
      annotations: { more: 'EVIL' },
    });
    await use(agent, 'list_changed');
    // A call of a tool that does not exist lists again.
    await use(agent, 'nothing');
    expect(text(await agent.open('dev'))).not.toContain('EVIL');
    expect(text(await use(agent, 'post'))).toBe('{}');
  });

  test('applies at once when the configuration asks for it, and no longer when it does not and a person agrees', async () => {
    const server = changingServer();
    const user = userWho(() => ({ action: 'accept', content: { answer: 'yes' } }), { elicitation: {} });
    const agent = await program.connectAgent('v2 legacy', { config: server.config }, user);
    await agent.open('dev');
    server.list(changedPost);
    await use(agent, 'list_changed');
    await until(() => agent.stderr().includes('since its tools were approved'));
    expect(text(await use(agent, 'post'))).toBe('{}');
    const live = liveConfig(agent);
    live.write(devToolbox({ mail: { ...server.entry, ...strict } }));
    await until(async () => codeOf(await use(agent, 'post')) === 'TOOL_CHANGED');
    live.write({ ...devToolbox({ mail: server.entry }), defaults: { lock: 'off' } });
    await until(async () => codeOf(await use(agent, 'post')) === undefined);
    expect(user.asked.map(({ params }) => params.message)).toEqual([
      expect.stringMatching(/\ndev\/mail: lock: off instead of strict$/),
    ]);
  });

  test('that comes after `off` begins with what is listed then', async () => {
    const server = changingServer({ lock: 'off' });
    const agent = await program.connectAgent('v2 legacy', { config: server.config });
    await agent.open('dev');
    liveConfig(agent).write(devToolbox({ mail: { ...server.entry, ...strict } }));
    await until(() => agent.stderr().includes('configuration: read again'));
    expect(await names(agent)).toContain('post');
    expect((await writtenLock(agent.dir)).servers).toHaveLength(1);
    server.list(changedPost);
    await untilPost(agent, /has changed since it was approved/);
  });

  test('holds for a call that waited while the server was started again', async () => {
    const server = changingServer({ ...strict, idleTimeoutMs: 300 });
    const agent = await connectAgent('v2 legacy', { config: server.config });
    expect(await names(agent)).toContain('post');
    await until(() => agent.stderr().includes('idle, stopped'), { what: 'the server sleeps' });
    server.list(changedPost);
    const refused = await use(agent, 'post');
    expect(codeOf(refused)).toBe('TOOL_CHANGED');
    expect(text(refused)).toContain('The tool was not called.');
  });
});

describe('by default', () => {
  test('a change is logged and reported once in each session, with the command, and the tool works', async () => {
    const server = changingServer();
    const agent = await connectAgent('v2 modern', { config: server.config });
    expect(opened(await agent.open('dev')).notes).toBeUndefined();
    server.list(changedPost, eraser);
    await use(agent, 'list_changed');
    const noted = await until(async () => opened(await agent.open('dev')).notes);
    expect(noted).toEqual([
      expect.stringMatching(
        /^Server 'mail': since its tools were approved, 1 tool changed \(post\), 1 tool is new\. The user can review that in a terminal: mcp-workbench approve dev mail --config \S+$/,
      ),
    ]);
    expect(opened(await agent.open('dev')).notes).toBeUndefined();
    expect(text(await use(agent, 'erase'))).toBe('{}');
    expect(agent.stderr().match(/since its tools were approved/g)).toHaveLength(1);
    await agent.close();
    await endEngine();
    const env = { HOME: join(agent.dir, 'home'), [markerVariable]: agent.marker };
    const next = await connectAgent('v2 legacy', {
      args: ['--config', join(agent.dir, 'workbench-config.json')],
      env,
    });
    expect(opened(await next.open('dev')).notes).toEqual(noted);
    expect(opened(await next.open('dev')).notes).toBeUndefined();
    expect(next.stderr().match(/since its tools were approved/g)).toHaveLength(1);
  });

  test('nothing is noted for another order of keys and tools, _meta and icons', async () => {
    const other = { name: 'other', description: 'Another one.', inputSchema: { type: 'object', title: 'x' } };
    const server = changingServer();
    server.list(post, other);
    const agent = await connectAgent('v2 legacy', { config: server.config });
    await agent.open('dev');
    const { description, ...rest } = post;
    server.list(other, {
      _meta: { a: 1 },
      icons: [],
      description,
      ...rest,
      inputSchema: { properties: post.inputSchema.properties, type: 'object' },
    });
    await use(agent, 'list_changed');
    await until(async () => opened(await agent.open('dev')).tools[0]?.name === 'other');
    expect(opened(await agent.open('dev')).notes).toBeUndefined();
    expect(agent.stderr()).not.toContain('approved');
  });

  test('with `off` nothing is compared, and nothing is written', async () => {
    const server = changingServer({ lock: 'off' });
    const agent = await connectAgent('v2 legacy', { config: server.config });
    await agent.open('dev');
    server.list(changedPost);
    await use(agent, 'list_changed');
    await until(async () => text(await agent.open('dev')).includes('EVIL'));
    await agent.close();
    await endEngine();
    expect(agent.stderr()).not.toContain('approved');
    expect(existsSync(lockFile(agent.dir))).toBe(false);
  });
});

test('list, tools and doctor name what has changed, and the command', async () => {
  const server = changingServer();
  const agent = await program.connectAgent('v2 legacy', { config: server.config });
  await agent.open('dev');
  await writtenLock(agent.dir);
  const config = join(agent.dir, 'workbench-config.json');
  const env = { HOME: join(agent.dir, 'home') };
  const run = (...args: string[]) => runCommand([...args, '--config', config], { env });
  const facts = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);
  await until(async () => (await facts('list')).toolboxes[0].servers[0].tools === 4);
  expect((await run('list')).stdout).not.toMatch(/changed|new/);
  server.list(changedPost, eraser);
  await use(agent, 'nothing');
  await until(async () => (await facts('list')).toolboxes[0].servers[0].changed?.join() === 'post', {
    what: 'the cache',
  });
  expect((await facts('list')).toolboxes[0].servers[0]).toMatchObject({
    changed: ['post'],
    new: ['erase'],
    next: expect.stringMatching(/^mcp-workbench approve dev mail --config /),
  });
  expect((await run('list')).stdout).toContain('1 changed, 1 new');
  expect(await facts('tools', 'dev', 'mail')).toMatchObject({ changed: ['post'], new: ['erase'] });
  const shown = (await run('tools', 'dev', 'mail')).stdout;
  expect(shown).toMatch(/^post\(.*\)\n.*changed since it was approved\n/m);
  expect(shown).toMatch(/^erase\(.*\)\n.*new since the tools were approved\n/m);
  expect((await facts('doctor')).servers[0]).toMatchObject({ state: 'well', changed: ['post'], new: ['erase'] });
  const checked = await run('doctor');
  expect(checked.stdout).toMatch(/1 changed, 1 new since its tools were approved: mcp-workbench approve dev mail/);
});
