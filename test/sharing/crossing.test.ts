import { expect, test } from 'vitest';
import { isRecord } from '../../src/jsonrpc/json.js';
import { callLog } from '../support/call-log.js';
import { linuxOnly } from '../support/platform.js';
import { scriptedServersWith } from '../support/processes.js';
import { createRandom } from '../support/random.js';
import { fixture } from '../support/servers.js';
import { type SharedAgent, startSharedEngine, textOf } from '../support/shared-engine.js';
import { until } from '../support/until.js';
import type { Message } from '../support/workbench.js';

const perClient = 2_000;

/** Sends calls with ids 1 to `perClient`, at most so many at a time; a tenth is cancelled, a fifth reports progress. */
async function sendAll(agent: SharedAgent, name: string, random: (below: number) => number) {
  const cancelled = new Set<number>();
  const answers = new Map<number, Message[]>();
  const progress = new Map<number, number>();
  let open = 0;
  agent.onmessage = (message) => {
    if (message.method === 'notifications/progress' && isRecord(message.params)) {
      const token = Number(message.params['progressToken']);
      progress.set(token, (progress.get(token) ?? 0) + 1);
    }
    if (message.method !== undefined || message.id === 0) return;
    const id = Number(message.id);
    answers.set(id, [...(answers.get(id) ?? []), message]);
    open--;
  };
  for (let id = 1; id <= perClient; id++) {
    const does = random(10);
    open++;
    if (does === 0) agent.begin(id, 'sleep', { ms: 100_000, of: name });
    else if (does <= 2) agent.begin(id, 'progress', { steps: 3, of: name }, { _meta: { progressToken: id } });
    else agent.begin(id, 'echo', { of: name, id });
    if (does === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      agent.send({ method: 'notifications/cancelled', params: { requestId: id } });
      cancelled.add(id);
      open--;
    }
    if (open > 100) await until(() => open < 20);
  }
  await until(() => open === 0, { what: `answers for ${name}`, withinMs: 120_000 });
  return { cancelled, answers, progress };
}

test('4,000 calls with equal ids from two sessions, with progress and cancellation: none is crossed, lost or answered twice', async () => {
  const { open, engine } = startSharedEngine();
  const servers = { any: fixture() };
  const names = ['alice', 'bob'];
  const agents = await Promise.all(names.map(() => open({ servers })));
  // The id of the handshake is 0.
  await Promise.all(agents.map((agent) => agent.call(perClient + 1, 'echo')));
  expect(engine.processes()).toHaveLength(1);
  const all = await Promise.all(
    agents.map((agent, index) => sendAll(agent, names[index] ?? '', createRandom(index + 1))),
  );
  for (const [index, { cancelled, answers, progress }] of all.entries()) {
    expect(cancelled.size).toBeGreaterThan(100);
    expect(answers.size).toBe(perClient - cancelled.size);
    for (const [id, [answer, ...more]] of answers) {
      expect(more).toEqual([]);
      const steps = progress.get(id);
      const expected = steps === undefined ? `{"of":"${names[index]}","id":${id}}` : '3 steps';
      expect(textOf(answer ?? {})).toBe(expected);
      if (steps !== undefined) expect(steps).toBe(3);
    }
    for (const id of progress.keys()) expect(answers.has(id)).toBe(true);
  }
}, 240_000);

test('a crash in mid-call of three sessions is reported to each once; one restart serves all of them', async () => {
  linuxOnly('counts processes in /proc');
  const log = callLog();
  const { open, marker } = startSharedEngine();
  const servers = { any: fixture('--log', log.path) };
  const agents = await Promise.all([1, 2, 3].map(() => open({ servers })));
  for (const agent of agents) agent.begin(1, 'sleep', { ms: 100_000 });
  await until(() => log.methods('tools/call').length === 3);
  process.kill(scriptedServersWith(marker)[0]?.pid ?? 0, 'SIGKILL');
  for (const agent of agents) {
    const failed = await until(() => agent.received.find(({ id }) => id === 1));
    expect(textOf(failed)).toContain('It is unknown whether the tool took effect. The call was not retried.');
  }
  const again = await Promise.all(agents.map((agent) => agent.call(2, 'echo', { a: 1 })));
  expect(again.map(textOf)).toEqual(Array(3).fill('{"a":1}'));
  expect(log.methods('start')).toHaveLength(2);
  expect(log.methods('tools/call').filter(({ name }) => name === 'sleep')).toHaveLength(3);
  for (const { lines, received } of agents) {
    expect(lines.filter((line) => line.includes('was killed by SIGKILL'))).toHaveLength(1);
    expect(received.filter(({ id }) => id === 1)).toHaveLength(1);
  }
});

test('six crashes in a row hold back starts for every session, also for one that has not used the server', async () => {
  const log = callLog();
  const { open } = startSharedEngine();
  const servers = { any: fixture('--log', log.path, '--crash-after', 1) };
  const agents = [await open({ servers }), await open({ servers })];
  for (let crash = 0; crash < 5; crash++) await agents[crash % 2]?.call(10 + crash, 'echo');
  // Before the last crash: starts are held back for a second only.
  const late = await open({ servers });
  await agents[1]?.call(15, 'echo');
  expect(textOf(await late.call(1, 'echo'))).toContain('crash loop: it crashed 6 times in a row');
  expect(log.methods('start')).toHaveLength(6);
});

test('a storm of list_changed with five sessions causes at most two listings', async () => {
  const log = callLog();
  const { open } = startSharedEngine();
  const servers = { any: fixture('--log', log.path) };
  const agents = await Promise.all([1, 2, 3, 4, 5].map(() => open({ servers })));
  await Promise.all(agents.map((agent) => agent.call(1, 'echo')));
  // Concurrent listings of a start are one request.
  expect(log.methods('tools/list')).toHaveLength(1);
  await agents[0]?.call(2, 'change_tools', { add: ['newcomer'] });
  await agents[0]?.call(3, 'list_changed', { count: 500 });
  const opened = await Promise.all(agents.map((agent) => agent.open(4)));
  for (const answer of opened) expect(textOf(answer)).toContain('newcomer');
  expect(log.methods('tools/list').length).toBeLessThanOrEqual(3);
  // There is no further listing.
  await Promise.all(agents.map((agent) => agent.call(5, 'newcomer', { a: 1 })));
  expect(log.methods('tools/list').length).toBeLessThanOrEqual(3);
});

test('a session that floods a server delays another one by its turn and refuses none of its calls', async () => {
  const log = callLog();
  const { open } = startSharedEngine();
  const servers = {
    any: { ...fixture('--log', log.path, '--latency', 20), maxConcurrentCalls: 4, maxQueuedCalls: 400 },
  };
  const [flood, other] = [await open({ servers }), await open({ servers })];
  for (const agent of [flood, other]) await agent.call(1, 'echo');
  for (let id = 2; id < 402; id++) flood.begin(id, 'echo', { of: 'flood' });
  await until(() => log.methods('tools/call').length > 10);
  for (let id = 2; id < 12; id++) {
    const before = log.methods('tools/call').length;
    expect(textOf(await other.call(id, 'echo', { id }))).toBe(`{"id":${id}}`);
    const calls = log.methods('tools/call').slice(before);
    const own = calls.findIndex((call) => isRecord(call.arguments) && call.arguments['id'] === id);
    // Those in flight, and some that are let in before the call arrives; without turns it would be after hundreds.
    expect(own).toBeLessThan(40);
  }
  await until(() => flood.received.filter(({ id }) => Number(id) > 1).length === 400, { withinMs: 60_000 });
  expect(JSON.stringify(flood.received)).not.toContain('SERVER_BUSY');
  expect(JSON.stringify(other.received)).not.toContain('busy');
});

test('slow calls of one session, as many as run at a time, keep no call of another one waiting', async () => {
  const log = callLog();
  const { open } = startSharedEngine();
  const servers = { any: fixture('--log', log.path) };
  const [slow, ...others] = await Promise.all([1, 2, 3].map(() => open({ servers })));
  if (slow === undefined) throw new Error('no session');
  for (const agent of [slow, ...others]) await agent.call(1, 'echo');
  const sleeping = () => log.methods('tools/call').filter(({ name }) => name === 'hang').length;
  for (let id = 2; id < 66; id++) slow.begin(id, 'hang');
  await until(() => sleeping() === 11);
  for (const agent of others) expect(textOf(await agent.call(2, 'echo', { text: 'here' }))).toContain('here');
  // The share of one that has left goes to the others.
  for (const agent of others) await agent.leave();
  await until(() => sleeping() === 32);
  await slow.leave();
});

test('a session that reads nothing keeps no other one waiting, and gets everything when it reads again', async () => {
  const log = callLog();
  const { open } = startSharedEngine();
  const servers = { any: fixture('--modern', '--log', log.path) };
  const [deaf, other] = [await open({ servers, isModern: true, reads: false }), await open({ servers })];
  for (let id = 1; id <= 200; id++) deaf.begin(id, 'blob', { bytes: 1_000_000 });
  const sent = () => log.methods('tools/call').filter(({ name }) => name === 'blob').length;
  await until(() => sent() > 16);
  for (let id = 1; id <= 50; id++) expect(textOf(await other.call(id, 'echo', { id }))).toBe(`{"id":${id}}`);
  // What it does not read would have to be kept: no more is asked for.
  expect(sent()).toBeLessThan(100);
  deaf.read();
  await until(() => deaf.received.length === 200, { withinMs: 60_000 });
  expect(new Set(deaf.received.map(({ id }) => id)).size).toBe(200);
  expect(deaf.received.filter((message) => textOf(message).length !== 1_000_000)).toEqual([]);
});
