// @module-tag slow
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Agent, connectAgent, type Flavour, opened, text, type User } from '../support/agents.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { type HttpServer, startCanary, startHttpServer } from '../support/http-servers.js';
import * as inProcess from '../support/in-process.js';
import { temporaryDirectory } from '../support/launch.js';
import { until } from '../support/until.js';
import { initialize } from '../support/workbench.js';

const entries = {
  'everything over Streamable HTTP': ['everything, Streamable HTTP', (url: string) => ({ url })],
  'everything with type http': ['everything, Streamable HTTP', (url: string) => ({ url, type: 'http' })],
  'everything with type sse': ['everything, SSE', (url: string) => ({ url, type: 'sse' })],
  // The path does not say that it is SSE.
  'everything that has only SSE': ['everything, SSE', (url: string) => ({ url: `${url}/` })],
} as const;
const names = Object.keys(entries) as (keyof typeof entries)[];

const config = (entry: ServerEntry) => devToolbox({ remote: entry });
const user: User = {
  capabilities: { elicitation: { form: {} } },
  answer: () => ({ action: 'accept', content: { name: 'Ada', check: true, color: 'red' } }),
};

async function remote(name: keyof typeof entries): Promise<{ server: HttpServer; entry: ServerEntry }> {
  const [program, entryFor] = entries[name];
  const server = await startHttpServer(program);
  return { server, entry: entryFor(server.url) };
}

const namesOf = async (agent: Agent) => {
  const { tools, columns = [], rows = [] } = opened(await agent.open('dev'));
  return [...tools.map(({ name }) => name), ...rows.map((row) => row[columns.indexOf('name')])];
};

/** Calls a tool, without a client library: those drop progress that comes together with the result. */
async function progressOf(entry: ServerEntry, name: string, args: object): Promise<unknown[]> {
  const workbench = inProcess.startWorkbench({ config: config(entry) });
  await initialize(workbench);
  const tool = { toolbox: 'dev', server: 'remote', name };
  const params = { name: 'use_tool', arguments: { tool, arguments: args }, _meta: { progressToken: 'mine' } };
  const { result } = await workbench.request('tools/call', params);
  expect(result).not.toHaveProperty('isError');
  const messages = workbench.lines.map((line): { method?: string; params?: unknown } => JSON.parse(line));
  return messages.filter(({ method }) => method === 'notifications/progress').map((message) => message.params);
}

const step = (progress: number) => ({ progressToken: 'mine', progress, total: 3 });

describe.each(names)('%s', (name) => {
  test('is opened, and its tools are used', async () => {
    const { entry } = await remote(name);
    const agent = await connectAgent('v2 modern', { config: config(entry) });
    expect(await namesOf(agent)).toEqual(expect.arrayContaining(['echo', 'get-sum', 'get-tiny-image']));
    expect(text(await agent.use('dev', 'remote', 'echo', { message: 'ü ✓' }))).toContain('ü ✓');
    expect(text(await agent.use('dev', 'remote', 'get-sum', { a: 2, b: 3 }))).toContain('5');
    const picture = await agent.use('dev', 'remote', 'get-tiny-image');
    expect(picture.content.map(({ type }) => type)).toContain('image');
  });
});

describe.each([
  ['everything over Streamable HTTP', 'v2 legacy'],
  ['everything that has only SSE', 'v2 modern'],
] as const)('%s', (name, flavour) => {
  test('reports progress', async () => {
    const { entry } = await remote(name);
    const progress = await progressOf(entry, 'trigger-long-running-operation', { duration: 0.3, steps: 3 });
    expect(progress).toEqual([step(1), step(2), step(3)]);
  });

  test(`asks the user of a ${flavour} client`, async () => {
    const { entry } = await remote(name);
    const asked: string[] = [];
    const answer: User['answer'] = (method, question) => {
      asked.push(question.message ?? '');
      return user.answer(method, question);
    };
    const agent = await inProcess.connectAgent(flavour, { config: config(entry) }, { ...user, answer });
    await until(async () => (await namesOf(agent)).includes('trigger-elicitation-request'));
    const result = await agent.use('dev', 'remote', 'trigger-elicitation-request');
    expect(result.isError ?? false, text(result)).toBe(false);
    expect(asked).toEqual([expect.stringMatching(/^\[dev\/remote\] /)]);
    expect(text(result)).toContain('Ada');
  });

  test('is used again after it was killed and started', async () => {
    const { server, entry } = await remote(name);
    const agent = await inProcess.connectAgent('v2 legacy', { config: config(entry) });
    await expectEcho(agent);
    await server.kill();
    const failed = await agent.use('dev', 'remote', 'echo', { message: 'lost' });
    expect(failed.isError, text(failed)).toBe(true);
    expect(text(failed)).toContain("server 'remote'");
    await server.start();
    await until(async () => text(await agent.use('dev', 'remote', 'echo', { message: 'back' })).includes('back'));
  });
});

async function expectEcho(agent: Agent): Promise<void> {
  expect(text(await agent.use('dev', 'remote', 'echo', { message: 'here' }))).toContain('here');
}

describe.each([
  ['2026-07-28', 'v2 legacy', 'v2 modern'],
  ['legacy', 'v2 modern', 'v2 legacy'],
] as const)("the SDK's server with protocol %s", (protocol, opening, asked) => {
  const connected = async (flavour: Flavour, entry: object = {}, who?: User) => {
    const server = await startHttpServer('sdk');
    const agent = await inProcess.connectAgent(
      flavour,
      { config: config({ url: server.url, protocol, ...entry }) },
      who,
    );
    return { server, agent };
  };

  test(`is opened by a ${opening} client, and its tools are used`, async () => {
    const { agent } = await connected(opening);
    expect(await namesOf(agent)).toEqual(['echo', 'header', 'marked', 'steps', 'ask', 'grow']);
    expect(text(await agent.use('dev', 'remote', 'echo', { message: 'ü ✓' }))).toBe('ü ✓');
  });

  test('reports progress', async () => {
    const { url } = await startHttpServer('sdk');
    expect(await progressOf({ url, protocol }, 'steps', { count: 3 })).toEqual([step(1), step(2), step(3)]);
  });

  test(`asks the user of a ${asked} client`, async () => {
    const { agent } = await connected(asked, {}, user);
    expect(text(await agent.use('dev', 'remote', 'ask'))).toBe('Hello Ada');
  });

  test('is listed again when it reports a change', async () => {
    const { url } = await startHttpServer('sdk');
    const agent = await connectAgent('v2 modern', { config: config({ url, protocol }) });
    await agent.open('dev');
    await agent.use('dev', 'remote', 'grow', { name: 'more' });
    await until(async () => (await namesOf(agent)).includes('more'));
    expect(text(await agent.use('dev', 'remote', 'more'))).toBe('grown');
  });

  test('gets headers with variables of the envFile', async () => {
    const dir = temporaryDirectory();
    const envFile = join(dir, 'remote.env');
    writeFileSync(envFile, 'REMOTE_TOKEN=from-the-file\n');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the configuration
    const headers = { 'X-Token': 'Bearer ${REMOTE_TOKEN}' };
    const { agent } = await connected('v2 modern', { envFile, headers });
    expect(text(await agent.use('dev', 'remote', 'header', { name: 'x-token' }))).toBe('Bearer from-the-file');
  });

  test('is used again after it was killed and started', async () => {
    const { agent, server } = await connected('v2 modern');
    await expectEcho(agent);
    await server.kill();
    const failed = await agent.use('dev', 'remote', 'echo', { message: 'lost' });
    expect(failed.isError, text(failed)).toBe(true);
    await server.start();
    await until(async () => text(await agent.use('dev', 'remote', 'echo', { message: 'back' })) === 'back');
  });

  test('gets marked arguments in headers where the protocol has them', async () => {
    const { agent } = await connected('v2 modern');
    const answer = text(await agent.use('dev', 'remote', 'marked', { region: 'eu' }));
    expect(answer).toBe(protocol === 'legacy' ? 'eu in no header' : 'eu in eu');
  });
});

test('a server of both eras is found to be modern', async () => {
  const { url } = await startHttpServer('sdk');
  const agent = await inProcess.connectAgent('v2 legacy', { config: config({ url }) });
  expect(text(await agent.use('dev', 'remote', 'marked', { region: 'eu' }))).toBe('eu in eu');
});

test('a start and the first requests of a client make no connection', async () => {
  const canary = await startCanary();
  const agent = await connectAgent('v2 modern', { config: config({ url: canary.url }) });
  expect(agent.instructions).toContain('dev');
  expect(await agent.listTools()).toHaveLength(2);
  expect(canary.connections()).toBe(0);
  const failed = await agent.open('dev');
  expect(failed.isError, text(failed)).toBe(true);
  expect(canary.connections()).toBeGreaterThan(0);
});
