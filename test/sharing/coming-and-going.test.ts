import { expect, test } from 'vitest';
import { callLog } from '../support/call-log.js';
import { linuxOnly } from '../support/platform.js';
import { scriptedServersWith } from '../support/processes.js';
import { createRandom } from '../support/random.js';
import { fixture } from '../support/servers.js';
import { type SharedAgent, type SharedEngine, startSharedEngine, textOf } from '../support/shared-engine.js';
import { until } from '../support/until.js';

// Sessions come and go, make and cancel calls and edit their files, while servers are killed: every call has one answer.

interface Visitor {
  readonly agent: SharedAgent;
  readonly name: string;
  /** The calls that must be answered, with what they return if nothing goes wrong. */
  readonly calls: Map<number, string>;
  edits: number;
}

const form = { type: 'object', properties: {} };
const question = { method: 'elicitation/create', params: { message: 'Go on?', requestedSchema: form } };
const capabilities = { elicitation: { form: {} }, roots: {} };

async function enter(
  { open }: SharedEngine,
  name: string,
  flags: readonly string[],
  isModern: boolean,
): Promise<Visitor> {
  const servers = { any: { ...fixture(...flags), idleTimeoutMs: 300, roots: true } };
  const agent = await open({ servers, isModern, capabilities });
  agent.onmessage = ({ id, method }) => {
    if (method === 'elicitation/create') agent.send({ id, result: { action: 'decline' } });
    if (method === 'roots/list') agent.send({ id, result: { roots: [] } });
  };
  return { agent, name, calls: new Map(), edits: 0 };
}

function call({ agent, calls, name }: Visitor, id: number, random: (below: number) => number): void {
  const kind = random(8);
  if (kind < 4) {
    calls.set(id, JSON.stringify({ of: name, id }));
    agent.begin(id, 'echo', { of: name, id });
  } else if (kind < 6) {
    calls.set(id, 'slept 20 ms');
    agent.begin(id, 'sleep', { ms: 20 });
  } else if (kind === 6) {
    calls.set(id, '');
    agent.begin(id, 'ask', question);
  } else {
    calls.set(id, '');
    agent.begin(id, 'ask_later', { method: 'roots/list' });
  }
}

function cancel({ agent, calls }: Visitor): void {
  const [id] = [...calls.keys()].toReversed();
  if (id === undefined || agent.received.some((message) => message.id === id)) return;
  calls.delete(id);
  agent.send({ method: 'notifications/cancelled', params: { requestId: id } });
}

function edit(visitor: Visitor): void {
  const name = `edit-${visitor.edits++ % 2}`;
  void visitor.agent.apply((text) => text.replace('scripted-server.mjs"', `scripted-server.mjs","--name","${name}"`));
}

async function check({ agent, calls, name }: Visitor, killed: () => number): Promise<void> {
  for (const [id, expected] of calls) {
    const answers = () => agent.received.filter((message) => message.id === id && message.method === undefined);
    const [answer] = await until(() => answers().length > 0 && answers(), { what: `call ${id} of ${name}` });
    const text = textOf(answer ?? {});
    if (expected !== '' && killed() === 0) expect(text).toBe(expected);
    if (expected !== '')
      expect(
        text === expected || /It is unknown whether|crash loop|was not called|killed by SIGKILL/.test(text),
        text,
      ).toBe(true);
  }
  for (const id of calls.keys())
    expect(agent.received.filter((message) => message.id === id && message.method === undefined)).toHaveLength(1);
}

test.each([
  ['a legacy server that is killed now and then', 2, true, []],
  ['a modern server', 3, false, ['--modern']],
])(
  'sessions that come and go with %s: every call has one answer, and no process is left',
  { timeout: 180_000 },
  async (_, seed, kills, flags) => {
    linuxOnly('counts processes in /proc');
    const engine = startSharedEngine();
    const random = createRandom(seed);
    const log = callLog();
    const given = ['--log', log.path, ...flags];
    let killed = 0;
    const present: Visitor[] = [];
    for (let step = 1; step <= 150; step++) {
      const does = random(20);
      const visitor = present[random(Math.max(1, present.length))];
      if (visitor === undefined || (does === 0 && present.length < 6)) {
        // A modern client would have to repeat its calls for every question.
        present.push(await enter(engine, `visitor ${step}`, given, false));
      } else if (does === 1) {
        await check(visitor, () => killed);
        present.splice(present.indexOf(visitor), 1);
        await visitor.agent.leave();
      } else if (does === 2) {
        cancel(visitor);
      } else if (does === 3) {
        edit(visitor);
      } else if (does === 4 && kills) {
        const [server] = scriptedServersWith(engine.marker);
        if (server !== undefined) process.kill(server.pid, 'SIGKILL');
        if (server !== undefined) killed++;
      } else {
        call(visitor, step, random);
      }
      if (random(3) === 0) await new Promise((resolve) => setTimeout(resolve, random(30)));
    }
    for (const visitor of present) await check(visitor, () => killed);
    // No call was sent twice.
    const echoes = log
      .methods('tools/call')
      .filter(({ name }) => name === 'echo')
      .map((entry) => JSON.stringify(entry.arguments));
    expect(new Set(echoes).size).toBe(echoes.length);
    await until(() => scriptedServersWith(engine.marker).length === 0, { what: 'the end of idle servers' });
    await until(() => engine.engine.processes().length === 0);
  },
);
