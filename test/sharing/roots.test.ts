import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { isRecord } from '../../src/jsonrpc/json.js';
import { callLog } from '../support/call-log.js';
import { temporaryDirectory } from '../support/launch.js';
import { fixture, real } from '../support/servers.js';
import { type SharedAgent, type SharedEngine, startSharedEngine, textOf } from '../support/shared-engine.js';
import { until } from '../support/until.js';
import type { Message } from '../support/workbench.js';

const capabilities = { roots: { listChanged: true } };

/** A session whose client works in a directory of its own, with one file in it. */
async function openIn(engine: SharedEngine, server: object, isModern = false) {
  const directory = realpathSync(temporaryDirectory());
  const file = join(directory, 'mine.txt');
  writeFileSync(file, directory);
  const agent = await engine.open({ servers: { any: { ...server, roots: true } }, isModern, capabilities });
  const roots = { roots: [{ uri: pathToFileURL(directory).href, name: 'root' }] };
  const calls = new Map<unknown, { name: string; args: object }>();
  agent.onmessage = ({ id, method, result }: Message) => {
    if (method === 'roots/list') agent.send({ id, result: roots });
    const call = calls.get(id);
    if (call === undefined || !isRecord(result?.['inputRequests'])) return;
    const inputResponses = Object.fromEntries(Object.keys(result['inputRequests']).map((key) => [key, roots]));
    agent.begin(Number(id), call.name, call.args, { requestState: result['requestState'], inputResponses });
  };
  async function use(id: number, name: string, args: object = {}): Promise<string> {
    calls.set(id, { name, args });
    agent.begin(id, name, args);
    return textOf(
      await until(() =>
        agent.received.findLast(
          (message) =>
            message.id === id && message.method === undefined && message.result?.['resultType'] !== 'input_required',
        ),
      ),
    );
  }
  return { agent, directory, file, use };
}

test.each([
  ['one after the other, two legacy clients', false, [false, false]],
  ['at the same moment, a legacy and a modern client', true, [false, true]],
])(
  'two sessions with a file server that uses roots, %s: each reads its own directory and is denied the other’s',
  async (_, atOnce, eras) => {
    const engine = startSharedEngine();
    const elsewhere = temporaryDirectory();
    const server = real.filesystem(elsewhere);
    const [one, other] = await Promise.all(eras.map((isModern) => openIn(engine, server, isModern)));
    if (one === undefined || other === undefined) throw new Error('two sessions');
    const first = one.use(1, 'read_text_file', { path: one.file });
    if (!atOnce) await first;
    expect(await other.use(1, 'read_text_file', { path: other.file })).toBe(other.directory);
    expect(await first).toBe(one.directory);
    expect(await one.use(2, 'read_text_file', { path: other.file })).toContain('Access denied');
    expect(await other.use(2, 'read_text_file', { path: one.file })).toContain('Access denied');
    expect(engine.engine.processes().map(({ sessions }) => sessions)).toEqual([['session-1'], ['session-2']]);
  },
);

test('a server with roots runs once per session, whether or not it asks for them', async () => {
  const engine = startSharedEngine();
  const log = callLog();
  const server = fixture('--log', log.path);
  const [one, other] = [await openIn(engine, server), await openIn(engine, server)];
  await one.use(1, 'echo');
  await other.use(1, 'echo');
  expect(log.methods('start')).toHaveLength(2);
  expect(engine.engine.processes().map(({ sessions, reason }) => ({ sessions, reason }))).toEqual([
    { sessions: ['session-1'], reason: 'roots' },
    { sessions: ['session-2'], reason: 'roots' },
  ]);
  // During a call, and after it.
  expect(await other.use(2, 'ask', { method: 'roots/list' })).toContain(other.directory);
  expect(await one.use(2, 'ask', { method: 'roots/list' })).toContain(one.directory);
  await other.use(3, 'ask_later', { method: 'roots/list' });
  await until(() => rootsQuestions(other.agent) === 2);
  expect(rootsQuestions(one.agent)).toBe(1);
  expect(log.methods('start')).toHaveLength(2);
});

test('a change of roots goes to the process of its session alone', async () => {
  const engine = startSharedEngine();
  const server = fixture('--ask-roots', 0);
  const [one, other] = [await openIn(engine, server), await openIn(engine, server)];
  for (const session of [one, other]) await session.use(1, 'echo');
  for (const { agent } of [one, other]) await until(() => rootsQuestions(agent) === 1);
  one.agent.send({ method: 'notifications/roots/list_changed' });
  await until(() => rootsQuestions(one.agent) === 2);
  expect(rootsQuestions(other.agent)).toBe(1);
});

test('a server without roots that asks for them outside of a call gets an error, and stays shared', async () => {
  const engine = startSharedEngine();
  const servers = { any: fixture() };
  const [one, other] = [await engine.open({ servers, capabilities }), await engine.open({ servers, capabilities })];
  for (const agent of [one, other]) await agent.call(1, 'echo');
  await one.call(2, 'ask_later', { method: 'roots/list' });
  for (const agent of [one, other]) await agent.call(3, 'echo');
  expect(engine.engine.processes()).toMatchObject([{ sessions: ['session-1', 'session-2'], reason: undefined }]);
  expect([one, other].map(rootsQuestions)).toEqual([0, 0]);
});

function rootsQuestions({ received }: SharedAgent): number {
  return received.filter(({ method }) => method === 'roots/list').length;
}
