// @module-tag slow
import { describe, expect, test } from 'vitest';
import { isRecord } from '../../src/jsonrpc/json.js';
import { linuxOnly } from '../support/platform.js';
import { scriptedServersWith } from '../support/processes.js';
import { createRandom } from '../support/random.js';
import { fixture } from '../support/servers.js';
import { type SharedAgent, type SharedEngine, startSharedEngine, textOf } from '../support/shared-engine.js';
import { until } from '../support/until.js';
import type { Message } from '../support/workbench.js';

const form = { type: 'object', properties: { by: { type: 'string' } } };
const capabilities = { elicitation: { form: {} }, roots: { listChanged: true } };

/** A client that answers every question with its own name. */
class Client {
  readonly name: string;
  readonly agent: SharedAgent;
  /** The questions that it got, as text. */
  readonly questions: string[] = [];
  readonly #isModern: boolean;
  readonly #calls = new Map<unknown, object>();

  constructor(name: string, agent: SharedAgent, isModern: boolean) {
    this.name = name;
    this.agent = agent;
    this.#isModern = isModern;
    agent.onmessage = (message) => this.#receive(message);
  }

  ask(id: number): void {
    const question = { method: 'elicitation/create', params: { message: `for ${this.name}`, requestedSchema: form } };
    this.begin(id, 'ask_user', { rounds: [{ q: question }] });
  }

  begin(id: number, name: string, args: object, again: object = {}): void {
    this.#calls.set(id, { name, args });
    this.agent.begin(id, name, args, again);
  }

  cancel(id: number): void {
    this.#calls.delete(id);
    this.agent.send({ method: 'notifications/cancelled', params: { requestId: id } });
  }

  /** The last response to a request that needs no more input. */
  resultOf(id: number): Message | undefined {
    return this.agent.received.findLast(
      ({ id: its, method, result }) =>
        its === id && method === undefined && result?.['resultType'] !== 'input_required',
    );
  }

  #receive({ id, method, params, result }: Message): void {
    const answer = { action: 'accept', content: { by: this.name } };
    if (method === 'elicitation/create') {
      this.questions.push(JSON.stringify(params));
      this.agent.send({ id, result: answer });
    }
    const call = this.#calls.get(id);
    if (!this.#isModern || result?.['resultType'] !== 'input_required' || !isRecord(call)) return;
    this.questions.push(JSON.stringify(result['inputRequests']));
    const keys = isRecord(result['inputRequests']) ? Object.keys(result['inputRequests']) : [];
    const again = {
      requestState: result['requestState'],
      inputResponses: Object.fromEntries(keys.map((key) => [key, answer])),
    };
    this.agent.begin(Number(id), String(call['name']), call['args'] ?? {}, again);
  }
}

async function openClients(engine: SharedEngine, eras: readonly boolean[], flags: readonly string[], run = 0) {
  const servers = { any: fixture('--name', `run-${run}`, ...flags) };
  return Promise.all(
    eras.map(async (isModern, index) => {
      const agent = await engine.open({ servers, isModern, capabilities });
      return new Client(`client-${index}-of-${run}`, agent, isModern);
    }),
  );
}

describe.each([
  ['a legacy server', [], [false, false]],
  ['a modern server', ['--modern'], [true, true]],
])('questions of %s that two sessions share', (_, flags, same) => {
  const isLegacy = flags.length === 0;

  test.each([[false, true], same])(
    'reach no other session in 25 random interleavings (modern clients: %s, %s)',
    { timeout: 300_000 },
    async (...eras) => {
      const engine = startSharedEngine();
      for (let run = 1; run <= 25; run++) {
        const clients = await openClients(engine, eras, flags, run);
        await Promise.all(clients.map(({ agent }) => agent.call(1, 'echo')));
        expect(engine.engine.processes()).toHaveLength(1);
        const expected = await play(clients, createRandom(run));
        for (const [client, ids] of expected) {
          for (const id of ids) {
            const text = textOf(await until(() => client.resultOf(id), { what: `call ${id} of ${client.name}` }));
            const answer = JSON.stringify({ q: { action: 'accept', content: { by: client.name } } });
            const isRefused = /cannot be answered: calls of several clients are in flight/.test(text);
            expect(isRefused && isLegacy ? `[${answer}]` : text).toBe(`[${answer}]`);
          }
          const others = client.questions.filter((question) => !question.includes(`for ${client.name}"`));
          expect(others).toEqual([]);
        }
        for (const { agent } of clients) await agent.leave();
        // A process that both were moved away from ends after its last call; no session waits for it.
        await until(() => engine.engine.processes().length === 0, { what: 'the end of all processes' });
      }
    },
  );
});

/** Makes calls at random; returns the ids of calls that must be answered. */
async function play(clients: readonly Client[], random: (below: number) => number): Promise<Map<Client, Set<number>>> {
  const expected = new Map(clients.map((client) => [client, new Set<number>()]));
  for (let id = 2; id < 12; id++) {
    const client = clients[random(clients.length)];
    if (client === undefined) continue;
    const does = random(4);
    if (does < 2) {
      client.ask(id);
      expected.get(client)?.add(id);
    } else if (does === 2) {
      client.begin(id, 'sleep', { ms: random(20) });
    } else {
      const [first] = expected.get(client) ?? [];
      if (first !== undefined) client.cancel(first);
      if (first !== undefined) expected.get(client)?.delete(first);
    }
    for (let pause = random(4); pause > 0; pause--) await new Promise((resolve) => setTimeout(resolve, random(8)));
  }
  return expected;
}

test('a legacy server that asks during calls of two sessions gets an error that says why; from then on each session has its own', async () => {
  linuxOnly('counts processes in /proc');
  const engine = startSharedEngine();
  const [one, other] = await openClients(engine, [false, false], []);
  if (one === undefined || other === undefined) throw new Error('two clients');
  await other.agent.call(1, 'echo');
  other.begin(2, 'sleep', { ms: 1_500 });
  await until(() => engine.engine.processes().length === 1);
  one.ask(2);
  const refused = await until(() => one.resultOf(2));
  expect(textOf(refused)).toContain('elicitation/create cannot be answered: calls of several clients are in flight');
  expect(one.questions).toEqual([]);
  one.ask(3);
  expect(textOf(await until(() => one.resultOf(3)))).toContain(one.name);
  other.ask(3);
  expect(textOf(await until(() => other.resultOf(3)))).toContain(other.name);
  // The call in flight ended as it would have.
  expect(textOf(await until(() => other.resultOf(2)))).toBe('slept 1500 ms');
  await until(() => engine.engine.processes().length === 2);
  expect(scriptedServersWith(engine.marker)).toHaveLength(2);
  const reasons = engine.engine.processes().map(({ reason }) => reason);
  expect(reasons).toEqual(Array(2).fill('it asks during calls of several sessions'));
  for (const { agent } of [one, other]) expect(agent.lines.join('')).not.toMatch(/crash|exited/);
});
