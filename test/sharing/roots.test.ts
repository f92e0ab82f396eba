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
  ['one after the other', false, [false, false]],
  ['at the same moment', true, [false, false]],
  ['at the same moment, a legacy and a modern client', true, [false, true]],
  ['at the same moment, two modern clients', true, [true, true]],
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

test('sessions that joined before a late question for roots are moved to a process of their own, without a failed call', async () => {
  const engine = startSharedEngine();
  const log = callLog();
  const server = fixture('--log', log.path);
  const [one, other] = [await openIn(engine, server), await openIn(engine, server)];
  await one.use(1, 'echo');
  await other.use(1, 'echo');
  expect(engine.engine.processes()).toHaveLength(1);
  await other.use(2, 'ask_later', { method: 'roots/list' });
  await until(() => other.agent.lines.some((line) => line.includes('its process belongs to another session')));
  expect(rootsQuestions(one.agent)).toBe(1);
  expect(rootsQuestions(other.agent)).toBe(0);
  expect(await other.use(3, 'echo', { a: 1 })).toBe('{"a":1}');
  expect(log.methods('start')).toHaveLength(2);
  const seen = engine.engine.processes().map(({ sessions, reason }) => ({ sessions, reason }));
  expect(seen).toEqual([
    { sessions: ['session-1'], reason: 'it asks outside of calls' },
    { sessions: ['session-2'], reason: 'it asks outside of calls' },
  ]);
  // A third session gets its own at once.
  const third = await openIn(engine, server);
  await third.use(1, 'echo');
  expect(log.methods('start')).toHaveLength(3);
  expect([one, other, third].flatMap(({ agent }) => agent.lines).join('')).not.toMatch(/crash|warning|exited/);
});

test('roots that a server asks for during a call are those of the session that called, and it keeps the process', async () => {
  const engine = startSharedEngine();
  const server = fixture();
  const [one, other] = [await openIn(engine, server), await openIn(engine, server)];
  await one.use(1, 'echo');
  await other.use(1, 'echo');
  expect(engine.engine.processes()).toHaveLength(1);
  expect(await other.use(2, 'ask', { method: 'roots/list' })).toContain(other.directory);
  expect(await one.use(2, 'ask', { method: 'roots/list' })).toContain(one.directory);
  expect(engine.engine.processes().map(({ sessions }) => sessions)).toEqual([['session-2'], ['session-1']]);
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

test('a server that has not asked for roots yet gets the changes of all its sessions', async () => {
  const engine = startSharedEngine();
  const log = callLog();
  const server = fixture('--log', log.path);
  const [one, other] = [await openIn(engine, server), await openIn(engine, server)];
  for (const session of [one, other]) await session.use(1, 'echo');
  expect(log.methods('start')).toHaveLength(1);
  for (const [before, { agent }] of [one, other].entries()) {
    agent.send({ method: 'notifications/roots/list_changed' });
    await until(() => log.methods('notifications/roots/list_changed').length === before + 1);
  }
  // From now on it belongs to the session that it asks about.
  expect(await other.use(2, 'ask', { method: 'roots/list' })).toContain(other.directory);
  one.agent.send({ method: 'notifications/roots/list_changed' });
  await one.use(2, 'echo');
  expect(log.methods('start')).toHaveLength(2);
  other.agent.send({ method: 'notifications/roots/list_changed' });
  await until(() => log.methods('notifications/roots/list_changed').length === 3);
});

function rootsQuestions({ received }: SharedAgent): number {
  return received.filter(({ method }) => method === 'roots/list').length;
}
